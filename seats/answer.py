"""The base classes of answers; each question has one class that defines its answer's fields.

A subclass names the fields of an answer and the tag in which each field is written. These fields
define the JSON schema for structured output or a tool, the tagged text, the fields of a person's
form, and the instance that holds the parsed answer. Providers do not guarantee that an answer fits
its schema. So these classes validate nothing: fields are put into tags unchanged, and the one
parser of messages reports their faults.

>>> class Appraisal(Spoken):
...     \"\"\"What the deal is worth to you.\"\"\"
...     percent: Annotated[float | str, In("CLAIM")] = Field(description="From 0 to 100.")
>>> Appraisal.tagged({"speech": "Little.", "percent": "7%"})
'<s>Little.</s><CLAIM>7%</CLAIM>'
>>> list(Appraisal.model_fields)
['thoughts', 'speech', 'percent']
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Annotated, Any, ClassVar, Literal, Self, cast

from pydantic import Field, PrivateAttr, create_model

from shapley_coop.deals.language.reading import Reading
from shapley_coop.deals.language.wire import said_in
from shapley_coop.games.actions import ActionRule, told_actions
from shapley_coop.games.gives import legal_in
from shapley_coop.seats.clause_fields import Part, WithGoods
from shapley_coop.seats.elements import How, In, Within, element

Fields = Mapping[str, Any]
Facts = Mapping[str, Any]

_ESCAPES = {ord("<"): "\\u003c", ord(">"): "\\u003e"}
_FENCED = re.compile(r"(?P<object>\{[^\n]*\})\s*\n(?P<fence>(`{3,12}|~{3,12}).*)", re.DOTALL)
"""A JSON object on one line, and the fenced block after it."""


class Answer(Part):
    """The base class of all answers, with the fields that every answer has."""

    thoughts: Annotated[str, In("CONSIDER")] = Field(
        description="Private reasoning, at most 150 words; nobody else reads it."
    )
    _repairs: tuple[str, ...] = PrivateAttr(default=())

    @property
    def repairs(self) -> tuple[str, ...]:
        """The repairs that the parser made to this answer, in words."""
        return self._repairs

    def repaired(self, repairs: Sequence[str]) -> Self:
        """Put repairs of the whole message before the repairs of this answer; return the answer."""
        self._repairs = (*repairs, *self._repairs)
        return self

    @classmethod
    def of(cls, *repairs: str, **said: Any) -> Self:
        """Make an answer from parsed values, whose types may differ from those of its fields."""
        made = cast(Self, cls.model_construct(**said))
        made._repairs = repairs
        return made

    @classmethod
    def written(cls) -> dict[str, How]:
        """Return field name → the rule that writes the field as tagged text."""
        fields = cls.model_fields.items()
        return {name: how for name, one in fields for how in one.metadata if isinstance(how, How)}

    @classmethod
    def known(cls) -> frozenset[str]:
        """Return the keys of an answer in fields that `tagged` writes, also where none is asked."""
        return frozenset({*cls.model_fields, "speech", "notes"})

    @classmethod
    def heard(cls) -> bool:
        """Return whether the answer can hold public words; other answers are sealed or private."""
        return any(isinstance(how, In) and how.public for how in cls.written().values())

    @classmethod
    def tagged(cls, fields: Fields) -> str:
        """Return fields as tagged text: first thoughts, then public words, then the decision."""
        private = element("CONSIDER", fields.get("thoughts"), True)
        private += element("NOTES", fields.get("notes"), True)
        said = {"speech": In("s"), **cls.written()}  # a model may also speak without being asked
        heard = {name: how for name, how in said.items() if isinstance(how, In) and how.public}
        public = "".join(how.tagged(fields.get(name)) for name, how in heard.items())
        return private + public + cls.decided(fields)

    @classmethod
    def decided(cls, fields: Fields) -> str:
        """Return the fields that decide, not thoughts or public words, as tagged text."""
        return "".join(
            how.tagged(fields.get(name))
            for name, how in cls.written().items()
            if name != "thoughts" and not (isinstance(how, In) and how.public)
        )

    @classmethod
    def published(cls, text: str) -> Iterable[str | None]:
        """Return the forms in which the talk can hold an answer: by default its readable speech."""
        return (said_in(text).speech,)

    @classmethod
    def narrowed(cls, facts: Facts, carries: bool = False) -> "type[Answer] | None":
        """Return the answer class limited to a letter's options; None if there are no options.

        Args:
            facts: the letter's facts.
            carries: whether an action in this game can have content, such as a file's text.
        """
        return cls

    @classmethod
    def bounded(cls, schema: dict[str, Any], facts: Facts) -> dict[str, Any]:
        """Return a schema without values that every letter with these facts refuses.

        Only self-hosted servers enforce these bounds (`seats.bounds`).
        """
        return schema

    @classmethod
    def declined(cls, facts: Facts) -> Fields:
        """Return the answer of a program that only acts and takes part in no deal."""
        return {"decision": "reject"} if "decision" in cls.model_fields else {}


class Spoken(Answer):
    """An answer with words to all."""

    speech: Annotated[str | None, In("s")] = Field(
        description="What you say to all; it binds nobody."
    )


class Thought(Answer):
    """Your private reasoning."""


_NAMED = re.compile(r"(?P<name>[^\n]*?)(?: (?=[{`~])|\n)(?P<content>.*)", re.DOTALL)
"""An action that carries content, as `Action.decided` writes it."""


def _name_in(written: str) -> str:
    """Return the name of an action, without its content."""
    return found["name"] if (found := _NAMED.fullmatch(written)) else written


def _content_in(written: str) -> str | None:
    """Return the content of an action, or None if it has none."""
    return found["content"] if (found := _NAMED.fullmatch(written)) else None


class _Carried(Within):
    """The mark of an action's content, to which a fenced block behind the element belongs."""

    def untagged(self, text: str) -> Any:
        content, fence = super().untagged(text), said_in(text).fence
        return f"{content}\n{fence}" if content and fence else content


