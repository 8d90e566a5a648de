"""What every clause can be asked."""

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, Self

from pydantic import BaseModel, ConfigDict

from shapley_coop.deals.language.condition import Condition, compiled_condition
from shapley_coop.deals.language.condition_form import condition_form, number
from shapley_coop.deals.language.effects import Duty, Gift, Split, Transfer
from shapley_coop.deals.language.spelling import Notes
from shapley_coop.deals.language.terms import Terms
from shapley_coop.deals.language.when import Event, When, conditions_in, event_of, words


class Clause(BaseModel):
    """One clause: its words, its JSON, its faults and its effects.

    A new kind is a subclass in one file, with a field `kind` whose default names it.

    Attributes:
        taught: the line by which letters teach it; the core's are in the template of the language.
        asked: what it says, for models that answer by a schema; else they are told its docstring.
        in_fields: fields that a schema asks for otherwise than the record holds them → how.
        spelt: fields that agents write by another key → that.
        lasts: whether it stands through an amendment until it is dropped by its id.
        also: other keys that have one meaning in it → the keys that are meant.
        needless: a key that is left out where it says what holds of every such clause → that.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    taught: ClassVar[str] = ""
    asked: ClassVar[str] = ""
    in_fields: ClassVar[Mapping[str, Any]] = {}
    spelt: ClassVar[Mapping[str, str]] = {}
    lasts: ClassVar[bool] = True
    also: ClassVar[Mapping[str, str]] = {}
    needless: ClassVar[Mapping[str, str]] = {}

    if TYPE_CHECKING:

        @property
        def kind(self) -> str:
            """Its name: a field, as the record holds it."""

        @property
        def when(self) -> When:
            """Its condition: a field, but of what is always so."""

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

    def condition(self) -> Condition:
        """Return when it asks or pays: a duty's is read before a turn, all others after it."""
        return compiled_condition(self.when, "before" if self.duty else "after")

    def events(self, agents: Sequence[str]) -> list[Event]:
        """List the actions that its condition depends on, where the agents are these."""
        return [event for part in conditions_in(self.when) if (event := event_of(part))]

    @abstractmethod
    def words(self) -> str:
        """Say it in plain English; `deals.written.reading` reads the core's back."""

    @classmethod
    @abstractmethod
    def read(cls, given: Mapping[str, Any], notes: Notes, terms: Terms | None) -> dict[str, Any]:
        """Read its fields, but its kind and condition, as agents spell them; note what is wrong."""

    @classmethod
    def keys(cls) -> set[str]:
        """Return the keys that agents may write in it."""
        return {*cls.model_fields, *cls.spelt.values()}

    def wire(self) -> dict[str, Any]:
        """Write it as JSON in the words of the letters, its condition last, if it has one."""
        own = {key: getattr(self, key) for key in type(self).model_fields if key != "when"}
        terms = {
            self.spelt.get(key, key): number(x) if isinstance(x, Fraction) else x
            for key, x in own.items()
        }
        timed = {} if self.when == "always" else {"when": condition_form(self.when)}
        return {**terms, **timed}

    def wrong(self, terms: Terms) -> str:
        """Say what is wrong beyond what is checked of its effects; empty if nothing."""
        return ""

    def by_name(self, agents: Sequence[str]) -> Iterator[Self]:
        """Spell it out as clauses that name each agent, if it is of everyone or of others."""
        yield self


def due(when: When) -> str:
    """Say the condition of what falls due, after a comma; empty if it always holds."""
    return "" if when == "always" else f", {words(when, of_payment=True)}"
