"""The kinds of clauses: those of the core and those of extensions.

Each kind is a class in a separate file. A clause acts by its effects (`deals.language.effects`).
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Union

from pydantic import Field

from shapley_coop import extension
from shapley_coop.deals.language.clauses.base import Clause
from shapley_coop.deals.language.clauses.do import Do
from shapley_coop.deals.language.clauses.forbid import Forbid
from shapley_coop.deals.language.clauses.give import Give
from shapley_coop.deals.language.clauses.pay import Pay
from shapley_coop.deals.language.clauses.share import Share
from shapley_coop.escaping import visible

KINDS: Mapping[str, type[Clause]] = {
    "do": Do,
    "forbid": Forbid,
    "pay": Pay,
    "give": Give,
    "share": Share,
    **{name: extension.load("clauses", name) for name in extension.offered("clauses")},
}
"""Name of a kind → its class."""

if TYPE_CHECKING:
    AnyClause = Clause
else:
    AnyClause = Annotated[Union[tuple(KINDS.values())], Field(discriminator="kind")]  # noqa: UP007
    """The type of a clause in a record; the field `kind` selects the class."""


def lines_of(clauses: Mapping[str, Clause]) -> list[str]:
    """Return the clauses in plain English, one line each, after their ids."""
    return [f"{cid}. {visible(clause.words())}" for cid, clause in clauses.items()]


__all__ = ["KINDS", "AnyClause", "Clause", "Do", "Forbid", "Give", "Pay", "Share", "lines_of"]
