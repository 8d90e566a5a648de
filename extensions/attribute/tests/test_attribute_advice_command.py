"""`coop attribute --advise`: what it prints, what it takes, and when it fails."""

import json
import re
from pathlib import Path

import pytest

from tests.coop_command import Coop, one_line

APP = """\
from extensions.attribute.tests.test_attribute_tools import office, score
from extensions.attribute.tests.stub_chat import StubChat
from langchain_core.messages import AIMessage

app = office()
small = StubChat(rule=lambda messages: AIMessage("67317 and 164000"), model="small")
"""


@pytest.fixture
def coop(coop: Coop, tmp_path: Path) -> Coop:
    (tmp_path / "app.py").write_text(APP, encoding="utf-8")
    asked = {"messages": [{"role": "user", "content": "combined headcount?"}]}
    (tmp_path / "in.json").write_text(json.dumps([asked, asked]), encoding="utf-8")
    return coop


GIVEN = ("attribute", "app.py:app", "--score", "app.py:score", "--input", "in.json")


def test_the_command_advises(coop: Coop, tmp_path: Path) -> None:
    ended = coop(*GIVEN, "--advise", "--cheaper", "app.py:small")
    assert ended.code == 0, ended.err
    said = " ".join(ended.out.split())
    assert "downgrade to stub:small" in said
    assert "add_up: without it the score loses 1" in said
    assert "as advised" in said
    assert "runs: advice, 3 agents, 52 plays of the app: about" in ended.err
    assert coop(*GIVEN, "--cheaper", "app.py:small", "-o", "page.html").code == 0
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "downgrade to stub:small" in page
    found = coop(*GIVEN, "--cheaper", "app.py:small", "--json").result
    verdicts = {one["agent"]: one["verdict"] for one in found["advice"]}
    assert verdicts == {"boss": "keep", "research": "downgrade", "add_up": "keep"}
    assert found["calls"]["made"] == 0


