"""The five clauses: what agents can agree on."""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Annotated, ClassVar, Literal, Self

from pydantic import BaseModel, ConfigDict, Field

from shapley_coop.amounts import Exact, plain
from shapley_coop.deals.language.effects import OTHERS, Duty, Gift, Split, Transfer, portions
from shapley_coop.deals.language.when import EVERYONE, When, words
from shapley_coop.escaping import visible


class _Clause(BaseModel):
    """What a clause can do (its effects: none here), and whether it lasts.

    Attributes:
        lasts: whether it stands through an amendment until it is dropped by its id.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    lasts: ClassVar[bool] = True

    @property
    def duty(self) -> Duty | None:
        """What it asks at a turn at which its condition holds before it."""
        return None

    @property
    def transfer(self) -> Transfer | None:
        """What is paid by a turn with which its condition holds."""
        return None

    @property
    def gift(self) -> Gift | None:
        """What changes hands by the first turn with which its condition holds."""
        return None

    @property
    def split(self) -> Split | None:
        """How it has the total split at the end."""
        return None

    def by_name(self, agents: Sequence[str]) -> Iterator[Self]:
        """Spell it out as clauses that name each agent, if it is of everyone or of others."""
        yield self


class _Duty(_Clause):
    """What asks something of `agent`: a party, or "everyone" for each of them."""

    lasts: ClassVar[bool] = False

    kind: Literal["do", "forbid"]
    agent: str
    action: str
    when: When = "always"

    @property
    def duty(self) -> Duty:
        """What it asks."""
        return Duty(self.agent, self.action, self.kind == "forbid")

    def by_name(self, agents: Sequence[str]) -> Iterator[Self]:
        """Name each of all."""
        for agent in agents if self.agent == EVERYONE else [self.agent]:
            yield self.model_copy(update={"agent": agent})


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

    @property
    def transfer(self) -> Transfer:
        """What is paid."""
        return Transfer(self.payer, self.payee, self.amount, self.basis)

    def by_name(self, agents: Sequence[str]) -> Iterator[Self]:
        """Name each of the others, with the part that it pays or gets."""
        if OTHERS not in (self.payer, self.payee):
            yield self
            return
        side = "payer" if self.payer == OTHERS else "payee"
        ends = portions(self, agents)
        for agent in (a for a in agents if a in ends and a not in (self.payer, self.payee)):
            amount = self.amount * abs(Fraction(ends[agent]))
            yield self.model_copy(update={side: agent, "amount": amount})


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

    @property
    def gift(self) -> Gift:
        """What changes hands."""
        return Gift(self.giver, self.receiver, self.good, self.quantity)


class Share(_Clause):
    """How the total of all rewards is split at the end; other payments are made on top.

    Either `fractions` that sum to one, or the name of a `norm` that is computed from the record
    at settlement.
    """

    when: ClassVar[When] = "always"

    kind: Literal["share"] = "share"
    fractions: dict[str, Exact] | None = None
    norm: str | None = None

    @property
    def split(self) -> Split:
        """How the total is split."""
        return Split(self.fractions, self.norm)


Clause = Annotated[Do | Forbid | Pay | Give | Share, Field(discriminator="kind")]


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
