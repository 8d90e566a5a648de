"""Seats that answer by a schema or by calling a tool, over HTTP, through LangChain's own means."""

import json
from typing import Any

import pytest

from shapley_coop.graphs.running import play
from shapley_coop.graphs.threads import table_of
from shapley_coop.seats.answers import fields_in
from shapley_coop.seats.models import chat_model
from shapley_coop.seats.modes import answers_of
from shapley_coop.seats.seat import Seat
from shapley_coop.state.run_config import RunConfig
from shapley_coop.state.storage.home import home
from tests.embedded_reply import by_schema, by_tool, reply
from tests.seats.test_openai_seat import told
from tests.stub_faults import Completion, Fault
from tests.stub_openai import StubOpenAI

pytestmark = pytest.mark.usefixtures("openai_key")

WAYS = {"schema": by_schema, "tools": by_tool, "text": reply}


def room(stub: StubOpenAI, **settings: Any) -> RunConfig:
    seats = {
        agent: {"model": f"openai:{agent}", "base_url": stub.base_url, **settings}
        for agent in ("Alice", "Bob")
    }
    return RunConfig.model_validate({"seats": seats})


# The whole workflow


@pytest.mark.parametrize("graph", ["shapley_coop", "contracts"])
async def test_whichever_way_seats_answer_the_run_is_the_same(graph: str) -> None:
    """Between them, these two ask every question of the core."""
    with StubOpenAI(reply) as stub:
        in_text = await play(graph, room(stub, answers="text"))
    for way in ("schema", "tools"):
        with StubOpenAI(WAYS[way]) as stub:
            otherwise = await play(graph, room(stub, answers=way))
            asked = [request.body for request in stub.requests]
        assert told(otherwise) == told(in_text)
        assert all(("response_format" in body) == (way == "schema") for body in asked)
        assert all(("tools" in body) == (way == "tools") for body in asked)


async def test_an_action_is_asked_for_by_an_enum_of_what_is_legal() -> None:
    with StubOpenAI(by_schema) as stub:
        await play("llm_only", room(stub, answers="schema"))
        form = stub.requests[0].body["response_format"]["json_schema"]
    assert form["name"] == "act"
    assert form["strict"] is True
    assert form["schema"]["properties"]["action"]["enum"] == ["door", "lever"]
    assert "content" not in form["schema"]["properties"], "actions here carry nothing"


# What comes back is no schema


def spoilt(text: str) -> Fault:
    """The endpoint takes the schema and does not keep to it, as small models' do."""
    return Fault("spoilt", spoil=lambda said: Completion(text))


@pytest.mark.parametrize(
    ("fault", "label"),
    [
        (spoilt("I would rather not say."), "MPT"),
        (spoilt(""), "MPT"),
        (spoilt('{"thoughts": "Hm.", "action": "window", "notes": null}'), "ACTION"),
        (spoilt("null"), "MPT"),
        (spoilt("[1, 2]"), "MPT"),
        (Fault.refusal(), "REF"),
        (Fault.truncated(), "CUT"),
    ],
    ids=lambda given: given if isinstance(given, str) else getattr(given, "name", "fault"),
)
@pytest.mark.parametrize("way", ["schema", "tools"])
async def test_what_is_not_of_the_schema_is_a_refused_answer_and_no_failure(
    fault: Fault, label: str, way: str
) -> None:
    with StubOpenAI(WAYS[way], faults=[fault]) as stub:
        seats = {"Alice": room(stub, answers=way).seats["Alice"], "Bob": "embedded:rational"}
        outcome = await play("llm_only", RunConfig.model_validate({"seats": seats}))
    table = await table_of(home().runs.get(outcome["run"]))
    counts = table["spent"]["action"]["agents"]["Alice"]
    assert (counts["calls"], counts[f"refused_{label}"]) == (2, 1)


@pytest.mark.parametrize("way", ["schema", "tools"])
async def test_a_refused_answer_comes_back_in_the_form_that_it_had(way: str) -> None:
    window = spoilt('{"thoughts": "Hm.", "action": "window", "notes": null}')
    with StubOpenAI(WAYS[way], faults=[window]) as stub:
        seats = {"Alice": room(stub, answers=way).seats["Alice"], "Bob": "embedded:rational"}
        await play("llm_only", RunConfig.model_validate({"seats": seats}))
        refused, why = stub.requests[1].body["messages"][-2:]
    given = (
        refused["tool_calls"][0]["function"]["arguments"] if way == "tools" else refused["content"]
    )
    assert json.loads(given) == {"thoughts": "Hm.", "action": "window"}
    assert why["role"] == ("tool" if way == "tools" else "user")
    assert "You chose 'window'" in why["content"]
    assert "`act`, without tags" in why["content"]


async def test_a_decision_that_there_is_not_is_told_back() -> None:
    with StubOpenAI(by_schema, faults=[spoilt('{"thoughts": "Hm.", "decision": "maybe"}')]) as stub:
        seats = {"Alice": "embedded:rational", "Bob": room(stub, answers="schema").seats["Bob"]}
        await play("negotiation", RunConfig.model_validate({"seats": seats}))
        why = stub.requests[1].body["messages"][-1]["content"]
    assert "You decided “maybe”. Words alone decide nothing." in why


