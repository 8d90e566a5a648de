"""What docs/attacks.md says cannot hold against one owner with several seats, shown in numbers."""

from collections.abc import Callable
from fractions import Fraction

from shapley_coop.credit import shapley_exact, worth_table
from shapley_coop.credit.norms import norm


def due(agents: str, worth: Callable[[frozenset[str]], int]) -> dict[str, Fraction]:
    table = worth_table(list(agents), worth)
    return dict(zip(agents, shapley_exact(table), strict=True))


def test_needed_work_that_is_spread_over_two_seats_is_due_more() -> None:
    """A and B are both needed; A sits at two seats, of which each does a half that is needed."""
    whole = due("AB", lambda who: 6 * (who == frozenset("AB")))
    spread = due("aAB", lambda who: 6 * (who == frozenset("aAB")))
    assert whole["A"] == 3
    assert spread["a"] + spread["A"] == 4


def test_work_that_adds_up_is_due_the_same_however_it_is_spread() -> None:
    whole = due("AB", lambda who: 4 * ("A" in who) + 2 * ("B" in who))
    spread = due("aAB", lambda who: 2 * ("a" in who) + 2 * ("A" in who) + 2 * ("B" in who))
    assert whole["A"] == spread["a"] + spread["A"] == 4
    idle = due("aAB", lambda who: 4 * ("A" in who) + 2 * ("B" in who))
    assert (idle["a"], idle["A"]) == (0, 4), "and a seat that does nothing adds nothing"


def test_an_equal_split_pays_by_the_seat() -> None:
    for agents, part in (("AB", Fraction(3)), ("aAB", Fraction(2))):
        table = worth_table(list(agents), lambda who, agents=agents: 6 * (len(who) == len(agents)))
        assert set(norm("equal")(table)) == {part}
