"""From what each agent earned to what it is due: who pays whom, and within which limits.

All amounts are whole micro-units (`shapley_coop.amounts`). A constraint moves `due` back towards
`earned`; constraints compose, each working on the `due` of the one before.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from inspect import signature
from math import floor
from typing import Any

from shapley_coop.amounts import Number, apportion, exact, to_micro

Accounts = Mapping[str, int]
"""Agent → micro-units."""

Constraint = Callable[[Accounts, Accounts], dict[str, int]]
"""(earned, due) → the due that is allowed, for the same agents and with the same sum."""


@dataclass(frozen=True)
class Transfer:
    """One payment that settles part of an episode."""

    payer: str
    payee: str
    amount: int  # micro-units, above 0


def transfers(earned: Accounts, due: Accounts) -> list[Transfer]:
    """Return the payments that turn what was earned into what is due: at most n − 1 of them.

    The largest debt meets the largest claim until one of them is settled; equal sizes go by name.

    Raises:
        ValueError: the two name different agents, or do not sum to the same.
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
    """Return what is due after every constraint, in the order given.

    Raises:
        ValueError: the two name different agents, or do not sum to the same.
    """
    _check_accounts(earned, due)
    allowed = dict(due)
    for limit in constraints:
        allowed = limit(earned, allowed)
    return allowed


def cap(limit: Number | str) -> Constraint:
    """Let nobody pay more than `limit`, in the game's unit.

    Raises:
        ValueError: the limit is below 0.
    """
    most = to_micro(limit)
    if most < 0:
        raise ValueError(f"a cap of {limit}: it must be 0 or more")
    return lambda earned, due: _pay_at_most(earned, due, dict.fromkeys(earned, most))


def limited_liability() -> Constraint:
    """No agent pays more than it earned, so none ends below 0 by paying; a loser pays nothing."""
    return non_transferable(0)


def non_transferable(part: Number | str) -> Constraint:
    """An agent keeps that fraction of what it earned; it can pay only the rest."""
    kept = _fraction_of_one(part, "the non-transferable part")

    def keep(earned: Accounts, due: Accounts) -> dict[str, int]:
        free = {agent: floor((1 - kept) * max(money, 0)) for agent, money in earned.items()}
        return _pay_at_most(earned, due, free)

    return keep


def tax(rate: Number | str, collector: str = "treasury") -> Constraint:
    """That fraction of whatever is received goes to the collector, which must have an account."""
    taken = _fraction_of_one(rate, "the tax rate")

    def collect(earned: Accounts, due: Accounts) -> dict[str, int]:
        if collector not in due:
            raise ValueError(f"the tax collector {collector!r} has no account: add one holding 0")
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
"""Constraints on a settlement by name; their settings are plain JSON."""


def constraint(name: str, **settings: Any) -> Constraint:
    """Return the constraint of that name, with its settings: constraint("cap", limit="2.50").

    Raises:
        ValueError: an unknown name, or settings it does not take.
    """
    if name not in CONSTRAINTS:
        raise ValueError(
            f"no constraint is called {name!r}: choose from {', '.join(sorted(CONSTRAINTS))}"
        )
    takes = signature(CONSTRAINTS[name])
    try:
        takes.bind(**settings)
    except TypeError as error:
        names = ", ".join(takes.parameters) or "none"
        raise ValueError(f"constraint {name!r}: {error}; its settings: {names}") from None
    return CONSTRAINTS[name](**settings)


def _pay_at_most(earned: Accounts, due: Accounts, limits: Accounts) -> dict[str, int]:
    """Cut every payment to its limit; what is paid is divided in proportion to the claims."""
    owed = {agent: max(earned[agent] - due[agent], 0) for agent in due}
    claims = {agent: max(due[agent] - earned[agent], 0) for agent in due}
    paid = {agent: min(debt, limits[agent]) for agent, debt in owed.items()}
    pot = sum(paid.values())
    received = apportion(pot, list(claims.values())) if pot else [0] * len(claims)
    return {
        agent: earned[agent] - paid[agent] + gain for agent, gain in zip(due, received, strict=True)
    }


def _largest_first(balances: Accounts) -> list[tuple[str, int]]:
    """The positive balances as a stack: the largest, then the first name, is popped first."""
    positive = [(agent, amount) for agent, amount in balances.items() if amount > 0]
    return sorted(positive, key=lambda entry: (-entry[1], entry[0]), reverse=True)


def _check_accounts(earned: Accounts, due: Accounts) -> None:
    if unmatched := sorted(earned.keys() ^ due.keys()):
        raise ValueError(f"{', '.join(unmatched)}: named in one of earned and due, not in both")
    if (have := sum(earned.values())) != (owe := sum(due.values())):
        raise ValueError(f"{owe} micro-units are due and {have} were earned: they must be equal")


def _fraction_of_one(number: Number | str, what: str) -> Fraction:
    fraction = exact(number, what)
    if not 0 <= fraction <= 1:
        raise ValueError(f"{what} is {number}: it must lie between 0 and 1")
    return fraction
