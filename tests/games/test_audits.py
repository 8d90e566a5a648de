"""Effects that a workflow records are held against its rule, or named where nothing knows it."""

from typing import Any

from shapley_coop.games import load
from shapley_coop.games.audits import audit

CLAIMED = {"effect": "levitated", "agent": "Alice"}


def record(actions: dict[str, str], *effects: dict[str, Any]) -> Any:
    game = load("prisoners_dilemma")
    after = game.step(game.start(), actions)
    told = [*after.effects, *effects]
    return game, [{"turn": 1, "actions": actions, "rewards": after.rewards, "effects": told}]


def test_an_effect_that_nothing_installed_can_audit_is_named() -> None:
    both = {"Alice": "cooperate", "Bob": "cooperate"}
    ((name, wrong),) = audit(*record(both, CLAIMED))
    assert name == "levitated"
    assert wrong == ["turn 1: nothing here audits it; an extension may"]


def test_an_effect_of_the_game_needs_no_audit() -> None:
    game, turns = record({"Alice": "cooperate"})
    assert turns[0]["effects"] == [{"effect": "idle", "agent": "Bob"}]
    assert list(audit(game, turns)) == []
