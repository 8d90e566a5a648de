"""The worth of each coalition of a run's agents."""

from typing import Any

from shapley_coop.credit import members
from shapley_coop.state.evaluated import EvaluatedTable

SMALL = 8
"""The most agents n for which all 2^n coalitions are shown."""

RULES = {
    "record": "v(C) = W(C) − W(∅): what all agents earn if C repeats its conduct and everybody "
    "else follows the baseline, less what they earn if everybody follows it",
    "potential": "v(C): what C can secure by the rules alone (its α-value)",
    "contribution": "v(C): what C contributed, as the game counts it",
}
"""Rule of credit → the definition of a coalition's worth in words."""


def worths(evaluated: EvaluatedTable) -> dict[str, Any] | None:
    """Return each coalition's worth v, sorted by size; None if there are over `SMALL` agents."""
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
