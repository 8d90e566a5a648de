"""The axioms that each norm keeps or breaks."""

import pytest

from shapley_coop.credit.norms import norm
from shapley_coop.credit.values.shapley import shapley
from shapley_coop.extensions.values.axioms import check_axioms, convex_game

ESCAPE_ROOM = [0, -1, -1, 9]
# A and B are interchangeable, C adds nothing.
DUO_AND_IDLER = [0, 2, 2, 10, 0, 2, 2, 10]
TABLE = [0, 1, 2, 4, 3, 6, 5, 12]


@pytest.mark.parametrize(
    ("name", "broken"),
    [
        ("shapley", set()),
        ("banzhaf", {"efficiency"}),
        ("leave_one_out", {"efficiency"}),
        ("equal", {"null_player"}),
        ("nucleolus", {"additivity"}),
        ("proportional", {"additivity"}),
    ],
)
def test_only_shapley_keeps_all_four_axioms(name: str, broken: set[str]) -> None:
    """On a game with a pair of twins and an idler, and on one where Banzhaf is not efficient."""
    games = (DUO_AND_IDLER, TABLE)
    found = set()
    for table in games:
        axioms = check_axioms(norm(name), table, convex_game(3), tol=1e-7)
        found |= {axiom for axiom, holds in axioms.items() if not holds}
    assert found == broken


def test_the_checker_sees_each_axiom_broken() -> None:
    twins_apart = check_axioms(lambda table: [table[-1], 0, 0], DUO_AND_IDLER)
    assert twins_apart == {
        "efficiency": True,
        "symmetry": False,
        "null_player": True,
        "additivity": None,
    }


def test_a_second_game_must_have_the_same_agents() -> None:
    with pytest.raises(ValueError, match="the second game has 4 worths"):
        check_axioms(shapley, TABLE, ESCAPE_ROOM)


def test_the_checker_scales_its_tolerance_with_the_worths() -> None:
    huge = [worth * 1e12 for worth in TABLE]
    other = [worth * 1e11 for worth in convex_game(3)]
    assert all(check_axioms(shapley, huge, other).values())
    off = check_axioms(lambda table: shapley(table) * (1 + 1e-6), huge)
    assert off["efficiency"] is False
