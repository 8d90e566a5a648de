"""A symmetric game is a formula, which is played by its table where no extension plays formulas."""

from itertools import product

import pytest

from shapley_coop.amounts import exact
from shapley_coop.extension import offered
from shapley_coop.games import GameError, load
from shapley_coop.games.table import PayoffTable

SEVEN = [
    ("public_goods", {"agents": 7, "multiplier": 1.7}),
    ("public_goods", {"agents": 6, "levels": 2}),
    ("volunteers", {"agents": 7}),
    ("escape_room", {"agents": 7, "levers": 3}),
]


@pytest.fixture
def _no_formulas(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "shapley_coop.games.symmetric.extension.offered",
        lambda kind: {} if kind == "formulas" else offered(kind),
    )


@pytest.mark.parametrize(("name", "params"), SEVEN)
def test_without_an_extension_every_turn_pays_the_same(name, params, request) -> None:
    by_formula = load(name, params)
    request.getfixturevalue("_no_formulas")
    by_table = load(name, params)
    assert isinstance(by_table.payoffs, PayoffTable)  # type: ignore[attr-defined]
    choices = [[*acts, None] for acts in list(by_table.actions.values())[:4]]
    rest = list(by_table.agents)[4:]
    for play in product(*choices):
        done = dict.fromkeys(rest, by_table.actions[rest[0]][-1])
        done |= {a: x for a, x in zip(by_table.agents, play, strict=False) if x is not None}
        told, found = (g.step(g.start(), done).rewards for g in (by_formula, by_table))
        assert {a: exact(x) for a, x in told.items()} == {a: exact(x) for a, x in found.items()}
    assert by_table.baseline == by_formula.baseline
    assert by_table.facts()["payoffs"]


@pytest.mark.usefixtures("_no_formulas")
def test_without_an_extension_a_table_that_is_too_long_is_refused_at_once() -> None:
    with pytest.raises(GameError, match="20 agents have more than 100000 joint actions"):
        load("volunteers", {"agents": 20})