@pytest.mark.parametrize("way", ["schema", "tools"])
async def test_a_key_that_could_bind_is_named_and_no_tags_are_asked_for(way: str) -> None:
    unless = spoilt('{"thoughts": "Hm.", "decision": "accept", "unless": "you pay 4"}')
    words = spoilt('{"thoughts": "Hm.", "decision": "gladly"}')
    with StubOpenAI(WAYS[way], faults=[unless, words]) as stub:
        seats = {"Alice": "embedded:rational", "Bob": room(stub, answers=way).seats["Bob"]}
        await play("negotiation", RunConfig.model_validate({"seats": seats}))
        named, asked = (request.body["messages"][-1]["content"] for request in stub.requests[1:3])
    assert "`unless` is no field of this answer: leave it out." in named
    assert 'Do you accept offer 1? Answer "accept" or "reject".' in asked


@pytest.mark.parametrize("way", ["schema", "tools"])
@pytest.mark.parametrize(
    "written",
    [
        '```json\n{"thoughts": "", "action": "lever", "notes": null}\n```',
        "Sure! {'action': 'Lever', // mine\n} So be it.",
        '<think>{"action": "door"}, or rather:</think>{"action": "lever",}',
    ],
)
async def test_json_with_something_around_it_is_read_as_the_answer_that_it_is(
    written: str, way: str
) -> None:
    with StubOpenAI(WAYS[way], faults=[spoilt(written)]) as stub:
        seats = {"Alice": room(stub, answers=way).seats["Alice"], "Bob": "embedded:rational"}
        outcome = await play("llm_only", RunConfig.model_validate({"seats": seats}))
        assert stub.calls == 1
    table = await table_of(home().runs.get(outcome["run"]))
    assert table["record"][0]["actions"]["Alice"] == "lever"


@pytest.mark.parametrize(
    "call",
    [
        ("respond", '{"thoughts": "", "action": "lever", "notes": null}'),
        ("act", '{"thoughts": "", "action": "lever", "notes": null,}'),
    ],
)
async def test_a_call_of_another_tool_or_with_a_comma_too_many_is_the_answer_that_it_is(
    call: tuple[str, str],
) -> None:
    fault = Fault("spoilt", spoil=lambda said: Completion("", tool_calls=(call,)))
    with StubOpenAI(by_tool, faults=[fault]) as stub:
        seats = {"Alice": room(stub, answers="tools").seats["Alice"], "Bob": "embedded:rational"}
        outcome = await play("llm_only", RunConfig.model_validate({"seats": seats}))
        assert stub.calls == 1
    table = await table_of(home().runs.get(outcome["run"]))
    assert table["record"][0]["actions"]["Alice"] == "lever"


@pytest.mark.parametrize(
    ("written", "why"),
    [
        ('{"action": "lever"} or {"action": "door"}', "two answers"),
        ('{"action": "lever"} <ACTION>door</ACTION>', "an answer in tags beside it"),
        ('{"decision": "accept", "unless": "you pay 4"}', "a key that could mean something"),
        ('{"thoughts": "Hm."}', "nothing that answers"),
    ],
)
def test_json_that_leaves_a_doubt_is_words(written: str, why: str) -> None:
    form = {"title": "act", "properties": {"thoughts": {}, "action": {}, "decision": {}}}
    assert fields_in(form, written) is None, why


async def test_tags_in_text_are_read_where_a_schema_was_asked_for() -> None:
    fault = spoilt("I take it. <ACTION>lever</ACTION>")
    with StubOpenAI(by_schema, faults=[fault]) as stub:
        seats = {"Alice": room(stub, answers="schema").seats["Alice"], "Bob": "embedded:rational"}
        outcome = await play("llm_only", RunConfig.model_validate({"seats": seats}))
        assert stub.calls == 1
    table = await table_of(home().runs.get(outcome["run"]))
    assert table["record"][0]["actions"]["Alice"] == "lever"


# Which way a seat answers


@pytest.mark.parametrize(
    ("seat", "tools", "way"),
    [
        ({"model": "openai:gpt-5-mini"}, False, "schema"),
        ({"model": "openai:gpt-5-mini"}, True, "tools"),
        ({"model": "openai:gpt-3.5-turbo"}, True, "text"),
        ({"model": "openai:my-own"}, False, "text"),
        ({"model": "openai:my-own"}, True, "tools"),
        ({"model": "openai:my-own", "answers": "schema"}, True, "schema"),
        ({"model": "openai:gpt-5-mini", "answers": "text"}, True, "text"),
        ({"model": "embedded:rational"}, True, "text"),
    ],
)
def test_auto_takes_what_the_model_is_known_to_support(
    seat: dict[str, Any], tools: bool, way: str
) -> None:
    given = Seat.model_validate(seat)
    assert answers_of(given, chat_model(given, agent="Alice", seed=0), tools) == way
