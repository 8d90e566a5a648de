"""The coalition with the greatest excess, which has most reason to complain of its payoffs."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import partial
from typing import Any

from shapley_coop.amounts import MICRO
from shapley_coop.credit import members, worth_table
from shapley_coop.evals.measures.coalitions import SMALL
from shapley_coop.state.evaluated import EvaluatedTable

SEEN = 0.0005
"""An excess below this amount counts as 0, as pages show three decimals and games round rewards."""


def complaint(evaluated: EvaluatedTable, payoffs: Mapping[str, float]) -> dict[str, Any] | None:
    """Return the coalition C, 0 < |C| < n, with the greatest excess e(C) = v(C) − x(C).

    If the game has baselines, v(C) is C's worth by the record, and x(C) sums the members' payoffs
    minus their baselines. Otherwise v(C) is what C can secure by the rules, and x(C) sums payoffs.
    In both cases, e(C) > 0 means that the payoffs are outside the core of v. Return None if v and
    payoffs differ in unit, v(N) was not paid out, or n > `SMALL`.
    """
    if len(evaluated.agents) > SMALL:
        return None
    paid = {agent: Fraction(str(x)) for agent, x in payoffs.items()}
    alone = evaluated.characteristic.at_baseline
    if alone is not None:
        gained = {agent: paid[agent] - alone[agent] for agent in evaluated.agents}
        return _greatest("record", evaluated.agents, evaluated.characteristic.worths(), gained)
    if not evaluated.game.analysis.has_potential:
        return None
    secured = partial(evaluated.game.analysis.potential, evaluated.record)
    return _greatest("potential", evaluated.agents, worth_table(evaluated.agents, secured), paid)


def _greatest(
    by: str, agents: Sequence[str], table: Sequence[Fraction], held: Mapping[str, Fraction]
) -> dict[str, Any] | None:
    if abs(table[-1] - sum(held.values())) > Fraction(1, MICRO):
        return None  # a tax, or different units: the payoffs do not sum to v(N)

    def excess(mask: int) -> Fraction:
        return table[mask] - sum(held[agent] for agent in members(mask, agents))

    # Ties go to the smallest mask.
    greatest = max(range(1, len(table) - 1), key=excess)
    most = float(excess(greatest))
    return {
        "by": by,
        "members": list(members(greatest, agents)),
        "excess": most if abs(most) >= SEEN else 0.0,
    }
