"""Settlement: the final payoff of each agent under a deal, given the record."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any, TypeVar

from shapley_coop.amounts import exact
from shapley_coop.deals.language.effects import Split, portions
from shapley_coop.deals.monitor import Payment
from shapley_coop.games import Turn
from shapley_coop.games.replay import own_rewards

Held = TypeVar("Held", Fraction, float)
"""An amount, in the game's unit."""

NormPayoffs = Callable[[str, Fraction], dict[str, Fraction]]
"""A function of (a norm's name, the total to split) that returns every agent's payoff."""


def earnings(record: Sequence[Turn], agents: Sequence[str]) -> dict[str, Fraction]:
    """Return each agent's earnings before settlement: its rewards and an equal part of the pot."""
    pot = sum((exact(turn.get("pot", 0)) for turn in record), start=Fraction(0))
    return {agent: x + pot / len(agents) for agent, x in own_rewards(record, agents).items()}


def payoffs(
    held: Mapping[str, Fraction],
    split: Split | None,
    due: Sequence[Payment],
    norm_payoffs: NormPayoffs,
) -> dict[str, Fraction]:
    """Return every agent's final payoff: split the total, then make the payments.

    Without a split each agent keeps what it holds. The payoffs always sum to the total.

    Args:
        held: the earnings before settlement (`earnings`).
        split: the agreed split of the total, or None.
        due: the payments that fell due.
        norm_payoffs: a function that computes the payoffs if the total is split by a named norm.
    """
    if split and split.norm:
        held = norm_payoffs(split.norm, sum(held.values(), start=Fraction(0)))
    elif split and split.fractions:
        total = sum(held.values(), start=Fraction(0))
        held = {agent: total * split.fractions[agent] for agent in held}
    return apply_payments(held, due)


def apply_payments(held: Mapping[str, Held], due: Iterable[Payment]) -> dict[str, Held]:
    """Return each agent's balance after the payments due, given its balance before them."""
    after = dict(held)
    for payment in due:
        parts = portions(payment, after)
        moved: dict[Any, Any] = {part: payment.amount * part for part in set(parts.values())}
        if any(isinstance(have, float) for have in after.values()):
            # Convert equal amounts only once: a thousand payers may owe the same fraction.
            moved = {part: float(amount) for part, amount in moved.items()}
        for agent, part in parts.items():
            after[agent] += moved[part]
    return after
