"""Prices: the payments that turn a plan's earnings into an agent's target payoffs."""

from collections.abc import Sequence
from fractions import Fraction

from shapley_coop.amounts import plain
from shapley_coop.deals.language.clauses import Pay
from shapley_coop.deals.language.deal import Deal
from shapley_coop.deals.language.effects import OTHERS
from shapley_coop.deals.language.when import Event, Last
from shapley_coop.games.foresight import Payoffs
from shapley_coop.seats.embedded.outlook import Outlook, transfers_to

MOST_PAID = 16
"""Most payees of a deal among many agents; if it needs more payees, it has no payments."""


def prices(outlook: Outlook, target: Payoffs) -> list[Pay]:
    """Return payments that turn the plan's earnings into a target, if payees act by the plan.

    In games of many equal agents, all agents but the payee share each payment equally.

    Args:
        outlook: the agent's expectations, with its plan (`together`).
        target: the payoffs that the agent aims for.
    """
    parts = {c.agent: Last(last=Event(agent=c.agent, action=c.action)) for c in outlook.together}
    due = transfers_to(target, outlook.value(Deal(clauses=tuple(outlook.together))))
    due = _by_all_others(due) if outlook.world.speaks_of_all else due
    return [
        Pay(payer=payer, payee=payee, amount=plain(amount), when=parts.get(payee, "always"))
        for payer, payee, amount in due
    ]


def _by_all_others(due: Sequence[tuple[str, str, Fraction]]) -> list[tuple[str, str, Fraction]]:
    sums: dict[str, Fraction] = {}
    for _, payee, amount in due:
        sums[payee] = sums.get(payee, Fraction(0)) + amount
    return [(OTHERS, payee, x) for payee, x in sums.items()] if len(sums) <= MOST_PAID else []
