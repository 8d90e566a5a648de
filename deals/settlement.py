"""Who ends up with what under a deal, given what was done."""

from collections.abc import Callable, Sequence
from fractions import Fraction

from deals.deal import Deal
from deals.monitor import payments
from games import Turn

NormPayoffs = Callable[[str, Fraction], dict[str, Fraction]]
"""From a norm's name and the total to every agent's payoff, computed from the record."""


def earned(record: Sequence[Turn], agents: Sequence[str]) -> dict[str, Fraction]:
    """What each agent holds before anything is settled: its rewards, and an even part of the pot.

    Nobody owns the pot; where nothing else is agreed, everybody gets the same of it.
    """
    pot = sum((_exact(turn.get("pot", 0)) for turn in record), start=Fraction(0))
    return {
        agent: sum((_exact(turn["rewards"].get(agent, 0)) for turn in record), start=Fraction(0))
        + pot / len(agents)
        for agent in agents
    }


def payoffs(
    deal: Deal, record: Sequence[Turn], agents: Sequence[str], by_norm: NormPayoffs, since: int = 1
) -> dict[str, Fraction]:
    """Every agent's final payoff: the total is split by `Share`, then `Pay` clauses are made.

    Without a `Share` everybody keeps what it earned. The sum is always the realised total.

    Args:
        deal: a contract or a redistribution.
        record: the finished play.
        agents: the parties.
        by_norm: computes a named norm.
        since: the turn from which the deal stands.
    """
    held = earned(record, agents)
    total = sum(held.values(), start=Fraction(0))
    if deal.share and deal.share.norm:
        held = by_norm(deal.share.norm, total)
    elif deal.share and deal.share.fractions:
        held = {agent: total * deal.share.fractions[agent] for agent in agents}
    for payment in payments(deal, record, since):
        held[payment.payer] -= payment.amount
        held[payment.payee] += payment.amount
    return held


def _exact(amount: int | float) -> Fraction:
    return Fraction(str(amount))