_NAME = In("ACTION", read=_name_in)
_CARRIED = _Carried("the text behind the name in `<ACTION>`", "ACTION", _content_in)


class Action(Answer):
    """Your action for this turn."""

    ASKED: ClassVar = "What you do now"
    """The description of the field `action` for models."""

    action: Annotated[str, _NAME]
    content: Annotated[str | None, _CARRIED] = None

    @classmethod
    def decided(cls, fields: Fields) -> str:
        """Return the action as tagged text: its name, then its content if it has any.

        A fenced block after the content's JSON stands unchanged behind the element, as in text.

        >>> Action.decided({"action": "decide", "content": {"title": "A"}})
        '<ACTION>decide {"title": "A"}</ACTION>'
        >>> Action.decided({"action": "write", "content": '{"path": "a"}\\n```\\nif a < b:\\n```'})
        '<ACTION>write {"path": "a"}</ACTION>\\n```\\nif a < b:\\n```'
        """
        action, content = fields.get("action"), fields.get("content")
        if action is None:
            return ""
        if isinstance(content, Mapping):
            content = json.dumps(content, ensure_ascii=False)
        told, fence = str(content or ""), ""
        if fenced := _FENCED.fullmatch(told):
            told, fence = fenced["object"], f"\n{fenced['fence']}"
        told = told.translate(_ESCAPES)
        between = "" if not told else " " if told.startswith(("{", "```", "~~~")) else "\n"
        return element("ACTION", f"{action}{between}{told}") + fence

    @classmethod
    def narrowed(cls, facts: Facts, carries: bool = False) -> type[Answer] | None:
        """Return the answer class limited to the legal actions; None if there are none."""
        known = legal_in(facts)
        if not (legal := tuple(told_actions(known))):
            return None
        return _legal(cls, legal, not isinstance(known, ActionRule), carries)


@lru_cache(maxsize=256)
def _legal(of: type[Action], legal: tuple[str, ...], listed: bool, carries: bool) -> type[Answer]:
    what = of.ASKED + ("." if listed else f", one of: {', '.join(legal)}.")
    kind: Any = Annotated[Literal[legal] if listed else str, _NAME]
    fields: dict[str, Any] = {"action": (kind, Field(description=what))}
    if carries:
        content = "What the rules put behind the action's name, without the name; null for none."
        fields["content"] = (str | None, Field(description=content))
    return create_model("Action", __base__=Answer, __doc__=of.__doc__, **fields)


class Drafted(Answer):
    """An answer that can hold a deal."""

    _found: Reading | None = PrivateAttr(default=None)

    @property
    def found(self) -> Reading | None:
        """The deal that the parser found in the answer, or None."""
        return self._found

    @classmethod
    def holding(cls, found: Reading | None, **said: Any) -> Self:
        """Make an answer from a parsed deal and the other parsed values."""
        made = cls.of(**said)
        made._found = found
        return made

    @classmethod
    def narrowed(cls, facts: Facts, carries: bool = False) -> type[Answer] | None:
        """Return the answer class, with clauses that give goods only if the game has goods."""
        return _with_goods(cls) if facts.get("goods") else cls


@lru_cache(maxsize=64)
def _with_goods(answer: type[Answer]) -> type[Answer]:
    more: Any = (list[WithGoods] | None, answer.model_fields["clauses"])
    return create_model(answer.__name__, __base__=answer, __doc__=answer.__doc__, clauses=more)
