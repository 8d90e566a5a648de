"""Progress is told in typed events, in order, and tells nothing private."""

import json
import re
from typing import Any

import pytest
from pydantic import TypeAdapter

from shapley_coop.graphs import builder, names
from shapley_coop.state.events import AgentProgress, Answered, Asked
from shapley_coop.state.run_config import RunConfig
from tests.root import ROOT

PAGE = (ROOT / "docs" / "events.md").read_text(encoding="utf-8")
EVENTS: TypeAdapter[Any] = TypeAdapter(Asked | Answered)


async def told(graph: str) -> list[dict[str, Any]]:
    app = builder(graph).compile()
    stream = app.astream({}, context=RunConfig(), stream_mode="custom")
    return [event async for event in stream]


@pytest.mark.parametrize("graph", names())
async def test_whoever_is_asked_is_told_before_and_after(graph: str) -> None:
    events = await told(graph)
    assert events
    for before, after in zip(events[::2], events[1::2], strict=True):
        assert (before["event"], after["event"]) == ("asking", "answered")
        assert list(after["agents"]) == before["agents"]
        same = ("topic", "phase", "turn", "round")
        assert [before[key] for key in same] == [after[key] for key in same]
    for event in events:
        assert EVENTS.validate_python(event, strict=True) == json.loads(json.dumps(event))


async def test_a_sealed_move_is_not_told() -> None:
    moves = [e for e in await told("llm_only") if e["event"] == "answered"]
    assert {heard["act"] for move in moves for heard in move["agents"].values()} == {"act"}
    assert "lever" not in json.dumps(moves)


def test_the_page_explains_every_key_and_its_examples_are_sound() -> None:
    explained = set(re.findall(r"`(\w+)`", PAGE.partition("|---|---|")[2]))
    assert Asked.__annotations__.keys() | Answered.__annotations__.keys() <= explained
    assert AgentProgress.__annotations__.keys() <= explained
    block = PAGE.partition("```json\n")[2].partition("```")[0]
    decoder, rest = json.JSONDecoder(), block.strip()
    while rest:
        event, end = decoder.raw_decode(rest)
        EVENTS.validate_python(event, strict=True)
        rest = rest[end:].strip()
