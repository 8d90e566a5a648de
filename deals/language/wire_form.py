"""A deal as the JSON that a model would write, which reads back to the same deal."""

from typing import Any

from shapley_coop.deals.language.clauses import Clause
from shapley_coop.deals.language.deal import Deal


def wire_form(deal: Deal | Clause) -> dict[str, Any]:
    """The JSON of a deal or of one clause, without what may be left out."""
    if isinstance(deal, Deal):
        drops = {"drops": list(deal.drops)} if deal.drops else {}
        return {"clauses": [wire_form(clause) for clause in deal.clauses], **drops}
    written = deal.model_dump(mode="json", exclude_none=True)
    if written.get("when") == "always":
        del written["when"]
    return written
