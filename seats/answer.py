"""What a question is answered with: one class, from which every form of the answer is made.

A subclass names the fields of an answer, and how each is written in tagged text. From that come the
JSON schema for structured output and for a tool, the tagged text that fields become, the fields of
a person's form, and the instance that says what was read. Providers do not guarantee their schemas:
nothing is validated by these classes; what came is put into tags as it is, and the one reader of
messages says what is wrong with it.

>>> class Appraisal(Spoken):
...     \"\"\"What the deal is worth to you.\"\"\"
...     percent: Annotated[float | str, In("CLAIM")] = Field(description="From 0 to 100.")
>>> Appraisal.tagged({"speech": "Little.", "percent": "7%"})
'<s>Little.</s><CLAIM>7%</CLAIM>'
>>> Appraisal.form(), list(Appraisal.model_fields)
(('speech', 'claim', 'consider'), ['thoughts', 'speech', 'percent'])
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Annotated, Any, ClassVar, Literal, Self, cast

from pydantic import Field, PrivateAttr, create_model

from shapley_coop.deals.language.acceptance import DECISIONS
from shapley_coop.deals.language.choices import chosen
from shapley_coop.deals.language.faults import Fault
from shapley_coop.deals.language.reading import Reading
from shapley_coop.deals.language.thoughts import MARK
from shapley_coop.deals.language.wire import Message
from shapley_coop.games.actions import ActionRule, told_actions
from shapley_coop.games.gives import legal_in
from shapley_coop.seats.clause_fields import Part, WithGoods

Fields = Mapping[str, Any]
Facts = Mapping[str, Any]

# A tag within a field would end the field's own: what is quoted stays readable, and is no tag.
_OPENS = re.compile(r"<(?=\s{0,4}/?\s{0,4}[^\W\d_])")
_ESCAPES = {ord("<"): "\\u003c", ord(">"): "\\u003e"}
_COUNTS = {2: "two", 3: "three", 4: "four"}
_PERSON = {"s": "speech"}


def element(tag: str, text: Any, private: bool = False) -> str:
    """Write a field as an element; nothing for none.

    A mark of thoughts in what others get to see stays one, so that it is asked back; in a private
    field something stands in its place, so that what is around it does not become a tag.
    """
    if text in (None, ""):
        return ""
    told, parts, at = str(text), "", 0
    for mark in MARK.finditer(told):
        parts += _OPENS.sub("‹", told[at : mark.start()]) + ("…" if private else mark.group())
        at = mark.end()
    return f"<{tag}>{parts}{_OPENS.sub('‹', told[at:])}</{tag}>"


def element_of_json(tag: str, value: Any) -> str:
    """Write a value as an element that holds JSON."""
    return f"<{tag}>{json.dumps(value, ensure_ascii=False)}</{tag}>"


@dataclass(frozen=True)
class In:
    """Say in which element of tagged text a field is written.

    Attributes:
        element: its name; `s` is what all hear, `CONSIDER` is private.
        write: turns the field's value into the element's content.
    """

    element: str
    write: Callable[[Any], str] = str

    def tagged(self, value: Any) -> str:
        """Write a value; nothing for none."""
        return "" if value is None else element(self.element, self.write(value))

    @property
    def public(self) -> bool:
        """Whether all hear it."""
        return self.element == "s"

    def told(self) -> str:
        """Name the element, as letters do."""
        return f"`<{self.element}>`"

    def form(self) -> tuple[str, ...]:
        """Name the fields of a person's form."""
        return (_PERSON.get(self.element, self.element.lower()),)


@dataclass(frozen=True)
class Within:
    """Say that a field is written by its class, within an element.

    Attributes:
        words: how letters speak of it.
        fields: of a person's form.
    """

    words: str
    fields: tuple[str, ...]

    def tagged(self, value: Any) -> str:
        """Write nothing: the class writes it."""
        return ""

    def told(self) -> str:
        """Name the element, as letters do."""
        return self.words

    def form(self) -> tuple[str, ...]:
        """Name the fields of a person's form."""
        return self.fields


@dataclass(frozen=True)
class Choice:
    """Say how each value of a decision is written.

    Attributes:
        tags: value → its tagged text.
        to: value → what it does, behind "to", for feedback.
        labels: value → what a person's button says.
    """

    tags: Mapping[str, str]
    to: Mapping[str, str] = field(default_factory=dict)
    labels: Mapping[str, str] = field(default_factory=dict)

    def tagged(self, value: Any) -> str:
        """Write a value, or another word for it; nothing for what is none of them."""
        said = str(value or "").lower()
        return self.tags.get(said) or self.tags.get(DECISIONS.get(said, ""), "")

    def told(self) -> str:
        """Name the ways to write it, as letters do."""
        *first, last = (f"`{tag}`" for tag in self.tags.values())
        return f"{', '.join(first)} or {last}"

    def form(self) -> tuple[str, ...]:
        """Name the fields of a person's form."""
        return tuple(re.findall(r"\w+", tag)[0].lower() for tag in self.tags.values())

    def ask(self) -> str:
        """Ask for one of them."""
        *first, last = (f"{tag} to {self.to[value]}" for value, tag in self.tags.items())
        return f"Do one of {_COUNTS[len(self.tags)]}: {', '.join(first)}, or {last}."

    def read(self, message: Message) -> tuple[str, str] | Fault:
        """Find the one value that a message decides on, and what was repaired in it."""
        given = {"accept": message.accept, "reject": message.reject}
        decided, word = {value for value, said in given.items() if said is not None}, ""
        if message.action is not None:
            named = chosen(message, tuple(DECISIONS))
            if isinstance(named, Fault) or named[0] not in DECISIONS:
                return Fault("ACTION", f"It is not yet time to act. {self.ask()}")
            word = named[0]
            decided.add(DECISIONS[word])
        if len(decided) != 1 or not decided <= self.tags.keys():
            return Fault("ACK", self.ask())
        value = decided.pop()
        return value, f"read {word} as {value}" if word not in ("", value) else ""


