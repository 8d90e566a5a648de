"""Share: the clause that splits the total of all rewards."""

import re
from collections.abc import Mapping
from math import lcm
from typing import Any, ClassVar, Literal

from pydantic import BaseModel

from shapley_coop.amounts import Exact, plain
from shapley_coop.deals.language.clauses.base import Clause
from shapley_coop.deals.language.effects import Split
from shapley_coop.deals.language.meant import find_meant
from shapley_coop.deals.language.spelling import Notes, amount, part, read_name, show
from shapley_coop.deals.language.terms import Terms
from shapley_coop.deals.language.when import When

_NORM = re.compile(r"^\s*(?:by )?(?:the )?(?:norm )?|[ _](?:values?|norm|split|rule)\s*$", re.I)
"""Words around a norm's name that say only what it is, as in "Shapley value"."""


class Fraction(BaseModel, extra="forbid"):
    """An agent's part of the total, as in '1/3'."""

    agent: str
    fraction: str


class Share(Clause):
    """The split of the total of all rewards at the end; other payments are made on top.

    Give either `fractions` that sum to 1, or the name of a `norm`, which is computed from the
    record at settlement.
    """

    asked: ClassVar[str] = (
        "How the total is split at the end: by fractions that sum to 1, or by a named norm."
    )
    in_fields: ClassVar[Mapping[str, Any]] = {"fractions": list[Fraction] | None}
    when: ClassVar[When] = "always"

    kind: Literal["share"] = "share"
    fractions: dict[str, Exact] | None = None
    norm: str | None = None

    @property
    def split(self) -> Split:
        """The split of the total."""
        return Split(self.fractions, self.norm)

    def words(self) -> str:
        """Return in words the norm or each agent's part, all in percent or with one denominator."""
        if self.norm is not None:
            by = f"by the norm {self.norm}, computed from the record"
            return f"At the end the total is split {by}."
        fractions = self.fractions or {}
        told = {agent: part(x) for agent, x in fractions.items()}
        if not all(text.endswith("%") for text in told.values()):  # write all fractions in one form
            whole = lcm(*(x.denominator for x in fractions.values()))
            told = {agent: f"{x * whole}/{whole}" for agent, x in fractions.items()}
        parts = ", ".join(f"{agent} {text}" for agent, text in told.items())
        return f"At the end the total is split: {parts}."

    @classmethod
    def read(cls, given: Mapping[str, Any], notes: Notes, terms: Terms | None) -> dict[str, Any]:
        """Read the norm and the fractions."""
        fractions, norm = given.get("fractions"), given.get("norm")
        if isinstance(norm, str) and terms:
            bare = _NORM.sub("", norm)
            norm = find_meant(norm, terms.norms) or find_meant(bare, terms.norms) or norm
        elif norm is not None and not isinstance(norm, str):
            notes.wrong("norm", f"{show(norm)} is no name of a norm")
        if fractions is None:
            return {"norm": norm}
        if not isinstance(fractions, Mapping):
            notes.wrong("fractions", "give each agent its part, as in 1/3 for Ann and 2/3 for Bob")
            return {}
        read = {
            read_name({"agent": agent}, "agent", notes, terms): amount(x, "fractions", notes, True)
            for agent, x in fractions.items()
        }
        return {"fractions": read, "norm": norm}

    def wire(self) -> dict[str, Any]:
        """Return the clause as JSON with fractions as strings, which are read back exactly."""
        parts: dict[str, str] | None = None
        if self.fractions is not None:
            parts = {agent: plain(x) for agent, x in self.fractions.items()}
        terms = {"kind": self.kind, "fractions": parts, "norm": self.norm}
        return {key: x for key, x in terms.items() if x is not None}
