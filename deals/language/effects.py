"""The effects that clauses have, as plain data. The program carries out only these effects.

A clause imposes a duty (`Duty`), moves money (`Transfer`) or goods (`Gift`), or splits the total
(`Split`). The monitor, settlement, analyses and pages read effects, never a clause's kind.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, Protocol

from shapley_coop.deals.language.when import EVERYONE

OTHERS = "others"
"""A payer or payee that means all other agents; each pays or gets an equal part."""


@dataclass(frozen=True)
class Duty:
    """A duty of an agent, or of "everyone", to take or not to take an action at a turn."""

    agent: str
    action: str
    forbidden: bool

    def binds(self, agent: str) -> bool:
        """Return whether the duty binds that party."""
        return self.agent in (agent, EVERYONE)

    def keeps(self, action: str | None) -> bool:
        """Return whether an action, or no action (None), keeps the duty."""
        return (action == self.action) != self.forbidden


@dataclass(frozen=True)
class Transfer:
    """A payment: once, at each turn, or as a fraction of the payer's reward at each turn."""

    payer: str
    payee: str
    amount: Fraction
    basis: Literal["once", "turn", "reward"]

    def due(self, reward: Fraction) -> Fraction:
        """Return the amount that the payer owes, given its reward of the turn.

        A negative reward counts as 0, so that the payee never pays the payer.
        """
        return self.amount * max(Fraction(0), reward) if self.basis == "reward" else self.amount


@dataclass(frozen=True)
class Gift:
    """A single gift of goods from one agent to another."""

    giver: str
    receiver: str
    good: str
    quantity: int


@dataclass(frozen=True)
class Split:
    """The rule that divides the total at the end: fractions, or the name of a norm."""

    fractions: Mapping[str, Fraction] | None = None
    norm: str | None = None


class _Payment(Protocol):
    """A `Transfer`, or one payment that fell due under a `Transfer`."""

    @property
    def payer(self) -> str: ...
    @property
    def payee(self) -> str: ...


def portions(pay: _Payment, agents: Collection[str]) -> dict[str, int | Fraction]:
    """Return agent → its fraction of a payment, negative for payers; the fractions sum to 0.

    >>> pay = Transfer("Ann", "others", Fraction(1), "once")
    >>> [str(part) for part in portions(pay, ["Ann", "Ben", "Cem"]).values()]
    ['-1', '1/2', '1/2']
    """
    parts: dict[str, int | Fraction] = {}
    for side, who in ((-1, pay.payer), (1, pay.payee)):
        named = [who] if who != OTHERS else [a for a in agents if a not in (pay.payer, pay.payee)]
        part = side if len(named) == 1 else Fraction(side, len(named) or 1)
        for agent in named:
            parts[agent] = parts[agent] + part if agent in parts else part
    return parts
