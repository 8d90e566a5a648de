"""Models that ask tools before they answer: caps, journal, restarts, traces, verification."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from langchain_core.tracers.context import collect_runs
from langchain_core.tracers.schemas import Run as Trace

from shapley_coop.evals.verifying import verify_run
from shapley_coop.graphs.preparing import prepare
from shapley_coop.graphs.running import follow, play
from shapley_coop.graphs.threads import table_of
from shapley_coop.seats.recording import recording_line
from shapley_coop.seats.records import TOOL
from shapley_coop.seats.seat import SeatError
from shapley_coop.state.run_config import RunConfig
from shapley_coop.state.storage.home import home
from tests.books import change_answers, reworded
from tests.embedded_reply import by_tool, in_form, reply
from tests.seats.test_openai_seat import embedded, entries
from tests.seats.tool_calls import asks_first, with_tools
from tests.stub_faults import Completion, Fault
from tests.stub_openai import StubOpenAI

__all__ = ["with_tools"]

pytestmark = pytest.mark.usefixtures("with_tools", "openai_key")

WHOSE = ("history", {"agent": "Bob"})
DRAFT = ("evaluate_deal", {"clauses": []})
OWN = {"run", "episode", "seats", "timing", "usage", "spending", "simulated", "happened"}


def room(stub: StubOpenAI, answers: str = "tools", **more: Any) -> RunConfig:
    alice = {"model": "openai:Alice", "base_url": stub.base_url, "answers": answers}
    seats = {"Alice": alice, "Bob": "embedded:rational"}
    return RunConfig.model_validate({"seats": seats, "tools": True, **more})


async def spent(run: str, agent: str = "Alice") -> Counter[str]:
    table = await table_of(home().runs.get(run))
    counts: Counter[str] = Counter()
    for phase in table["spent"].values():
        counts.update(phase["agents"].get(agent, {}))
    return counts


def told(outcome: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in outcome.items() if key not in OWN}


async def test_a_model_asks_and_is_told_and_every_call_is_counted_and_kept() -> None:
    with StubOpenAI(asks_first(WHOSE, DRAFT)) as stub:
        outcome = await play("shapley_coop", room(stub))
        assert not any("tries" in str(request.body["messages"]) for request in stub.requests)
        first, second = (request.body for request in stub.requests[:2])
    assert told(outcome) == told(await embedded())
    names = [tool["function"]["name"] for tool in first["tools"]]
    assert names == ["evaluate_deal", "history", "reason"]
    assert first["tool_choice"] == "required"
    letter = first["messages"][-1]["content"]
    assert "Before that you may call `evaluate_deal`, `history`, 8 calls in all." in letter
    *before, asked, one, other = second["messages"]
    assert all(
        sent["content"].startswith(again["content"])
        for sent, again in zip(first["messages"], before, strict=True)
    )
    calls = {call["id"]: call["function"]["name"] for call in asked["tool_calls"]}
    assert calls == {one["tool_call_id"]: "history", other["tool_call_id"]: "evaluate_deal"}
    assert one["content"] == "Bob said [] by turn 1"
    assert other["content"].startswith("0 clauses for Alice, Bob")
    assert (await spent(outcome["run"]))["calls"] == stub.calls
    kept = [e for e in await entries(outcome["run"]) if e.agent == "Alice"]
    assert sum(e.act != TOOL for e in kept) == stub.calls
    assert {e.model for e in kept if e.act == TOOL} == {"history", "evaluate_deal"}


async def test_verify_computes_every_result_again() -> None:
    with StubOpenAI(asks_first(WHOSE, DRAFT)) as stub:
        outcome = await play("shapley_coop", room(stub))
    (found,) = [check for check in await verify_run(outcome["run"]) if check.what == "tools"]
    assert found.sound
    assert found.found.endswith("results recomputed")
    change_answers(lambda x: reworded(lambda _: "forged")(x) if x.model == "history" else x)
    (found,) = [check for check in await verify_run(outcome["run"]) if check.what == "tools"]
    assert not found.sound
    assert "history told Alice at plan.reason" in found.found


async def test_a_trace_shows_each_tool_as_a_run_of_its_own() -> None:
    with StubOpenAI(asks_first(WHOSE)) as stub, collect_runs() as seen:
        outcome = await play("shapley_coop", room(stub))

    def under(run: Trace) -> Any:
        yield run
        for child in run.child_runs:
            yield from under(child)

    runs = {run.id: run for root in seen.traced_runs for run in under(root)}.values()
    tools = [run for run in runs if run.run_type == "tool"]
    count = sum(e.act == TOOL for e in await entries(outcome["run"]))
    assert len(tools) == count > 1
    assert {run.name for run in tools} == {"Alice.history"}
    assert all(run.metadata["act"] and run.metadata["agent"] == "Alice" for run in tools)


async def test_a_resume_repeats_at_most_the_call_in_flight() -> None:
    said = asks_first(WHOSE)
    with StubOpenAI(said, faults=[None, None, None, Fault.bad_key()]) as stub:
        run = prepare("shapley_coop", room(stub))
        with pytest.raises(SeatError):
            await follow(run)
        # The fourth call was to tell the second letter's result.
        assert stub.calls == 4
        outcome = await follow(run)
        assert stub.calls == (await spent(outcome["run"]))["calls"] + 1
    assert told(outcome) == told(await embedded())


async def plays_again(first: dict[str, Any], folder: Path) -> None:
    """A recording of a run with tools plays it again."""
    path = folder / "letters.jsonl"
    lines = (recording_line(entry) for entry in await entries(first["run"]))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    seats = {"*": f"recording:{path}"}
    again = await play("shapley_coop", RunConfig.model_validate({"seats": seats, "tools": True}))
    assert told(again) == told(first)


async def test_a_recording_of_such_a_run_plays_it_again(tmp_path: Any) -> None:
    with StubOpenAI(asks_first(WHOSE, DRAFT)) as stub:
        first = await play("shapley_coop", room(stub))
    await plays_again(first, tmp_path)


async def test_calls_are_capped_for_each_letter_and_the_model_is_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("shapley_coop.state.asking.TOOL_CALLS", 1)
    with StubOpenAI(asks_first(WHOSE, DRAFT)) as stub:
        await play("shapley_coop", room(stub))
        second = stub.requests[1].body
    one, other = (message["content"] for message in second["messages"][-2:])
    assert one == "Bob said [] by turn 1"
    assert other.startswith("This was not computed: no calls are left.")
    assert "No calls are left: give your answer now." in other
    assert [tool["function"]["name"] for tool in second["tools"]] == ["reason"]


async def test_the_budget_counts_every_call_of_the_model() -> None:
    with StubOpenAI(asks_first(WHOSE)) as stub:
        outcome = await play("shapley_coop", room(stub, budget={"agent_calls": 3}))
        assert stub.calls == 3
    assert (await spent(outcome["run"]))["calls"] == 3


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (("history", {}), "These arguments cannot be used: agent: it is missing."),
        (("history", {"agent": "Bob", "x": 1}), "These arguments cannot be used: x: "),
        (("no_tool", {}), "There is no tool 'no_tool': there are evaluate_deal, history."),
    ],
)
async def test_a_wrong_call_is_answered_in_words(call: Any, said: str) -> None:
    tool_calls = ((call[0], json.dumps(call[1])),)
    spoilt = Fault("wrong", spoil=lambda one: type(one)("", tool_calls=tool_calls))
    with StubOpenAI(by_tool, faults=[spoilt]) as stub:
        await play("llm_only", room(stub))
        message = stub.requests[1].body["messages"][-1]
    assert message["role"] == "tool"
    assert message["content"].lower().startswith(said.lower())


async def test_a_seat_with_text_alone_has_no_tools() -> None:
    with StubOpenAI(reply) as stub:
        outcome = await play("shapley_coop", room(stub, answers="text"))
        assert not any("tools" in request.body for request in stub.requests)
    assert told(outcome) == told(await embedded())


async def test_without_the_switch_nobody_is_offered_a_tool() -> None:
    with StubOpenAI(by_tool) as stub:
        await play("shapley_coop", room(stub, tools=False))
        offered = {len(request.body["tools"]) for request in stub.requests}
    assert offered == {1}
    with StubOpenAI(reply) as stub:
        outcome = await play("shapley_coop", room(stub, answers="text", tools=False))
    assert "tools" not in [check.what for check in await verify_run(outcome["run"])]


async def test_an_endpoint_that_ignores_tools_is_found_out_once_and_answers_in_text(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def ignores(said: Completion, request: dict[str, Any]) -> Completion:
        return Completion("Let me think about it.") if request.get("tools") else said

    def answer(messages: list[dict[str, Any]], request: dict[str, Any]) -> str | Completion:
        return in_form(reply(messages, request), request)

    with StubOpenAI(answer, manner=ignores) as stub:
        outcome = await play("shapley_coop", room(stub, answers="auto"))
        asked = ["tools" in request.body for request in stub.requests]
    assert told(outcome) == told(await embedded())
    assert asked == [True, *[False] * (len(asked) - 1)]
    assert caplog.text.count("answers in words where it has to call a tool") == 1
