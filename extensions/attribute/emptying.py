"""The *blank* stand-in: the update that an absent agent wrote in the full run, without its words.

The update keeps its shape. A field that held something before the agent wrote keeps that content:
an absent editor leaves the writer's draft. Everything that routes the run stays as the agent wrote
it: `goto`, booleans, enumerations, fields whose type is a Literal, numbers that a conditional edge
reads, and words that a conditional edge compares with. Otherwise an app might never end without
the agent that routes the run.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, RemoveMessage, ToolMessage
from langgraph.types import Command, Send
from pydantic import BaseModel

from shapley_coop.extensions.attribute.canonical import canonical, fields_of
from shapley_coop.extensions.attribute.steering import Schema, fitting


@dataclass(frozen=True)
class Written:
    """The input and the output of a node in the full run, in which all agents took part."""

    given: Any
    output: Any


NOTHING = Schema()
"""The schema of an app whose state declares nothing about its fields."""


@dataclass(frozen=True)
class Emptying:
    """The function that makes a blank stand-in's update from the agent's own update.

    Attributes:
        schema: the fields that route the app, and the values that its state accepts.
        keep: keys whose values stay as in the full run, such as a counter of rounds.
        words: the text that replaces the agent's words.
        blanks: fields whose texts become a single space, or else the app does not end.
    """

    schema: Schema = NOTHING
    keep: frozenset[str] = frozenset()
    words: str = ""
    blanks: frozenset[str] = frozenset()

    def __call__(self, written: Written, now: Any) -> Any:
        """Return the agent's output of the full run, emptied; `now` is its input in this play."""
        return self._output(written.output, fields_of(written.given), fields_of(now))

    def _output(self, output: Any, given: dict[str, Any], now: dict[str, Any]) -> Any:
        if isinstance(output, Command):
            goto: Any = output.goto
            several = list(goto) if isinstance(goto, list | tuple) else [goto]
            goes = [self._send(x, given, now) if isinstance(x, Send) else x for x in several]
            return replace(
                output,
                update=self._output(output.update, given, now),
                goto=goes if isinstance(goto, list | tuple) else goes[0],
            )
        if isinstance(output, list | tuple) and any(isinstance(x, Command) for x in output):
            return [self._output(x, given, now) for x in output]
        if isinstance(output, list | tuple) and all(_is_pair(x) for x in output):
            return [(k, self._field(k, x, given, now)) for k, x in output]
        if isinstance(output, Mapping):
            return {k: self._field(k, x, given, now) for k, x in output.items()}
        if isinstance(output, BaseModel):
            set_ = output.model_fields_set
            return {
                k: self._field(k, x, given, now) for k, x in fields_of(output).items() if k in set_
            }
        if found := fields_of(output):
            return {k: self._field(k, x, given, now) for k, x in found.items()}
        return self.value(output)

    def _send(self, send: Send, given: dict[str, Any], now: dict[str, Any]) -> Send:
        return Send(send.node, self._output(send.arg, given, now))

    def _field(self, key: str, value: Any, given: dict[str, Any], now: dict[str, Any]) -> Any:
        """Return a field's value for the stand-in's update: passed through, kept, or emptied."""
        before, there = given.get(key), now.get(key)
        if self.keeps(key, value):
            return value if key in self.schema.added else _kept(value, before, there)
        if key in given and _equal(value, before):
            return now.get(key, value)
        if _messages(value):
            return self._talk(value, before, there)
        if isinstance(value, Mapping) and isinstance(there, list):  # an update of list items
            parts = value.items()
            return {k: x if isinstance(x, str) else self._field(k, x, {}, {}) for k, x in parts}
        if isinstance(value, Mapping) and isinstance(there, Mapping) and fields_of(before):
            new = {k: self.value(x) for k, x in value.items() if k not in fields_of(before)}
            return {**there, **new}
        is_said = self.words and isinstance(value, str)
        is_set = there is not None and key not in self.schema.added
        if is_set and not is_said and not isinstance(value, bool | Enum):
            return there
        empty = self.value(value)
        if value and empty == "":
            empty = " " if key in self.blanks else None if key in self.schema.optional else ""
        return self.schema.fitting(key, empty, value)

    def keeps(self, key: str, value: Any) -> bool:
        """Return whether an absent agent writes a field as it did in the full run."""
        is_choice = key in self.schema.closed and isinstance(value, str)
        return key in self.keep or is_choice or self.schema.steers(key, value)

    def _talk(self, value: Any, before: Any, now: Any) -> Any:
        """Return the new messages without words, and without tool calls and their answers."""
        if isinstance(value, BaseMessage):
            return _wordless(value, self.words)
        old = {m.id for m in _listed(before) if isinstance(m, BaseMessage) and m.id}
        new = [m for m in value if not (isinstance(m, BaseMessage) and m.id and m.id in old)]
        said = [m for m in new if not _is_tool_talk(m)] or new[-1:]
        shown = _answers(new, now, self.words) or [_wordless(m, self.words) for m in said]
        return [*_listed(now), *shown] if len(new) < len(value) else shown

    def value(self, value: Any) -> Any:
        """Return a value with texts replaced, numbers set to 0, and collections emptied."""
        if value is None or isinstance(value, bool | Enum):
            return value
        if isinstance(value, str):
            return self.words
        if isinstance(value, int | float):
            return type(value)(0)
        if isinstance(value, BaseMessage):
            return _wordless(value, self.words)
        if isinstance(value, Mapping):
            return {k: self.value(x) for k, x in value.items()}
        if isinstance(value, list | tuple | set | frozenset | bytes):
            return type(value)()
        if isinstance(value, BaseModel):
            of, parts = type(value), fields_of(value)
            empty = {k: fitting(of, k, self.value(x), x) for k, x in parts.items()}
            return value.model_copy(update=empty)
        if found := fields_of(value):
            return replace(value, **{k: self.value(x) for k, x in found.items()})
        return None


