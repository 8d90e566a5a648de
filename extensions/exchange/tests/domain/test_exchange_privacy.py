"""What a task is worth to an agent reaches nobody else, in any workflow of exchange."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from langgraph.checkpoint.memory import InMemorySaver

from extensions.exchange.tests.exchanging import BOTH, UNCHECKED
from shapley_coop.extensions.exchange.domain.masks import to_bits
from shapley_coop.games import load
from shapley_coop.graphs import builder
from shapley_coop.state.run_config import RunConfig
from tests.scripted import Script


def with_canaries(tmp_path: Path) -> tuple[str, dict[str, set[str]]]:
    """A scenario file in which no utility of one agent is one of the other's."""
    raw = {
        agent: {to_bits(mask, 6): (mask * step) % 97 + 0.37 * (k + 1) for mask in range(1, 64)}
        for k, (agent, step) in enumerate([("Alice", 31), ("Bob", 57)])
    }
    page = {
        "atoms": [{"task": f"tool{i}", "says": f"Do part {i}"} for i in range(6)],
        "initial": {"Alice": "111000", "Bob": "000111"},
        "utilities": raw,
    }
    path = tmp_path / "canaries.yaml"
    path.write_text(yaml.safe_dump(page))
    game = load("task_exchange", {"scenario": str(path)})
    shown = {a: {str(u) for u in game.private(a)["utilities"].values()} for a in raw}
    told = {
        a: {u for u in shown[a] if len(u) > 6} - shown[b]
        for a, b in (("Alice", "Bob"), ("Bob", "Alice"))
    }
    assert all(len(values) > 50 for values in told.values())
    return str(path), told


@pytest.fixture
def canaries(tmp_path: Path) -> tuple[str, dict[str, set[str]]]:
    """Such a file, and what is secret in it."""
    return with_canaries(tmp_path)


def told(written: Any) -> str:
    """Return an update as text, without the seconds that a call took.

    A measured time has so many digits that now and then it begins like somebody's utility.
    """
    text = json.dumps(written, default=str)
    return re.sub(r'"seconds": [-+.e\d]+', '"seconds": 0', text)


async def published(graph: str, path: str) -> tuple[list[str], str]:
    """All that the nodes of a play write on the table: before the last turn, and in it.

    What was realised is paid with the last turn and is public then, as in every game.
    """
    saver, config = InMemorySaver(), {"configurable": {"thread_id": "t"}, "recursion_limit": 500}
    app = builder(graph).compile(checkpointer=saver)
    room = RunConfig(game="task_exchange", params={"scenario": path}, seed=2)
    public = []
    async for update in app.astream(
        {"room": room}, config, context=RunConfig(), stream_mode="updates"
    ):
        public += [told(written) for node, written in update.items() if node != "settle"]
    *before, last = public
    return before, last


@pytest.mark.parametrize("graph", [BOTH, UNCHECKED])
async def test_no_utility_reaches_anybody_but_its_owner(
    script: Script, canaries: tuple[str, dict[str, set[str]]], graph: str
) -> None:
    await check_no_utility_leaks(script, graph, *canaries)


async def check_no_utility_leaks(
    script: Script, graph: str, path: str, secret: dict[str, set[str]]
) -> None:
    before, last = await published(graph, path)
    for owner, other in (("Alice", "Bob"), ("Bob", "Alice")):
        for letter in script.shown_to(other):
            assert not [u for u in secret[owner] if u in letter + json.dumps(letter.facts)]
        own = script.shown_to(owner, "exchange")[0]
        assert all(u in json.dumps(own.facts) for u in secret[owner])
        assert any(f"{float(u):.3g}" in own for u in secret[owner]), "in few digits"
        for update in before:
            assert not [u for u in secret[owner] if u in update]
    assert '"rewards"' in last


def test_nothing_public_of_the_game_holds_a_utility(
    canaries: tuple[str, dict[str, set[str]]],
) -> None:
    path, secret = canaries
    game = load("task_exchange", {"scenario": path})
    position = game.start()
    public = [game.rules(), json.dumps(game.facts()), json.dumps(game.actions), repr(game.params)]
    while not game.over(position):
        public += [json.dumps(game.view(position, agent)) for agent in game.agents]
        actions = {a: game.legal(position, a)[0] for a in game.agents if game.legal(position, a)}
        position = game.step(position, actions).position
        public.append(json.dumps(position))
    for text in public:
        assert not [u for values in secret.values() for u in values if u in text]
