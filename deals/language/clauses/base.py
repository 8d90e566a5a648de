"""The base class of all kinds of clauses."""

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
        taught: the line in letters that explains the kind; "" if a prompt template explains it.
        asked: the kind's description in answer schemas; "" to use the class's docstring.
        in_fields: field → its type in answer schemas, if it has a different type in records.
        spelt: field → the key that agents write for the field, if the key differs.
        lasts: whether an amendment keeps the clause unless it drops the clause by its id.
        also: key that agents may write → the field that the key means.
        needless: a key without effect → the only value that agents may write for it.
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
            """The name of the clause's kind; each subclass defines it as a field."""

        @property
        def when(self) -> When:
            """The clause's condition; only kinds of clause that can have one define this field."""

    @property
    def duty(self) -> Duty | None:
        """The duty that binds at a turn if the condition holds before that turn."""
        return None

    @property
    def transfer(self) -> Transfer | None:
        """The payment that falls due at the end of a turn if the condition then holds."""
        return None

    @property
    def gift(self) -> Gift | None:
        """The gift that falls due at the end of the first turn after which the condition holds."""
        return None

    @property
    def split(self) -> Split | None:
        """The split of the total at the end of the game."""
        return None

    def condition(self) -> Condition:
        """Return the compiled condition, tested before a turn for a duty, else after the turn."""
        return compiled_condition(self.when, "before" if self.duty else "after")

    def events(self, agents: Sequence[str]) -> list[Event]:
        """Return the agent–action pairs that the clause depends on; `agents` are all agents."""
        return [event for part in conditions_in(self.when) if (event := event_of(part))]

    @abstractmethod
    def words(self) -> str:
        """Return the clause in plain English; `deals.written.reading` parses core clauses."""

    @classmethod
    @abstractmethod
    def read(cls, given: Mapping[str, Any], notes: Notes, terms: Terms | None) -> dict[str, Any]:
        """Read the fields except kind and condition from an agent's JSON; faults go to `notes`."""

    @classmethod
    def keys(cls) -> set[str]:
        """Return the keys that agents may write in a clause of this kind."""
        return {*cls.model_fields, *cls.spelt.values()}

    def wire(self) -> dict[str, Any]:
        """Return the JSON that an agent would write for the clause, with the condition last."""
        own = {key: getattr(self, key) for key in type(self).model_fields if key != "when"}
        terms = {
            self.spelt.get(key, key): number(x) if isinstance(x, Fraction) else x
            for key, x in own.items()
        }
        timed = {} if self.when == "always" else {"when": condition_form(self.when)}
        return {**terms, **timed}

    def wrong(self, terms: Terms) -> str:
        """Return a fault that only clauses of this kind can have, in words, or ""."""
        return ""

    def by_name(self, agents: Sequence[str]) -> Iterator[Self]:
        """Yield one clause for each agent that "everyone" or "others" means, or just this one."""
        yield self


def due(when: When) -> str:
    """Return a comma and the condition of a payment or gift in words; "" if it is "always"."""
    return "" if when == "always" else f", {words(when, of_payment=True)}"