def kept(visits: Iterable[Written], schema: Schema) -> list[str]:
    """Return the agent's fields that its blank stand-in leaves, because they route the run."""
    return list(dict.fromkeys(k for k, x in _fields(visits) if x != "" and schema.steers(k, x)))


def emptied(visits: Iterable[Written], emptying: Emptying) -> list[str]:
    """Return the non-empty fields of an agent that its blank stand-in empties."""
    lost = (k for k, x in _fields(visits) if x and x is not True and not emptying.keeps(k, x))
    return list(dict.fromkeys(lost))


def unmeasured(
    visits: Sequence[Written], emptying: Emptying, targets: Collection[str] = ()
) -> list[str]:
    """Return the fields that an agent's blank stand-in writes as the agent did.

    Args:
        visits: the agent's inputs and outputs.
        emptying: the function that makes the stand-in's outputs.
        targets: the nodes to which the agent's Commands may go, if the app declares them.

    Returns:
        Fields, and `goto` if the agent routes the run. The agent gets no credit for them. A field
        that an edge reads counts, too, if neither the agent nor the stand-in leaves it empty.
    """
    found = dict[str, None]()
    for one in visits:
        given, stands_in = fields_of(one.given), fields_of(_update(emptying(one, one.given)))
        for key, value in _fields([one]):
            answers = bool(value) or isinstance(value, bool)
            is_new = key not in given or not _equal(value, given[key])
            if not (answers and is_new and key in stands_in):
                continue
            left, is_read = stands_in[key], key in emptying.schema.read
            if _equal(value, left):
                found[key] = None
            elif left and is_read and not _messages(value) and not _equal(left, given.get(key)):
                found[f"{key} (not empty)"] = None
    gone = [one.output.goto if isinstance(one.output, Command) else () for one in visits]
    # To go to the one declared target each time is no decision, as an edge is none.
    is_edge = len(targets) == 1 and all(to in (*targets, [*targets]) for to in gone)
    return [*found, "goto"] if any(gone) and not is_edge else list(found)


def steering(
    visits: Iterable[Written], emptying: Emptying, nodes: Collection[str]
) -> dict[str, bool]:
    """Return the agent's fields that may route the run although the blank stand-in empties them.

    Returns:
        Field → whether it held a node's name; these fields first, then numbers, then single words.
    """
    found: dict[str, int] = {}
    for key, value in _fields(visits):
        is_plain = isinstance(value, str | int | float) and not isinstance(value, bool | Enum)
        if not is_plain or emptying.keeps(key, value):
            continue
        rank = 1
        if isinstance(value, str):
            rank = 0 if value in nodes else 2 if len(value.split()) == 1 else 3
        found[key] = min(rank, found.get(key, rank))
    ranked = sorted(found, key=lambda key: found[key])
    return {key: found[key] == 0 for key in ranked if found[key] < 3}


def _fields(visits: Iterable[Written]) -> Iterator[tuple[str, Any]]:
    """Yield the name and value of each field that these node calls wrote."""
    for one in visits:
        yield from fields_of(_update(one.output)).items()


def _update(output: Any) -> Any:
    """Return the state update in a node's output; a message, such as a tool's answer, has none."""
    if isinstance(output, BaseMessage):
        return {}
    return output.update if isinstance(output, Command) else output


def _is_pair(value: Any) -> bool:
    return isinstance(value, tuple) and len(value) == 2 and isinstance(value[0], str)


def _kept(value: Any, before: Any, now: Any) -> Any:
    """Return a number increased by as much as in the full run; return any other value unchanged."""
    numbers = all(isinstance(x, int | float) for x in (value, before or 0))
    if numbers and not isinstance(value, bool):
        return (now or 0) + value - (before or 0)
    return value


def _equal(one: Any, other: Any) -> bool:
    try:
        return canonical(one)[0] == canonical(other)[0]
    except ValueError:
        return one is other


def _listed(value: Any) -> list[Any]:
    if isinstance(value, list | tuple):
        return list(value)
    return [] if value is None else [value]


def _messages(value: Any) -> bool:
    if isinstance(value, list | tuple):
        return any(isinstance(m, BaseMessage) for m in value)
    return isinstance(value, BaseMessage)


def _is_tool_talk(message: Any) -> bool:
    tools = getattr(message, "tool_calls", None) or getattr(message, "tool_call_id", None)
    return bool(tools) or isinstance(message, RemoveMessage)


def _answers(new: Sequence[Any], now: Any, words: str) -> list[ToolMessage]:
    """Answer each open tool call with `words`, since models refuse messages with open calls."""
    calls = getattr(_listed(now)[-1] if now else None, "tool_calls", None) or []
    if not all(isinstance(message, ToolMessage) for message in new):
        return []
    return [
        ToolMessage(words, tool_call_id=call["id"], name=message.name, status=message.status)
        for message, call in zip(new, calls, strict=False)
    ]


def _wordless(message: Any, words: str) -> Any:
    """Return a message without its words and its id; the run assigns a new id."""
    if isinstance(message, AIMessage) or getattr(message, "tool_call_id", None):
        return AIMessage(content=words, name=getattr(message, "name", None))
    if isinstance(message, BaseMessage):
        return type(message)(content=words, name=message.name)
    if isinstance(message, tuple) and len(message) == 2:
        return (message[0], words)
    return {**message, "content": words} if isinstance(message, Mapping) else words
