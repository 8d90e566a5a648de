"""The implementation of `games.symmetric.Formulas` by counts."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

from shapley_coop.amounts import exact
from shapley_coop.extensions.many.counts import Counts
from shapley_coop.extensions.many.foresight import Counting
from shapley_coop.extensions.many.payoffs import CountedPayoffs
from shapley_coop.games.matrix import MAX_PAYOFF
from shapley_coop.games.symmetric import Formula

Foresight = Counting


def payoffs(agents: Sequence[str], formula: Formula, rounds: int) -> CountedPayoffs:
    """Return the payoffs of a formula, which replace a payoff table.

    Raises:
        ValueError: a payoff exceeds `MAX_PAYOFF`, or `Counts` refuses the formula.
    """
    counts = Counts(list(formula), len(agents), formula)
    if counts.extreme * rounds > MAX_PAYOFF:
        raise ValueError(f"each agent's payoffs over all rounds may sum to at most {MAX_PAYOFF}")
    return CountedPayoffs(agents, counts)


def listed(facts: Mapping[str, Any]) -> dict[tuple[str, ...], tuple[Fraction, ...]]:
    """Return joint action → payoffs, from the facts of a letter."""
    counts, pays = Counts.of(facts), {}
    for play in product(*(facts["actions"][agent] for agent in facts["agents"])):
        total = sum(counts.code[action] for action in play)
        own = (counts.pay(action, total - counts.code[action]) for action in play)
        pays[tuple(play)] = tuple(exact(x) for x in own)
    return pays
