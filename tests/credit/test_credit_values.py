"""Equal and proportional values by their definitions, and values of many agents."""

from fractions import Fraction

import pytest

from shapley_coop.credit.attribution import attribute_by, payoffs_by_norm
from shapley_coop.credit.characteristic import Characteristic
from shapley_coop.credit.norms import norm
from shapley_coop.credit.values.sampled import EVALUATIONS_PER_AGENT


def test_equal_and_proportional_divide_the_surplus() -> None:
    table = [10, 11, 13, 10 + 20]
    assert norm("equal")(table) == [10, 10]
    assert norm("proportional")(table) == [5, 15]


@pytest.mark.parametrize("name", ["shapley", "equal", "proportional", "leave_one_out"])
def test_many_agents_are_valued_without_looking_at_every_coalition(name: str) -> None:
    """24 agents, of whom each adds its number: the value of each is what it adds."""
    agents = [str(n) for n in range(1, 25)]
    asked: set[frozenset[str]] = set()

    def worth(coalition: frozenset[str]) -> Fraction:
        asked.add(coalition)
        return Fraction(sum(map(int, coalition)))

    found = attribute_by(Characteristic(agents, worth), name)
    assert len(asked) <= EVALUATIONS_PER_AGENT * len(agents)
    assert found.total == 300
    assert (found.standard_error is None) == (name != "shapley")
    expected = dict.fromkeys(agents, 12.5) if name == "equal" else {a: float(a) for a in agents}
    assert {a: float(x) for a, x in found.values.items()} == pytest.approx(expected)
    assert sum(payoffs_by_norm(Characteristic(agents, worth))(name, Fraction(600)).values()) == 600


def test_an_unknown_norm_is_refused() -> None:
    with pytest.raises(ValueError, match="no norm 'luck'"):
        payoffs_by_norm(Characteristic(["a"], lambda c: Fraction(1)))("luck", Fraction(1))
