"""What is compared when a node is asked again: its input as text, without random ids.

Every run gives messages and tool calls new ids. Two inputs that differ in those alone are the same
question. So an input's ids are numbered in the order in which they appear, and the kept answer
refers to them by number: given out again, it names the ids of the run that asks.
"""

import hashlib
import json
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from enum import Enum
from typing import Any

from langchain_core.messages import BaseMessage
from langgraph.types import Command, Send
from pydantic import BaseModel

NOT_SAID = {"id", "response_metadata", "usage_metadata"}
"""Fields of a message that the next reader does not go by."""


class Incomparable(ValueError):
    """A value that has no text that is the same in every run."""


def canonical(value: Any, without: Collection[str] = ()) -> tuple[str, dict[str, str]]:
    """Return a value as text that is equal for equal values, and the ids in it.

    Args:
        value: what a node reads: plain data, messages, pydantic models, dataclasses.
        without: keys at the top that are left out, such as the steps that remain.

    Returns:
        The text, and each id → its number, as text that occurs nowhere else.

    Raises:
        Incomparable: it holds something whose text would differ from run to run.
    """
    items = {key: x for key, x in fields_of(value).items() if key not in without}
    shown: Any = items if items or isinstance(value, Mapping) else value
    ids: dict[str, str] = {}
    for found in _ids(shown):
        ids.setdefault(found, f"coop:id:{len(ids)}")
    return json.dumps(_plain(shown, ids), ensure_ascii=False, separators=(",", ":")), ids


def digest(*parts: str) -> str:
    """Return a short name for texts."""
    return hashlib.sha256("\x00".join(parts).encode()).hexdigest()


def fields_of(value: Any) -> dict[str, Any]:
    """The fields of a state, whatever holds them; empty for anything else."""
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, BaseModel):
        return {name: getattr(value, name) for name in type(value).model_fields}
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in fields(value)}
    return {}


def renamed(value: Any, names: Mapping[str, str]) -> Any:
    """Return a copy of a value in which every text that is one of the names is replaced."""
    if not names:
        return value
    return rebuilt(value, lambda text: names.get(text, text))


def rebuilt(value: Any, of: Callable[[str], str]) -> Any:
    """Return a copy of a value whose texts are replaced; what is no data is kept as it is."""
    if isinstance(value, Enum):
        return value
    if isinstance(value, str):
        return of(value)
    if isinstance(value, Mapping):
        return {rebuilt(k, of): rebuilt(x, of) for k, x in value.items()}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(rebuilt(x, of) for x in value))
    if isinstance(value, list | tuple | set | frozenset):
        return type(value)(rebuilt(x, of) for x in value)
    if isinstance(value, Send):
        return Send(value.node, rebuilt(value.arg, of))
    if isinstance(value, Command):
        return replace(value, update=rebuilt(value.update, of), goto=rebuilt(value.goto, of))
    if isinstance(value, BaseModel):
        return value.model_copy(update={k: rebuilt(x, of) for k, x in fields_of(value).items()})
    if is_dataclass(value) and not isinstance(value, type):
        given = {f.name for f in fields(value) if f.init}
        changed = {k: rebuilt(x, of) for k, x in fields_of(value).items() if k in given}
        return replace(value, **changed)
    return value


def _ids(value: Any) -> Iterator[str]:
    """Ids of messages and tool calls, in order of appearance."""
    if isinstance(value, BaseMessage):
        if value.id:
            yield value.id
        calls = [call.get("id") for call in getattr(value, "tool_calls", None) or []]
        yield from (x for x in (*calls, getattr(value, "tool_call_id", None)) if x)
        return
    for part in _parts(value):
        yield from _ids(part)


def _parts(value: Any) -> list[Any]:
    if isinstance(value, list | tuple):
        return list(value)
    if isinstance(value, Send):
        return [value.arg]
    if isinstance(value, Command):
        return [value.update, value.goto]
    return list(fields_of(value).values())


def _plain(value: Any, ids: Mapping[str, str]) -> Any:
    if isinstance(value, Enum):
        return [type(value).__name__, value.name]
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, str):
        return ids.get(value, value)
    if isinstance(value, bytes):
        return ["bytes", value.hex()]
    if isinstance(value, BaseMessage):
        return {
            "message": type(value).__name__,
            **{k: _plain(x, ids) for k, x in fields_of(value).items() if k not in NOT_SAID and x},
        }
    if isinstance(value, Mapping):
        return {str(k): _plain(value[k], ids) for k in sorted(value, key=str)}
    if isinstance(value, set | frozenset):
        return sorted((_plain(x, ids) for x in value), key=str)
    if isinstance(value, list | tuple):
        return [_plain(x, ids) for x in value]
    if isinstance(value, Send):
        return {"send": value.node, "arg": _plain(value.arg, ids)}
    if isinstance(value, Command):
        return {"update": _plain(value.update, ids), "goto": _plain(value.goto, ids)}
    if found := fields_of(value):
        # Without its class: a trace has it as a plain object.
        return {k: _plain(found[k], ids) for k in sorted(found)}
    return _text(value)


def _text(value: Any) -> list[str]:
    """Other values by their own text, unless that text is an address in memory."""
    shown = repr(value)
    if hex(id(value))[2:] in shown or " at 0x" in shown:
        raise Incomparable(
            f"a {type(value).__name__} in the state has no text of its own: keep plain data, "
            "messages, pydantic models or dataclasses there"
        )
    return [type(value).__name__, shown]
