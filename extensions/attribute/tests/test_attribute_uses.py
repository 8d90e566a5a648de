"""Credit where people work: in tests, on traces, in pull requests, in notebooks."""

import json
from pathlib import Path
from uuid import uuid4

import pytest
from langsmith import Client
from langsmith.evaluation import run_evaluator
from langsmith.schemas import Example, Run

from shapley_coop.extensions.attribute import attribute, demo
from shapley_coop.extensions.attribute.langsmith_feedback import evaluator, results, send
from tests.coop_command import Coop, one_line
from tests.seats.langsmith_capture import PROJECT, Capture, langsmith

__all__ = ["langsmith"]

pytest_plugins = ["pytester"]

OWL = [{"topic": "owls"}]
TESTS = """
import pytest
from shapley_coop.extensions.attribute import demo

def test_the_critic_earns_its_tokens(credit):
    found = credit(demo.graph, demo.AGENTS, demo.score, [{"topic": "owls"}])
    assert found["critic"] > 0
    with pytest.raises(KeyError):
        found["nobody"]
"""


def test_a_test_asks_what_an_agent_earns_and_a_replay_makes_no_call(
    pytester: pytest.Pytester,
) -> None:
    plugin = "shapley_coop.extensions.attribute.pytest_plugin"
    pytester.makeconftest(f"pytest_plugins = [{plugin!r}]")
    pytester.makeini("[pytest]\ncredit_cache = kept/credit.sqlite")
    pytester.makepyfile(TESTS)
    first = pytester.runpytest_inprocess("-p", "no:cacheprovider")
    first.assert_outcomes(passed=1)
    assert (pytester.path / "kept" / "credit.sqlite").exists()
    again = pytester.runpytest_inprocess("-p", "no:cacheprovider")
    again.assert_outcomes(passed=1)
    again.stdout.fnmatch_lines(["credit: 0 agent calls made, * saved by the cache"])


def test_values_are_feedback_on_a_trace(langsmith: Capture) -> None:
    credit = attribute(demo.graph, demo.AGENTS, demo.score, OWL)
    trace, client = uuid4(), Client(api_url=langsmith.url, api_key="none")
    langsmith.project = {**PROJECT, "name": "tickets"}
    send(credit, trace, "tickets", client)
    bodies = [json.loads(body.partition(b"\r\n\r\n")[2]) for body in langsmith.bodies]
    assert {body["key"]: body["score"] for body in bodies} == pytest.approx(
        {f"credit.{agent}": value for agent, value in (credit.values or {}).items()}, abs=1e-4
    ), "LangSmith's client keeps four digits"
    assert {body["run_id"] for body in bodies} == {str(trace)}
    assert "tokens a run" in bodies[0]["comment"]


def test_an_evaluator_attributes_the_app_on_an_examples_inputs() -> None:
    run = Run.model_construct(id=uuid4(), inputs={}, outputs={})
    example = Example.model_construct(id=uuid4(), inputs=OWL[0])
    judge = run_evaluator(evaluator(demo.graph, demo.AGENTS, demo.score))
    found = judge.evaluate_run(run, example)
    credit = attribute(demo.graph, demo.AGENTS, demo.score, OWL)
    assert isinstance(found, dict)
    assert [(one.key, one.score) for one in found["results"]] == [
        (one.key, one.score) for one in results(credit)
    ]


def test_langsmith_that_is_not_there_is_one_line() -> None:
    credit = attribute(demo.graph, demo.AGENTS, demo.score, OWL)
    client = Client(api_url="http://127.0.0.1:9", api_key="none", timeout_ms=2_000)
    with pytest.raises(ValueError, match=r"^LangSmith: "):
        send(credit, uuid4(), "tickets", client)


@pytest.fixture
def two(coop: Coop, tmp_path: Path) -> tuple[str, str]:
    after = coop("attribute", "demo", "--json").result
    before = {**after, "values": {**after["values"], "critic": -20.0, "old|one": 2.0}}
    before["interval"] = {agent: [-25.0, -15.0] for agent in after["agents"]}
    before["agents"] = [*after["agents"], "old|one"]
    before["spent"] = {**after["spent"], "old|one": after["spent"]["critic"]}
    for name, one in (("before", before), ("after", after)):
        (tmp_path / f"{name}.json").write_text(json.dumps(one), encoding="utf-8")
    return "after.json", "before.json"


def test_two_versions_are_compared_as_markdown(coop: Coop, two: tuple[str, str]) -> None:
    alone = coop("attribute-summary", two[0]).out
    assert "| agent | value | tokens a run |" in alone
    assert "**Score with all agents:** 100" in alone
    both = coop("attribute-summary", two[0], "--before", two[1]).out
    lines = {line.split(" |")[0]: line for line in both.splitlines()}
    assert lines["| critic"].split(" | ")[1] == "-20"
    assert " * |" in lines["| critic"], "the intervals do not meet"
    assert lines["| old\\|one"].split(" | ")[1:4] == ["2", "—", "—"]


def test_what_is_no_attribution_is_one_line(coop: Coop, tmp_path: Path) -> None:
    (tmp_path / "other.json").write_text("{}", encoding="utf-8")
    assert "other.json: is not from coop attribute" in one_line(
        coop("attribute-summary", "other.json"), 2
    )
    assert "none.json" in one_line(coop("attribute-summary", "none.json"), 2)


def test_a_notebook_shows_the_drawing_and_the_agents() -> None:
    shown = attribute(demo.graph, demo.AGENTS, demo.score, OWL)._repr_html_()
    assert shown.startswith("<div><svg")
    assert "<td>critic</td>" in shown
    assert "<script" not in shown
