"""The five clauses: what agents can agree on."""

from collections.abc import Collection, Mapping
from fractions import Fraction
from typing import Annotated, Literal, Protocol

from pydantic import BaseModel, ConfigDict, Field

from shapley_coop.amounts import Exact, plain
from shapley_coop.deals.language.when import EVERYONE, When, words
from shapley_coop.escaping import visible

OTHERS = "others"
"""As payer or payee: everybody else, each an equal part of the amount."""


class _Clause(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class _Duty(_Clause):
    """What asks something of `agent`: a party, or "everyone" for each of them."""

    kind: Literal["do", "forbid"]
    agent: str
    action: str
    when: When = "always"

    def binds(self, agent: str) -> bool:
        """Whether it asks something of that party."""
        return self.agent in (agent, EVERYONE)


class Do(_Duty):
    """`agent` takes `action` at the turns at which `when` holds; "everyone" is each party."""

    kind: Literal["do"] = "do"


class Forbid(_Duty):
    """It is a breach if `agent` takes `action` at a turn at which `when` holds.

    "everyone" is each party.
    """

    kind: Literal["forbid"] = "forbid"


class Pay(_Clause):
    """A zero-sum transfer.

    `amount` is paid, by `basis`: "once" at the end of the first turn at which `when` holds;
    "turn" at the end of each such turn; "reward" is a fraction of what the payer earns in them.
    `when` is read after the turn: `{"last": …}` is what was done in it. As payer or payee, "others"
    is everybody else, each with an equal part of the amount.
    """

    kind: Literal["pay"] = "pay"
    payer: str
    payee: str
    amount: Exact = Field(description="In the game's unit; a fraction in 0..1 for basis 'reward'.")
    basis: Literal["once", "turn", "reward"] = "once"
    when: When = "always"


class Give(_Clause):
    """`giver` hands `quantity` of a `good` to `receiver`, in games in which agents hold goods.

    It is done by the program, once, at the end of the first turn at which `when` holds, before the
    game pays for that turn. `when` is read as a payment's, and cannot be on rewards.
    """

    kind: Literal["give"] = "give"
    giver: str
    receiver: str
    good: str
    quantity: int
    when: When = "always"


class Share(_Clause):
    """How the total of all rewards is split at the end; other payments are made on top.

    Either `fractions` that sum to one, or the name of a `norm` that is computed from the record
    at settlement.
    """

    kind: Literal["share"] = "share"
    fractions: dict[str, Exact] | None = None
    norm: str | None = None


Clause = Annotated[Do | Forbid | Pay | Give | Share, Field(discriminator="kind")]


class _Payment(Protocol):
    """A clause that pays, or what fell due by one."""

    @property
    def payer(self) -> str: ...
    @property
    def payee(self) -> str: ...


def portions(pay: _Payment, agents: Collection[str]) -> dict[str, int | Fraction]:
    """Agent → the part of a payment that it gets, negative for what it pays; they sum to 0.

    >>> pay = Pay(payer="Ann", payee="others", amount=1)
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


def lines_of(clauses: Mapping[str, Clause]) -> list[str]:
    """Clauses in plain English, a line each, by their ids."""
    return [f"{cid}. {visible(sentence(clause))}" for cid, clause in clauses.items()]


def sentence(clause: Clause) -> str:
    """One clause in plain English; `deals.written.reading` reads it back."""
    match clause:
        case Do(agent=agent, action=action):
            return f"{agent} does {action} {words(clause.when)}."
        case Forbid(agent=agent, action=action, when="always"):
            return f"{agent} must never do {action}."
        case Forbid(agent=agent, action=action):
            return f"{agent} must not do {action} {words(clause.when)}."
        case Pay():
            return _payment(clause)
        case Give(giver=giver, receiver=receiver, good=good, quantity=quantity):
            return f"{giver} gives {receiver} {quantity} {good}, once{_due(clause.when)}."
        case Share(norm=str(norm)):
            return f"At the end the total is split by the norm {norm}, computed from the record."
        case Share(fractions=fractions):
            parts = ", ".join(f"{a} {_part(x)}" for a, x in (fractions or {}).items())
            return f"At the end the total is split: {parts}."


def _due(when: When) -> str:
    return "" if when == "always" else f", {words(when, of_payment=True)}"


def _payment(pay: Pay) -> str:
    due = _due(pay.when)
    start, split = f"{pay.payer} pays {pay.payee}", ""
    if pay.payee == OTHERS:
        start, split = f"{pay.payer} pays", ", split evenly among all others,"
    elif pay.payer == OTHERS:
        start, split = f"All others pay {pay.payee}", ", split evenly among them,"
    match pay.basis:
        case "reward":
            part = f"{_part(pay.amount)} of what {pay.payer} earns"
            return f"{start} {part}{split.rstrip(',') if due else split}{due or ' at every turn'}."
        case "turn":
            return f"{start} {plain(pay.amount)}{split} for each turn{due}."
        case "once":
            return f"{start} {plain(pay.amount)}{split or ','} once{due}."


def _part(fraction: Fraction) -> str:
    """A part of a whole: in percent where that ends after two digits, else as a fraction."""
    percent = fraction * 100
    return f"{plain(percent)} %" if (percent * 100).denominator == 1 else str(fraction)