How = In | Within | Choice


class Answer(Part):
    """What an agent answers; the fields that every answer has."""

    thoughts: Annotated[str, In("CONSIDER")] = Field(
        description="Private reasoning; nobody else reads it."
    )
    PROPOSAL: ClassVar = '{"clauses": […]}'
    """How a person's form describes what stands in `<PROPOSAL>`."""

    _repairs: tuple[str, ...] = PrivateAttr(default=())

    @property
    def repairs(self) -> tuple[str, ...]:
        """What was repaired when it was read, in words."""
        return self._repairs

    def repaired(self, repairs: Sequence[str]) -> Self:
        """Note what was repaired in the message before its answer was read."""
        self._repairs = (*repairs, *self._repairs)
        return self

    @classmethod
    def of(cls, *repairs: str, **said: Any) -> Self:
        """Make an answer of what was read: it may be of another type than the wire's field."""
        made = cast(Self, cls.model_construct(**said))
        made._repairs = repairs
        return made

    @classmethod
    def written(cls) -> dict[str, How]:
        """Return how each field is written."""
        fields = cls.model_fields.items()
        return {name: how for name, one in fields for how in one.metadata if isinstance(how, How)}

    @classmethod
    def heard(cls) -> bool:
        """Tell whether it can hold words to all; what holds none is sealed or private."""
        return any(isinstance(how, In) and how.public for how in cls.written().values())

    @classmethod
    def tagged(cls, fields: Fields) -> str:
        """Write fields, as a seat gave them, as tagged text: what is private, said, decided."""
        private = element("CONSIDER", fields.get("thoughts"), True)
        private += element("NOTES", fields.get("notes"), True)
        said = {"speech": In("s"), **cls.written()}  # a model may say more than it was asked
        heard = {name: how for name, how in said.items() if isinstance(how, In) and how.public}
        public = "".join(how.tagged(fields.get(name)) for name, how in heard.items())
        return private + public + cls.decided(fields)

    @classmethod
    def decided(cls, fields: Fields) -> str:
        """Write the fields that decide."""
        return "".join(
            how.tagged(fields.get(name))
            for name, how in cls.written().items()
            if name != "thoughts" and not (isinstance(how, In) and how.public)
        )

    @classmethod
    def narrowed(cls, facts: Facts, carries: bool = False) -> "type[Answer] | None":
        """Narrow it to what one letter leaves open; None where there is nothing to choose.

        Args:
            facts: of the letter.
            carries: whether an action here can carry more than its name.
        """
        return cls

    @classmethod
    def form(cls) -> tuple[str, ...]:
        """Name the fields of the form in a person's inbox."""
        how = {name: one for name, one in cls.written().items() if name != "thoughts"}
        return (*dict.fromkeys(field for one in how.values() for field in one.form()), "consider")

    @classmethod
    def declined(cls, facts: Facts) -> Fields:
        """Answer as a program does that only acts: it agrees to nothing."""
        return {"decision": "reject"} if "decision" in cls.model_fields else {}


class Spoken(Answer):
    """An answer with words to all."""

    speech: Annotated[str | None, In("s")] = Field(
        description="What you say to all; it binds nobody."
    )


class Thought(Answer):
    """Your private reasoning."""


class Action(Answer):
    """Your action for this turn."""

    action: Annotated[str, In("ACTION")]
    content: str | None = None

    @classmethod
    def decided(cls, fields: Fields) -> str:
        """Write the action; what it carries stands behind its name."""
        action, content = fields.get("action"), fields.get("content")
        if action is None:
            return ""
        carried = f" {str(content).translate(_ESCAPES)}" if content else ""
        return element("ACTION", f"{action}{carried}")

    @classmethod
    def narrowed(cls, facts: Facts, carries: bool = False) -> type[Answer] | None:
        """Narrow it to what is legal."""
        known = legal_in(facts)
        if not (legal := tuple(told_actions(known))):
            return None
        return _legal(legal, not isinstance(known, ActionRule), carries)


@lru_cache(maxsize=256)
def _legal(legal: tuple[str, ...], listed: bool, carries: bool) -> type[Answer]:
    what = "What you do now" + ("." if listed else f", one of: {', '.join(legal)}.")
    kind: Any = Annotated[Literal[legal] if listed else str, In("ACTION")]
    fields: dict[str, Any] = {"action": (kind, Field(description=what))}
    if carries:
        content = "What the action carries, as the rules say; null for none."
        fields["content"] = (str | None, Field(description=content))
    return create_model("Action", __base__=Answer, __doc__=Action.__doc__, **fields)


class Drafted(Answer):
    """An answer that can hold a deal."""

    _found: Reading | None = PrivateAttr(default=None)

    @property
    def found(self) -> Reading | None:
        """The deal that was read in it, if it holds one."""
        return self._found

    @classmethod
    def holding(cls, found: Reading | None, **said: Any) -> Self:
        """Make an answer of what was read."""
        made = cls.of(**said)
        made._found = found
        return made

    @classmethod
    def narrowed(cls, facts: Facts, carries: bool = False) -> type[Answer] | None:
        """Where there are goods, clauses can give them."""
        return _with_goods(cls) if facts.get("goods") else cls


@lru_cache(maxsize=64)
def _with_goods(answer: type[Answer]) -> type[Answer]:
    more: Any = (list[WithGoods] | None, answer.model_fields["clauses"])
    return create_model(answer.__name__, __base__=answer, __doc__=answer.__doc__, clauses=more)
