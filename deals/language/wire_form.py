"""The JSON that an agent would write for a deal. Reading this JSON gives the same deal.

>>> from shapley_coop.deals.language.clauses import Do, Pay
>>> from shapley_coop.deals.language.deal import Deal
>>> from shapley_coop.deals.language.when import Turns
>>> wire_form(Do(agent="Bob", action="lever", when=Turns(turns=(2, 4))))
{'kind': 'do', 'agent': 'Bob', 'action': 'lever', 'when': {'from': 2, 'to': 4}}
>>> wire_form(Deal(clauses=[Pay(payer="Ann", payee="Bob", amount="1/2", basis="reward")]))
{'clauses': [{'kind': 'pay', 'payer': 'Ann', 'payee': 'Bob', 'amount': 0.5, 'per': 'reward'}]}

The JSON of a record (`Deal.record`) differs: the key `per` of a payment is `basis`, and every
condition on turns is a range.
"""

from typing import Any

from shapley_coop.deals.language.clauses import Clause
from shapley_coop.deals.language.deal import Deal


def wire_form(deal: Deal | Clause) -> dict[str, Any]:
    """Return the JSON that an agent would write for a deal or for one clause."""
    if not isinstance(deal, Deal):
        return deal.wire()
    written: dict[str, Any] = {"clauses": [clause.wire() for clause in deal.clauses]}
    return {**written, "drops": list(deal.drops)} if deal.drops else written
