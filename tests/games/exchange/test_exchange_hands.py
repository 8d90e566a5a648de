"""What was agreed can always be handed over: nobody is left without a task in between."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shapley_coop.games import GameError, Position, load
from shapley_coop.games.exchange.hands import hand
from shapley_coop.games.task_exchange import TaskExchange
from shapley_coop.graphs.running import play
from shapley_coop.state.run_config import RunConfig


def exchange(agents: int, atoms: int, seed: int) -> TaskExchange:
    names = ["A", "B", "C", "D"][:agents]
    told = {"scenario": "generated", "agents": names, "atoms": atoms, "competition": 0.1}
    game = load("task_exchange", told, seed)
    assert isinstance(game, TaskExchange)
    return game


def traded(game: TaskExchange, masks: dict[str, int]) -> Position:
    position = game.start()
    for actions in game.hands(masks):
        position = game.step(position, actions).position
        assert all("1" in bits for bits in position["holds"].values())
    return position


@given(st.integers(2, 4), st.integers(4, 7), st.integers(0, 30), st.randoms(use_true_random=False))
def test_every_allocation_that_leaves_nobody_empty_is_traded(
    agents: int, atoms: int, seed: int, dice: Random
) -> None:
    game = exchange(agents, atoms, seed)
    owners = [*game.agents, *dice.choices(game.agents, k=atoms - agents)]
    dice.shuffle(owners)
    bits = {name: "".join("01"[owner == name] for owner in owners) for name in game.agents}
    position = traded(game, {name: int(mask, 2) for name, mask in bits.items()})
    assert position["holds"] == bits
    assert position["closed"]


def test_last_tasks_are_swapped_and_never_given_away() -> None:
    game = exchange(2, 2, 0)
    (mine, yours) = game.tasks.initial.values()
    assert traded(game, {"A": yours, "B": mine})["holds"] == {
        "A": game.tasks.bits(yours),
        "B": game.tasks.bits(mine),
    }
    name = game.tasks.names[0 if mine == 2 else 1]
    with pytest.raises(GameError, match="A cannot"):
        game.step(game.start(), {"A": hand(name, "B")})


async def test_a_trade_of_last_tasks_is_played_to_its_end() -> None:
    room = RunConfig(
        game="task_exchange",
        seed=4,
        params={
            "scenario": "generated",
            "agents": ["A", "B", "C", "D"],
            "atoms": 8,
            "competition": 0.1,
        },
    )
    outcome = await play("task_exchange", room)
    assert outcome["status"] == "agreed"
