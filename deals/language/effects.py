"""What clauses do: the few effects that the program carries out, as data.

A clause asks for an action (`Duty`), moves money (`Transfer`) or goods (`Gift`), or splits the
total (`Split`). The monitor, settlement, analyses and pages read these and ask no clause its kind.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, Protocol

from shapley_coop.deals.language.when import EVERYONE

OTHERS = "others"
"""As payer or payee: everybody else, each an equal part of the amount."""


@dataclass(frozen=True)
class Duty:
    """What is asked at a turn: of an agent, or of "everyone"."""

    agent: str
    action: str
    forbidden: bool

    def binds(self, agent: str) -> bool:
        """Tell whether it asks something of that party."""
        return self.agent in (agent, EVERYONE)

    def keeps(self, action: str | None) -> bool:
        """Tell whether an action, or none, keeps it."""
        return (action == self.action) != self.forbidden


@dataclass(frozen=True)
class Transfer:
    """Money from one to another: once, at each turn, or as a part of what the payer earns."""

    payer: str
    payee: str
    amount: Fraction
    basis: Literal["once", "turn", "reward"]

    def due(self, reward: Fraction) -> Fraction:
        """Return what is paid, given the payer's reward of the turn.

        A loss cannot be shared: a share of a negative reward would be a payment back.
        """
        return self.amount * max(Fraction(0), reward) if self.basis == "reward" else self.amount


@dataclass(frozen=True)
class Gift:
    """Goods from one to another, once."""

    giver: str
    receiver: str
    good: str
    quantity: int


@dataclass(frozen=True)
class Split:
    """How the total is divided at the end: by fractions, or by a norm."""

    fractions: Mapping[str, Fraction] | None = None
    norm: str | None = None


class _Payment(Protocol):
    """A transfer, or what fell due by one."""

    @property
    def payer(self) -> str: ...
    @property
    def payee(self) -> str: ...


def portions(pay: _Payment, agents: Collection[str]) -> dict[str, int | Fraction]:
    """Agent → the part of a payment that it gets, negative for what it pays; they sum to 0.

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
