"""Work that is delivered: its values are what was paid, and wrong counts are refused."""

from functools import partial
from typing import Any

import numpy as np
import pytest

from shapley_coop.amounts import MICRO
from shapley_coop.credit import Characteristic, attribute_by
from shapley_coop.games import GameError, Turn, load


def test_the_papers_company_is_the_default_and_its_values_are_what_was_paid() -> None:
    game = load("delivered")
    step = game.step(game.start(), {})
    assert step.rewards == {
        "CEO": 14.12,
        "Counselor": 4.84,
        "CPO": 11.16,
        "CTO": 9.42,
        "Programmer": 44.06,
        "Reviewer": 16.4,
    }
    record: list[Turn] = [{"turn": 1, "actions": {}, "rewards": step.rewards}]
    found = attribute_by(Characteristic(game.agents, partial(game.analysis.worth, record)))
    assert {a: float(x) for a, x in found.values.items()} == step.rewards


def test_many_contributors_are_reckoned_without_error() -> None:
    artefacts = {f"Dev{n}": {"code": n + 1} for n in range(40)}
    game = load("delivered", {"artefacts": artefacts, "bounty": 1000})
    rewards = game.step(game.start(), {}).rewards
    record: list[Turn] = [{"turn": 1, "actions": {}, "rewards": rewards}]
    found = attribute_by(
        Characteristic(
            game.agents, partial(game.analysis.worth, record), game.analysis.batch_worth(record)
        )
    )
    assert np.allclose([float(x) for x in found.values.values()], list(rewards.values()))
    assert max((found.standard_error or {}).values()) < 1 / MICRO


@pytest.mark.parametrize(
    ("params", "complaint"),
    [
        ({"artefacts": {"A": {"code": 1}}}, "give 2 or more"),
        ({"artefacts": {"A": {"code": 1}, "B": {"cake": 1}}}, "have no weight"),
        ({"artefacts": {"A": {"code": -1}, "B": {}}}, "negative"),
        ({"agents": ["A", "B"]}, "name different people"),
        ({"bounty": 0.001}, "more than 2 decimals"),
        ({"weights": {"code": [40, 20]}, "artefacts": {"A": {}, "B": {}}}, "weight of code"),
        ({"artefacts": {"A": {"code": "x"}, "B": {}}}, "not a count"),
        ({"artefacts": {"A": {"code": "1/0"}, "B": {}}}, "not a count"),
    ],
)
def test_wrong_counts_are_refused_in_one_line(params: dict[str, Any], complaint: str) -> None:
    with pytest.raises(GameError, match=complaint) as caught:
        load("delivered", params)
    assert "\n" not in str(caught.value)
