"""Settlement: each agent's final payoff under a deal, given the record."""

from collections.abc import Callable, Sequence
from fractions import Fraction

from shapley_coop.amounts import exact
from shapley_coop.deals.language.clauses import Share
from shapley_coop.deals.monitor import Payment
from shapley_coop.games import Turn

NormPayoffs = Callable[[str, Fraction], dict[str, Fraction]]
"""From a norm's name and the total to every agent's payoff, computed from the record."""


def earned(record: Sequence[Turn], agents: Sequence[str]) -> dict[str, Fraction]:
    """What each agent holds before settlement: its rewards and an equal part of the pot."""
    pot = sum((exact(turn.get("pot", 0)) for turn in record), start=Fraction(0))
    return {
        agent: sum((exact(turn["rewards"].get(agent, 0)) for turn in record), start=Fraction(0))
        + pot / len(agents)
        for agent in agents
    }


def payoffs(
    record: Sequence[Turn],
    agents: Sequence[str],
    share: Share | None,
    due: Sequence[Payment],
    norm_payoffs_fn: NormPayoffs,
) -> dict[str, Fraction]:
    """Every agent's final payoff: the total is split by the share, then the payments are made.

    Without a share each agent keeps what it earned. The sum is always the realised total.

    Args:
        record: the finished play.
        agents: the parties.
        share: how the total is split, if that was agreed.
        due: the payments that were agreed.
        norm_payoffs_fn: computes the payoffs under a named norm.
    """
    held = earned(record, agents)
    total = sum(held.values(), start=Fraction(0))
    if share and share.norm:
        held = norm_payoffs_fn(share.norm, total)
    elif share and share.fractions:
        held = {agent: total * share.fractions[agent] for agent in agents}
    for payment in due:
        held[payment.payer] -= payment.amount
        held[payment.payee] += payment.amount
    return held
