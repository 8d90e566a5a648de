"""Transfers that turn earnings into payoffs, and constraints that limit them.

All amounts are whole micro-units (`shapley_coop.amounts`). A constraint changes the amounts `due`,
for example back towards `earned`. Constraints compose: each changes the result of the previous one.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from inspect import signature
from math import floor
from typing import Any

from shapley_coop.amounts import Number, apportion, exact, to_micro

Accounts = Mapping[str, int]
"""Agent → amount in micro-units."""

Constraint = Callable[[Accounts, Accounts], dict[str, int]]
"""A function of (earned, due) to the allowed `due`, with the same agents and the same sum."""


@dataclass(frozen=True)
class Transfer:
    """A payment that settles a part of an episode."""

    payer: str
    payee: str
    amount: int  # micro-units, above 0


def transfers(earned: Accounts, due: Accounts) -> list[Transfer]:
    """Return at most n − 1 payments that turn the amounts earned into the amounts due.

    Debtors and claimants are matched in order of size; among equals, the first by name.

    Raises:
        ValueError: `earned` and `due` have different agents or different sums.
    """
    _check_accounts(earned, due)
    debts = _largest_first({agent: earned[agent] - due[agent] for agent in earned})
    claims = _largest_first({agent: due[agent] - earned[agent] for agent in earned})
    payments = []
    while debts:
        (payer, debt), (payee, claim) = debts.pop(), claims.pop()
        amount = min(debt, claim)
        payments.append(Transfer(payer, payee, amount))
        if debt > amount:
            debts.append((payer, debt - amount))
        if claim > amount:
            claims.append((payee, claim - amount))
    return payments


def constrain(earned: Accounts, due: Accounts, constraints: Iterable[Constraint]) -> dict[str, int]:
    """Return the amounts due after all constraints, applied in the given order.

    Raises:
        ValueError: `earned` and `due` have different agents or different sums.
    """
    _check_accounts(earned, due)
    allowed = dict(due)
    for limit in constraints:
        allowed = limit(earned, allowed)
    return allowed


def cap(limit: Number | str) -> Constraint:
    """Return the constraint that no agent pays more than `limit`, in the game's unit.

    Raises:
        ValueError: the limit is negative.
    """
    most = to_micro(limit)
    if most < 0:
        raise ValueError(f"a cap of {limit}: it must be 0 or more")
    return lambda earned, due: _pay_at_most(earned, due, dict.fromkeys(earned, most))


def limited_liability() -> Constraint:
    """Return the constraint that an agent pays at most its earnings, and 0 after a loss."""
    return non_transferable(0)


def non_transferable(part: Number | str) -> Constraint:
    """Return the constraint that each agent keeps at least the fraction `part` of its earnings."""
    kept = _fraction_of_one(part, "the non-transferable part")

    def keep(earned: Accounts, due: Accounts) -> dict[str, int]:
        free = {agent: floor((1 - kept) * max(money, 0)) for agent, money in earned.items()}
        return _pay_at_most(earned, due, free)

    return keep


def tax(rate: Number | str, collector: str = "treasury") -> Constraint:
    """Return the constraint that a fraction of all receipts goes to the collector's account."""
    taken = _fraction_of_one(rate, "the tax rate")

    def collect(earned: Accounts, due: Accounts) -> dict[str, int]:
        if collector not in due:
            raise ValueError(f"the tax collector {collector!r} has no account: add one with 0")
        levies = {
            agent: round(taken * max(due[agent] - earned[agent], 0))
            for agent in due
            if agent != collector
        }
        after = {agent: amount - levies.get(agent, 0) for agent, amount in due.items()}
        after[collector] += sum(levies.values())
        return after

    return collect


CONSTRAINTS: dict[str, Callable[..., Constraint]] = {
    "cap": cap,
    "limited_liability": limited_liability,
    "non_transferable": non_transferable,
    "tax": tax,
}
"""Name → the function that makes a constraint; its settings are plain JSON."""


def constraint(name: str, **settings: Any) -> Constraint:
    """Return a constraint by name with its settings, as in constraint("cap", limit="2.50").

    Raises:
        ValueError: the name is unknown, or the constraint does not take the settings.
    """
    if name not in CONSTRAINTS:
        raise ValueError(f"{name!r} is not a constraint: choose {', '.join(sorted(CONSTRAINTS))}")
    takes = signature(CONSTRAINTS[name])
    try:
        takes.bind(**settings)
    except TypeError as error:
        names = ", ".join(takes.parameters) or "none"
        raise ValueError(f"constraint {name!r}: {error}; its settings: {names}") from None
    return CONSTRAINTS[name](**settings)


def _pay_at_most(earned: Accounts, due: Accounts, limits: Accounts) -> dict[str, int]:
    """Cap each agent's payments at its limit; divide the sum paid in proportion to the claims."""
    owed = {agent: max(earned[agent] - due[agent], 0) for agent in due}
    claims = {agent: max(due[agent] - earned[agent], 0) for agent in due}
    paid = {agent: min(debt, limits[agent]) for agent, debt in owed.items()}
    pot = sum(paid.values())
    received = apportion(pot, list(claims.values())) if pot else [0] * len(claims)
    return {
        agent: earned[agent] - paid[agent] + gain for agent, gain in zip(due, received, strict=True)
    }


def _largest_first(balances: Accounts) -> list[tuple[str, int]]:
    """Return positive balances as a stack: pop gives the largest; if equal, the first by name."""
    positive = [(agent, amount) for agent, amount in balances.items() if amount > 0]
    return sorted(positive, key=lambda entry: (-entry[1], entry[0]), reverse=True)


def _check_accounts(earned: Accounts, due: Accounts) -> None:
    if unmatched := sorted(earned.keys() ^ due.keys()):
        raise ValueError(f"{', '.join(unmatched)}: in only one of earned and due; give both")
    if (have := sum(earned.values())) != (owe := sum(due.values())):
        raise ValueError(
            f"the due amounts sum to {owe} micro-units and the earnings to {have}: they must be "
            "equal"
        )


def _fraction_of_one(number: Number | str, what: str) -> Fraction:
    fraction = exact(number, what)
    if not 0 <= fraction <= 1:
        raise ValueError(f"{what} is {number}: it must lie between 0 and 1")
    return fraction
