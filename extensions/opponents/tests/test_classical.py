"""Strategies of the iterated prisoner's dilemma at our table: known totals, and no talk."""

from dataclasses import replace
from itertools import combinations_with_replacement

import pytest

from shapley_coop.extensions.opponents import classical
from shapley_coop.graphs.running import play
from shapley_coop.state.run_config import RunConfig

PAYS = {"CC": [3, 3], "CD": [0, 5], "DC": [5, 0], "DD": [1, 1]}
"""The usual payoffs: reward 3, temptation 5, sucker 0, punishment 1."""

TOTALS = {
    "cooperator": [(30, 30), (0, 50), (30, 30), (27, 32), (30, 30), (30, 30)],
    "defector": [(10, 10), (14, 9), (10, 10), (14, 9), (30, 5)],
    "tit_for_tat": [(30, 30), (25, 25), (30, 30), (30, 30)],
    "suspicious_tit_for_tat": [(10, 10), (13, 13), (23, 18)],
    "grudger": [(30, 30), (30, 30)],
    "win_stay_lose_shift": [(30, 30)],
}
"""Totals of ten turns against each strategy from itself on, as Axelrod 4.14.0 scores them:
`Match((Cooperator(), Defector()), turns=10).final_score()`, and so on."""


def game(cooperate: str = "cooperate", defect: str = "defect") -> dict[str, object]:
    named = {"C": cooperate, "D": defect}
    return {
        "name": "dilemma",
        "agents": ["Alice", "Bob"],
        "actions": {agent: [cooperate, defect] for agent in ("Alice", "Bob")},
        "payoffs": [{"play": [named[a], named[b]], "pays": pays} for (a, b), pays in PAYS.items()],
        "rounds": 10,
    }


def room(alice: str, bob: str, **more: object) -> RunConfig:
    seats = {
        agent: f"python:shapley_coop.extensions.opponents.classical:{name}"
        for agent, name in (("Alice", alice), ("Bob", bob))
    }
    return RunConfig.model_validate({"game": game(), "seats": seats, **more})


PAIRS = list(combinations_with_replacement(classical.SHIPPED, 2))


@pytest.mark.parametrize(
    ("first", "second"),
    # Each strategy against tit for tat; the others are for `make proofs`.
    [
        pytest.param(*pair, marks=[] if "tit_for_tat" in pair else pytest.mark.slow)
        for pair in PAIRS
    ],
)
async def test_ten_turns_come_to_the_known_totals(first: str, second: str) -> None:
    outcome = await play("llm_only", room(first, second))
    names = list(classical.SHIPPED)
    known = TOTALS[first][names.index(second) - names.index(first)]
    assert outcome["rewards"] == dict(zip(("Alice", "Bob"), known, strict=True))
    assert outcome["simulated"] is False


@pytest.mark.parametrize("graph", ["negotiation", "short_term", "shapley_coop", "contracts"])
async def test_a_strategy_plays_every_workflow_without_a_deal(graph: str) -> None:
    outcome = await play(graph, room("tit_for_tat", "defector"))
    assert outcome["rewards"] == {"Alice": 9, "Bob": 14}


def test_whoever_takes_no_action_has_not_cooperated() -> None:
    letter = {"ask": "act", "you": "Al", "agents": ["Al", "Bo"], "legal": ["defect", "cooperate"]}
    history = [{"did": {"Al": "cooperate"}}]
    answer = classical.tit_for_tat(agent="Al", seed=0)
    assert answer({**letter, "history": history}, "") == {"action": "defect"}


def test_other_actions_can_stand_for_the_two_moves() -> None:
    hunter = replace(classical.tit_for_tat, cooperate="stag", defect="hare")
    letter = {"ask": "act", "you": "Al", "agents": ["Al", "Bo"], "legal": ["hare", "stag"]}
    history = [{"did": {"Al": "stag", "Bo": "hare"}}]
    answer = hunter(agent="Al", seed=0)
    assert answer({**letter, "history": []}, "") == {"action": "stag"}
    assert answer({**letter, "history": history}, "") == {"action": "hare"}
    hunter.check_actions({"Al": ["hare", "stag"], "Bo": ["stag", "hare"]})
    with pytest.raises(ValueError, match="cooperate and defect, and this game is of 3"):
        classical.tit_for_tat.check_actions({a: ["cooperate", "defect"] for a in "abc"})
    with pytest.raises(ValueError, match="actions \\['cooperate', 'defect'\\]"):
        classical.tit_for_tat(agent="Al", seed=0)({**letter, "history": []}, "")
