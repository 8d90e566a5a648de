"""Tasks are handed over by hand, and nobody is left without one."""

import pytest

from shapley_coop.extensions.exchange.domain.hands import hand
from shapley_coop.extensions.exchange.game import TaskExchange
from shapley_coop.games import GameError, load
from shapley_coop.graphs.running import play
from shapley_coop.state.run_config import RunConfig


def exchange(agents: int, atoms: int, seed: int) -> TaskExchange:
    names = ["A", "B", "C", "D"][:agents]
    told = {"scenario": "generated", "agents": names, "atoms": atoms, "competition": 0.1}
    game = load("task_exchange", told, seed)
    assert isinstance(game, TaskExchange)
    return game


def test_last_tasks_are_swapped_and_never_given_away() -> None:
    game = exchange(2, 2, 0)
    mine, yours = game.tasks.initial.values()
    of_a, of_b = (game.tasks.names[0 if mask == 2 else 1] for mask in (mine, yours))
    ring = {"A": hand(of_a, "B"), "B": hand(of_b, "A")}
    assert game.step(game.start(), ring).position["holds"] == {
        "A": game.tasks.bits(yours),
        "B": game.tasks.bits(mine),
    }
    with pytest.raises(GameError, match="A cannot"):
        game.step(game.start(), {"A": hand(of_a, "B")})


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
