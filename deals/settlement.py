"""Who ends up with what under a deal, given what was done."""

from collections.abc import Callable, Sequence
from fractions import Fraction

from shapley_coop.deals.language.clauses import Share
from shapley_coop.deals.monitor import Payment
from shapley_coop.games import Turn

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
    record: Sequence[Turn],
    agents: Sequence[str],
    share: Share | None,
    due: Sequence[Payment],
    norm_payoffs_fn: NormPayoffs,
) -> dict[str, Fraction]:
    """Every agent's final payoff: the total is split by the share, then the payments are made.

    Without a share everybody keeps what it earned. The sum is always the realised total.

    Args:
        record: the finished play.
        agents: the parties.
        share: how the total is split, if that was agreed.
        due: the payments that were agreed.
        by_norm: computes a named norm.
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


def _exact(amount: int | float) -> Fraction:
    return Fraction(str(amount))
