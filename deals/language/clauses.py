"""The four clauses: what agents can agree on."""

from fractions import Fraction
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from shapley_coop.amounts import Exact, plain
from shapley_coop.deals.language.when import EVERYONE, When, words


class _Clause(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class _Duty(_Clause):
    """What asks something of `agent`: a party, or "everyone" for each of them."""

    agent: str
    action: str
    when: When = "always"

    def binds(self, agent: str) -> bool:
        """Whether it asks something of that party."""
        return self.agent in (agent, EVERYONE)


class Do(_Duty):
    """`agent` takes `action` at the turns at which `when` holds."""

    kind: Literal["do"] = "do"


class Forbid(_Duty):
    """It is a breach if `agent` takes `action` at a turn at which `when` holds."""

    kind: Literal["forbid"] = "forbid"


class Pay(_Clause):
    """A zero-sum transfer.

    `amount` is paid, by `basis`: "once" at the end of the first turn at which `when` holds;
    "turn" at the end of each such turn; "reward" is a fraction of what the payer earns in them.
    `when` is read after the turn: `{"last": …}` is what was done in it.
    """

    kind: Literal["pay"] = "pay"
    payer: str
    payee: str
    amount: Exact = Field(description="In the game's unit; a fraction in 0..1 for basis 'reward'.")
    basis: Literal["once", "turn", "reward"] = "once"
    when: When = "always"


class Share(_Clause):
    """How the total of all rewards is split at the end; other payments are made on top.

    Either `fractions` that sum to one, or the name of a `norm` that is computed from the record
    at settlement.
    """

    kind: Literal["share"] = "share"
    fractions: dict[str, Exact] | None = None
    norm: str | None = None


Clause = Annotated[Do | Forbid | Pay | Share, Field(discriminator="kind")]


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
        case Share(norm=str(norm)):
            return f"At the end the total is split by the norm {norm}, computed from the record."
        case Share(fractions=fractions):
            parts = ", ".join(f"{a} {_part(x)}" for a, x in (fractions or {}).items())
            return f"At the end the total is split: {parts}."


def _payment(pay: Pay) -> str:
    due = "" if pay.when == "always" else f", {words(pay.when, of_payment=True)}"
    start = f"{pay.payer} pays {pay.payee}"
    match pay.basis:
        case "reward":
            return (
                f"{start} {_part(pay.amount)} of what {pay.payer} earns{due or ' at every turn'}."
            )
        case "turn":
            return f"{start} {plain(pay.amount)} for each turn{due}."
        case "once":
            return f"{start} {plain(pay.amount)}, once{due}."


def _part(fraction: Fraction) -> str:
    """A part of a whole: in percent where that ends after two digits, else as a fraction."""
    percent = fraction * 100
    return f"{plain(percent)} %" if (percent * 100).denominator == 1 else str(fraction)
