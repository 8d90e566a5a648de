"""Models that answer by a schema ask tools first: the calls are kept, capped and computed again."""

import json
from typing import Any

import pytest

from shapley_coop.evals.verifying import verify_run
from shapley_coop.graphs.running import play
from shapley_coop.seats.calls import READY
from shapley_coop.seats.records import TOOL
from tests.embedded_reply import by_schema
from tests.seats.test_openai_seat import embedded, entries
from tests.seats.test_tool_calls import DRAFT, WHOSE, plays_again, room, spent, told
from tests.seats.tool_calls import with_tools
from tests.stub_faults import Completion, Fault
from tests.stub_openai import Reply, StubOpenAI

__all__ = ["with_tools"]

pytestmark = pytest.mark.usefixtures("with_tools", "openai_key")


def asks_first(*calls: tuple[str, dict[str, Any]]) -> Reply:
    """Call tools once in every letter, say that this was all, and answer by the schema."""

    def said(messages: list[dict[str, Any]], request: dict[str, Any]) -> str | Completion:
        if "tools" not in request:
            return by_schema(messages, request)
        once = messages[-1]["role"] == "tool" or not calls
        asked = ((READY, "{}"),) if once else tuple((n, json.dumps(x)) for n, x in calls)
        return Completion("", tool_calls=asked)

    return said


async def test_it_asks_and_is_told_and_answers_by_the_schema() -> None:
    with StubOpenAI(asks_first(WHOSE, DRAFT)) as stub:
        outcome = await play("shapley_coop", room(stub, answers="schema"))
        first, second, third = (request.body for request in stub.requests[:3])
    assert told(outcome) == told(await embedded())
    names = [tool["function"]["name"] for tool in first["tools"]]
    assert names == ["evaluate_deal", "history", READY]
    assert "response_format" not in first
    assert "8 calls in all; call `answer_now` if you need none." in str(first["messages"])
    assert second["messages"][-2]["content"] == "Bob said [] by turn 1"
    assert "tools" not in third
    assert third["response_format"]["json_schema"]["name"] == "reason"
    assert third["messages"][-1]["content"].startswith("Give your answer now.")
    assert (await spent(outcome["run"]))["calls"] == stub.calls
    kept = [e for e in await entries(outcome["run"]) if e.agent == "Alice"]
    assert {e.model for e in kept if e.act == TOOL} == {"history", "evaluate_deal"}


async def test_verify_computes_the_results_again_and_a_recording_plays_them(tmp_path: Any) -> None:
    with StubOpenAI(asks_first(WHOSE)) as stub:
        first = await play("shapley_coop", room(stub, answers="schema"))
    (found,) = [check for check in await verify_run(first["run"]) if check.what == "tools"]
    assert found.sound
    assert found.found.endswith("results recomputed")
    await plays_again(first, tmp_path)


async def test_calls_are_capped_and_then_the_schema_is_due(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("shapley_coop.state.asking.TOOL_CALLS", 1)
    with StubOpenAI(asks_first(WHOSE, DRAFT)) as stub:
        await play("llm_only", room(stub, answers="schema"))
        second = stub.requests[1].body
    assert "No calls are left: give your answer now." in second["messages"][-1]["content"]
    assert "tools" not in second
    assert second["response_format"]["json_schema"]["name"] == "act"


@pytest.mark.parametrize("words", ["Let me answer.", '{"thoughts": "", "action": "lever"}'])
async def test_one_that_calls_no_tool_is_asked_by_the_schema_unless_it_has_answered(
    words: str,
) -> None:
    spoilt = Fault("spoilt", spoil=lambda one: Completion(words))
    with StubOpenAI(asks_first(), faults=[spoilt]) as stub:
        outcome = await play("llm_only", room(stub, answers="schema"))
    counts = await spent(outcome["run"])
    assert counts["refused"] == 0
    assert counts["calls"] == (1 if words.startswith("{") else 2)
