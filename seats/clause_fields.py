"""The fields of an offer's clauses in JSON answers, spelt as the letters teach them."""

import inspect
import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Union

from pydantic import BaseModel, ConfigDict, Field, create_model

from shapley_coop.deals.language.clauses import KINDS
from shapley_coop.deals.language.clauses import Clause as Offered
from shapley_coop.deals.language.when import Event


class Part(BaseModel):
    """The base class of answers and of objects inside answers."""

    # Most runs ask no seat for fields, so pydantic builds these models at their first use.
    model_config = ConfigDict(extra="forbid", populate_by_name=True, defer_build=True)


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


def _form(clause: type[Offered]) -> type[Part]:
    """Make a pydantic model of a clause class, with its fields under the names that letters use."""
    own = {
        name: (clause.in_fields.get(name, field.rebuild_annotation()), ...)
        for name, field in clause.model_fields.items()
        if name != "when"
    }
    fields: dict[str, Any] = {clause.spelt.get(name, name): field for name, field in own.items()}
    if "when" in clause.model_fields:
        fields["when"] = (Sometimes, Field(description="null: always."))
    doc = inspect.cleandoc(clause.asked or clause.__doc__ or "")
    return create_model(clause.__name__, __base__=Part, __module__=__name__, __doc__=doc, **fields)


if TYPE_CHECKING:
    Clause = Part
    WithGoods = Part
else:
    _FORMS = {kind: _form(clause) for kind, clause in KINDS.items()}
    _GIVE = _FORMS.pop("give")
    Clause = Union[tuple(_FORMS.values())]  # noqa: UP007
    WithGoods = Clause | _GIVE


def proposal(fields: Mapping[str, Any]) -> str:
    """Return the offer in an answer's fields as a `<PROPOSAL>` element, or "" without one."""
    clauses = fields.get("clauses") or []
    if not clauses and not fields.get("drops"):
        return ""
    listed = clauses if isinstance(clauses, list) else [clauses]
    deal: dict[str, Any] = {"clauses": [_clause(clause) for clause in listed]}
    if drops := fields.get("drops"):
        deal["drops"] = drops
    return f"<PROPOSAL>{json.dumps(deal, ensure_ascii=False)}</PROPOSAL>"


def _clause(clause: Any) -> Any:
    """Return one clause in the letters' spelling: no null fields, and fractions by agent."""
    if not isinstance(clause, Mapping):
        return clause
    told = {key: value for key, value in clause.items() if value is not None}
    fractions = told.get("fractions")
    if isinstance(fractions, list) and all(isinstance(f, Mapping) for f in fractions):
        told["fractions"] = {f.get("agent"): f.get("fraction") for f in fractions}
    return told
