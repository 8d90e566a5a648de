"""What an offer's clauses look like in fields, in the spelling that the letters teach."""

import json
from collections.abc import Mapping
from typing import Any, Literal, Union

from pydantic import BaseModel, ConfigDict, Field


class Part(BaseModel):
    """A part of an answer in fields."""

    # Most runs ask nobody for fields: their models are built when somebody is.
    model_config = ConfigDict(extra="forbid", populate_by_name=True, defer_build=True)


class Event(Part):
    """An agent's action."""

    agent: str
    action: str


class Turn(Part):
    """At one turn."""

    turn: int


class Turns(Part):
    """At some turns."""

    turns: list[int] = Field(description="These turns and no others.")


class Span(Part):
    """From one turn to another, both included."""

    first: int = Field(alias="from")
    last: int = Field(alias="to")


class Every(Part):
    """At every so many turns, from a first one."""

    every: int
    start: int


class Last(Part):
    """What an agent did latest."""

    last: Event = Field(description="The agent's latest action; in a payment, of this turn.")


class Count(Part):
    """Once an agent has done something so often."""

    count: Event
    at_least: int


class Earned(Part):
    """Once an agent's own rewards sum to so much."""

    earned: str
    at_least: float


class All(Part):
    """Where all of these hold."""

    all: list["When"]


class AnyOf(Part):
    """Where one of these holds."""

    any: list["When"]


class Not(Part):
    """Where this does not hold."""

    negated: "When" = Field(alias="not")


When = Union[Turn, Turns, Span, Every, Last, Count, Earned, All, AnyOf, Not]  # noqa: UP007
Sometimes = Union[When, None]  # noqa: UP007


class Do(Part):
    """The agent does this."""

    kind: Literal["do"]
    agent: str
    action: str
    when: Sometimes = Field(description="null: always.")


class Forbid(Part):
    """The agent does not do this."""

    kind: Literal["forbid"]
    agent: str
    action: str
    when: Sometimes = Field(description="null: always.")


class Pay(Part):
    """One agent pays another: once, at each turn at which `when` holds, or a part of its reward.

    As payer or payee, "others" is everybody else, in equal parts.
    """

    kind: Literal["pay"]
    payer: str
    payee: str
    amount: float | str = Field(description="A number, or an exact one in words, as in '1/3'.")
    per: Literal["once", "turn", "reward"]
    when: Sometimes = Field(description="null: always.")


class Give(Part):
    """One agent hands goods that it holds to another, once."""

    kind: Literal["give"]
    giver: str
    receiver: str
    good: str
    quantity: int
    when: Sometimes = Field(description="null: always.")


class Fraction(Part):
    """An agent's part of the total, as in '1/3'."""

    agent: str
    fraction: str


class Share(Part):
    """How the total is split at the end: by fractions that sum to 1, or by a named norm."""

    kind: Literal["share"]
    fractions: list[Fraction] | None
    norm: str | None


Clause = Do | Forbid | Pay | Share
WithGoods = Clause | Give


def proposal(fields: Mapping[str, Any]) -> str:
    """Write the offer in an answer, in the words of the clause language; nothing for none."""
    clauses = fields.get("clauses")
    if not clauses:
        return ""
    listed = clauses if isinstance(clauses, list) else [clauses]
    deal: dict[str, Any] = {"clauses": [_clause(clause) for clause in listed]}
    if drops := fields.get("drops"):
        deal["drops"] = drops
    return f"<PROPOSAL>{json.dumps(deal, ensure_ascii=False)}</PROPOSAL>"


def _clause(clause: Any) -> Any:
    """Return one clause as letters teach it: without what does not apply, and shares by agent."""
    if not isinstance(clause, Mapping):
        return clause
    told = {key: value for key, value in clause.items() if value is not None}
    if "per" in told:
        told["basis"] = told.pop("per")
    fractions = told.get("fractions")
    if isinstance(fractions, list) and all(isinstance(f, Mapping) for f in fractions):
        told["fractions"] = {f.get("agent"): f.get("fraction") for f in fractions}
    return told
