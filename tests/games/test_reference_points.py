"""Each game brings what its outcomes are compared with."""

from collections.abc import Mapping
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from shapley_coop.deals.language.clauses import Share
from shapley_coop.deals.language.deal import Deal
from shapley_coop.evals.measures.reference_points import yardstick
from shapley_coop.games import Game, load
from shapley_coop.games.matrix import MatrixGame
from shapley_coop.games.reference_points import best_total
from shapley_coop.games.turns import Step, realised_total
from shapley_coop.state.run_config import RunConfig
from tests.brought import brought_by
from tests.credit.credit_plays import at_random, credited
from tests.games.test_own_game import ORCHARD


def brute_force(game: Game, position: Any) -> float:
    """The best total by playing every line, equal positions included."""
    if game.over(position):
        return 0.0
    legal = {a: acts for a in game.agents if (acts := game.legal(position, a))}
    steps = [
        game.step(position, dict(zip(legal, joint, strict=True)))
        for joint in product(*legal.values())
    ]
    return max(
        sum(after.rewards.values()) + after.pot + brute_force(game, after.position)
        for after in steps
    )


@pytest.mark.parametrize("name", ["escape_room", "stag_hunt", "prisoners_dilemma"])
def test_enumerating_a_table_finds_the_best_total_that_the_table_gives(name: str) -> None:
    game = load(name, {"rounds": 3})
    assert (
        best_total(game) == game.analysis.reference_points.best == brute_force(game, game.start())
    )


class Pile(MatrixGame):
    """A game with a state: what is taken now does not grow."""

    def start(self) -> dict[str, Any]:
        return {"turn": 1, "pile": 4}

    def legal(self, position: Mapping[str, Any], agent: str) -> list[str]:
        return [] if self.over(dict(position)) else ["take", "leave"]

    def step(self, position: Mapping[str, Any], actions: Mapping[str, str]) -> Step:
        takers = [a for a, action in actions.items() if action == "take"]
        each = position["pile"] // len(takers) if takers else 0
        rest = position["pile"] - each * len(takers)
        after = {"turn": position["turn"] + 1, "pile": min(8, 2 * rest)}
        return Step(after, {a: each if a in takers else 0 for a in self.agents})


def pile(rounds: int) -> Game:
    cells = [{"play": list(p), "pays": [0, 0]} for p in product(["take", "leave"], repeat=2)]
    actions = {agent: ["take", "leave"] for agent in ("Ann", "Ben")}
    table = {"agents": ["Ann", "Ben"], "actions": actions, "payoffs": cells, "rounds": rounds}
    return Pile(table)


def test_a_small_game_with_a_state_is_enumerated_and_equal_positions_are_played_once() -> None:
    assert best_total(pile(4)) == brute_force(pile(4), pile(4).start()) == 8
    assert best_total(pile(60)) == 8, "4 ** 60 plays, and few positions"


@brought_by("exchange")
def test_the_exchange_brings_its_front_and_values_a_plan_by_its_tasks() -> None:
    game = load("task_exchange")
    points = game.analysis.reference_points
    assert points.disagreement == {"Alice": 0.75, "Bob": 0.7}
    assert points.nash in points.efficient
    assert points.best == max(map(sum, points.efficient))
    first, *rest = [atom["action"] for atom in game.facts()["atoms"]]
    valued = points.valuation({"Alice": [first], "Bob": rest})
    assert valued is not None
    assert set(valued) == {"Alice", "Bob"}
    assert points.valuation({"Alice": [first], "Bob": [first, *rest]}) is None
    assert points.valuation({"Alice": [first]}) is None


def test_a_large_game_has_no_known_best_total(tmp_path: Path) -> None:
    """Twelve agents of three actions each have half a million joint actions."""
    orchard = tmp_path / "orchard.py"
    orchard.write_text(ORCHARD, encoding="utf-8")
    many = {"agents": [f"A{n}" for n in range(12)]}
    assert load(str(orchard), many).analysis.reference_points.best is None
    assert load(str(orchard), {"rounds": 2}).analysis.reference_points.best == 6 + 9


def test_a_norm_offer_among_many_is_valued_by_sampling() -> None:
    """24 agents have 2 ** 24 coalitions: none of them is enumerated."""
    params = {"agents": [f"A{n}" for n in range(24)]}
    game = load("escape_room", params)
    record = at_random(game, 1, passes=0.2)
    assert credited(game, record).method.startswith("sampled")
    room = RunConfig(game="escape_room", params=params).resolve().model_dump(mode="json")
    worth = yardstick(room, "shapley_coop").value(Deal(clauses=(Share(norm="shapley"),)), record)
    assert worth is not None
    assert sum(worth.values()) == pytest.approx(float(realised_total(record)))
