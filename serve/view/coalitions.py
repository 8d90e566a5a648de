"""Coalitions: what each is worth, and which could complain most about the payoffs."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import partial
from typing import Any

from shapley_coop.amounts import MICRO
from shapley_coop.credit import members, worth_table
from shapley_coop.state.evaluated import EvaluatedTable

SMALL = 8
"""With up to this many agents, each drawing of the page evaluates every coalition."""

EXACT = 2 / MICRO
"""Amounts that differ by less than this, in the game's unit, differ by rounding."""

SEEN = 0.0005
"""An excess below this is none: pages write three decimals, and games round rewards each turn."""

RULES = {
    "record": "v(C) = W(C) − W(∅): what all agents earn if C repeats its conduct and everybody "
    "else follows the baseline, less what they earn if everybody follows it",
    "potential": "v(C): what C can secure by the rules alone (its α-value)",
    "contribution": "v(C): what C contributed, as the game counts it",
}
"""Rule of credit → what a coalition's worth is, in words."""


def worths(evaluated: EvaluatedTable) -> dict[str, Any] | None:
    """v of every coalition, by size; None with too many agents to draw."""
    agents = evaluated.agents
    if len(agents) > SMALL:
        return None
    table = evaluated.characteristic.worths()
    masks = sorted(range(len(table)), key=lambda mask: (mask.bit_count(), mask))
    rule = evaluated.game.analysis.credit_rule
    return {
        "words": RULES.get(rule, "v(C): as the game counts it"),
        "each": [
            {"members": list(members(mask, agents)), "worth": float(table[mask])} for mask in masks
        ],
    }


def complaint(evaluated: EvaluatedTable, payoffs: Mapping[str, float]) -> dict[str, Any] | None:
    """Return the coalition with the greatest excess e(C) = v(C) − x(C), 0 < |C| < n.

    By the record, x(C) is what its members have beyond their baselines: with a positive excess its
    conduct alone improved the total by more than that. By the rules alone, x(C) is what they have,
    and with a positive excess it could do better by itself. In both cases the payoffs are outside
    the core of v. None where v is not in the unit of payoffs, or there are too many agents.
    """
    if len(evaluated.agents) > SMALL:
        return None
    paid = {agent: Fraction(str(x)) for agent, x in payoffs.items()}
    alone = evaluated.characteristic.alone
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
        return None  # v(N) was not what was paid out: part of it was taxed, or the units differ

    def excess(mask: int) -> Fraction:
        return table[mask] - sum(held[agent] for agent in members(mask, agents))

    # Of equal excesses the first mask wins, which is the smallest coalition.
    greatest = max(range(1, len(table) - 1), key=excess)
    most = float(excess(greatest))
    return {
        "by": by,
        "members": list(members(greatest, agents)),
        "excess": most if abs(most) >= SEEN else 0.0,
    }