def test_a_single_run_says_why_it_has_no_firm_advice_under_heads_with_units(
    coop: Coop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    once = json.loads((tmp_path / "in.json").read_text(encoding="utf-8"))[:1]
    (tmp_path / "one.json").write_text(json.dumps(once), encoding="utf-8")
    single = coop(*GIVEN[:-1], "one.json", "--advise")
    said = " ".join(single.out.split())
    for head in ("score lost", "± 95 %", "tokens saved", "seconds saved"):
        assert head in said
    why = "one run has no 95 % interval, so any loss may be chance; give --input a list of ten"
    assert f"no firm advice: {why} inputs or so" in said
    assert "no firm advice" not in coop(*GIVEN, "--advise").out


def test_advice_is_played_until_the_limit_and_then_says_how_to_go_on(coop: Coop) -> None:
    few = (*GIVEN, "--cheaper", "app.py:small", "--max-calls", "16")
    ended = coop(*few)
    assert ended.code == 2
    last = " ".join(ended.out.split()).rpartition("no advice: ")[2]
    assert re.fullmatch(
        r"about \d+ plays of the app, \d+ new agent calls, .*: 16 calls that ask a model are made, "
        r"about \d+ are missing; repeat the command, which keeps them, or raise --max-calls to "
        r"about \d+",
        last,
    )
    assert f"no advice: {last}" in " ".join(ended.err.split())
    again = coop(*few, "--json")
    assert again.code == 0, "what was played is kept, so the same command plays the rest"
    assert 0 < again.result["calls"]["paid"] <= 16


def test_leave_one_out_that_reaches_the_limit_shows_the_runs_that_it_played(
    coop: Coop, tmp_path: Path
) -> None:
    (tmp_path / "three.py").write_text(THREE, encoding="utf-8")
    (tmp_path / "in.json").write_text(json.dumps([HELLO] * 12), encoding="utf-8")
    asked = ("attribute", "three.py:app", "--score", "three.py:score", "--input", "in.json")
    few = (*asked, "--agents", "a,b,c", "--advise", "--max-calls", "50")
    ended = coop(*few)
    said, warned = " ".join(ended.out.split()), " ".join(ended.err.split())
    assert ended.code == 2
    assert "leave-one-out of three.py:app, exact, 4 inputs" in said
    missing = (
        r"4 of 12 runs are played: 50 calls that ask a model are made, about (\d+) are missing"
    )
    assert re.search(f"no advice: without each agent, {missing}", said)
    ahead = re.search(
        r"exceed --max-calls 50, where the plays stop: --max-calls (\d+) plays", warned
    )
    assert ahead
    assert said.endswith(f"or raise --max-calls to about {ahead[1]}")
    assert warned.endswith(f"or raise --max-calls to about {ahead[1]}")
    enough = coop(*few[:-1], ahead[1], "--cache", "new.sqlite")
    assert enough.code == 0, enough.err


def test_a_limit_that_allows_no_value_names_one_that_does(coop: Coop, tmp_path: Path) -> None:
    (tmp_path / "three.py").write_text(THREE, encoding="utf-8")
    (tmp_path / "in.json").write_text(json.dumps([HELLO]), encoding="utf-8")
    asked = ("attribute", "three.py:app", "--score", "three.py:score", "--input", "in.json")
    loo = ("--agents", "a,b,c", "--value", "leave-one-out", "--max-calls")
    ended = coop(*asked, *loo, "4")
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.splitlines()[-1] == (
        "coop: 4 calls that ask a model are made; repeat the command, which keeps them, or raise "
        "--max-calls to about 6"
    )
    assert coop(*asked, *loo, "6", "--cache", "new.sqlite").code == 0
    (tmp_path / "in.json").write_text(json.dumps([HELLO] * 12), encoding="utf-8")
    pace = coop(*asked, *loo, "20").err
    assert "max_calls is 20: raise it to about 72, which allows plays without each agent" in pace
    assert coop(*asked, *loo, "72", "--cache", "newer.sqlite").code == 0


def test_calls_that_ask_no_model_need_no_permission(coop: Coop, tmp_path: Path) -> None:
    plain = THREE.replace('model.invoke(state["messages"])', "AIMessage(name)")
    (tmp_path / "plain.py").write_text(plain, encoding="utf-8")
    (tmp_path / "in.json").write_text(json.dumps([HELLO] * 30), encoding="utf-8")
    ended = coop(
        "attribute", "plain.py:app", "--score", "plain.py:score", "--input", "in.json", "--advise"
    )
    assert ended.code == 0, ended.err
    assert "new agent calls, none of which asks a model" in " ".join(ended.err.split())
    assert ended.out.count("none asks a model") == 1


@pytest.mark.slow
def test_twelve_inputs_have_advice_within_the_usual_limit(coop: Coop, tmp_path: Path) -> None:
    """What was played is not counted again; one alone is left out where too few calls are left."""
    (tmp_path / "in.json").write_text(json.dumps([HELLO] * 12), encoding="utf-8")
    (tmp_path / "three.py").write_text(THREE, encoding="utf-8")
    asked = ("attribute", "three.py:app", "--score", "three.py:score", "--input", "in.json")
    ended = coop(*asked, "--agents", "a,b,c", "--advise")
    assert ended.code == 0, ended.err
    said = " ".join(ended.err.split())
    most = re.search(r"advice, 3 agents, (\d+) plays of the app: at most (\d+) new", said)
    assert most
    assert "not played" not in said
    found = coop(*asked, "--agents", "a,b,c", "--advise", "--cache", "new.sqlite", "--json").result
    alone = coop(*asked, "--agents", "a,b,c", "--cache", "other.sqlite", "--json").result
    assert {one["verdict"] for one in found["advice"]} == {"keep"}
    assert found["calls"]["made"] - alone["calls"]["made"] <= int(most[2])
    assert found["calls"]["made"] <= 200


HELLO = {"messages": [{"role": "user", "content": "hello"}]}

THREE = """\
from langchain_core.messages import AIMessage
from langgraph.graph import START, MessagesState, StateGraph
from extensions.attribute.tests.stub_chat import StubChat

def agent(name):
    model = StubChat(rule=lambda messages: AIMessage(name), model=name)
    return name, lambda state: {"messages": [model.invoke(state["messages"])]}

page = StateGraph(MessagesState)
page.add_sequence([agent("a"), agent("b"), agent("c")])
page.add_edge(START, "a")
app = page.compile()

def score(state):
    return len({m.text for m in state["messages"]} & {*"abc"})
"""


def test_what_is_wrong_is_one_line(coop: Coop) -> None:
    assert "has no 'tiny'" in one_line(coop(*GIVEN, "--cheaper", "app.py:tiny"), 2)
    complaint = one_line(coop(*GIVEN, "--cheaper", "app.py:score"), 2)
    assert "cheaper: score is not a chat model" in complaint
