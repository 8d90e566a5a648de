"""A split of the total as sums of money: after the play people know what they divide.

>>> as_sums([{"kind": "share", "fractions": {"Ada": "3/8", "Ben": "5/8"}}], Fraction(500))
[{'kind': 'share', 'fractions': {'Ada': '187.5', 'Ben': '312.5'}}]
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from shapley_coop.amounts import plain
from shapley_coop.deals.language.clauses import Share
from shapley_coop.deals.language.deal import Deal
from shapley_coop.prompts.computed import amount
from shapley_coop.state.evaluated import EvaluatedTable


def as_sums(clauses: Sequence[dict[str, Any]], total: Fraction) -> list[dict[str, Any]]:
    """Return a form's clauses with the parts of each split as amounts of money."""
    return [
        {**clause, "fractions": {a: plain(total * Fraction(x)) for a, x in parts.items()}}
        if (parts := clause.get("fractions"))
        else clause
        for clause in clauses
    ]


def deal_text(deal: Deal, evaluated: EvaluatedTable) -> str:
    """Return a deal's text; once the play is over, its split is in amounts of money."""
    text = deal.text()
    for clause in deal.clauses:
        if isinstance(clause, Share) and clause.fractions and evaluated.over:
            parts = (f"{a} {amount(evaluated.total * x)}" for a, x in clause.fractions.items())
            told = f"At the end the total is split: {', '.join(parts)} {evaluated.game.currency}"
            text = text.replace(clause.words(), f"{told.strip()}.")
    return text
