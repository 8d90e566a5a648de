"""The canonical text of a node's input, without random ids; the cache compares these texts.

Every run gives messages and tool calls new ids. Two inputs that differ only in ids are the same
question. So ids are numbered in the order in which they appear in the input. A cached answer refers
to ids by number; when it is reused, the numbers are replaced by the ids of the current run.
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
"""Fields of a message that do not influence the next node."""


class Incomparable(ValueError):
    """The error if the text of a value differs from run to run."""


def canonical(value: Any, without: Collection[str] = ()) -> tuple[str, dict[str, str]]:
    """Return a text that is equal for equal values, and the ids in the value.

    Args:
        value: a node's input: plain data, messages, pydantic models, dataclasses.
        without: top-level keys to leave out, such as the remaining steps.

    Returns:
        The text, and a dict from each id to its numbered placeholder.

    Raises:
        Incomparable: the value holds an object whose text differs from run to run.
    """
    items = {key: x for key, x in fields_of(value).items() if key not in without}
    shown: Any = items if items or isinstance(value, Mapping) else value
    ids: dict[str, str] = {}
    for found in _ids(shown):
        ids.setdefault(found, f"coop:id:{len(ids)}")
    return json.dumps(_plain(shown, ids), ensure_ascii=False, separators=(",", ":")), ids


def digest(*parts: str) -> str:
    """Return a SHA-256 hash of several texts."""
    return hashlib.sha256("\x00".join(parts).encode()).hexdigest()


def fields_of(value: Any) -> dict[str, Any]:
    """Return the fields of a mapping, pydantic model or dataclass; {} for other values."""
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, BaseModel):
        return {name: getattr(value, name) for name in type(value).model_fields}
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in fields(value)}
    return {}


def renamed(value: Any, names: Mapping[str, str]) -> Any:
    """Return a copy of a value in which every text that is a key of `names` is replaced."""
    if not names:
        return value
    return rebuilt(value, lambda text: names.get(text, text))


def rebuilt(value: Any, of: Callable[[str], str]) -> Any:
    """Return a copy of a value with of(x) in place of each text x; unknown objects are shared."""
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
    """Yield the ids of messages and tool calls, in order of appearance."""
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
        # Leave the class out: a trace holds this value as a JSON object, and both must be equal.
        return {k: _plain(found[k], ids) for k in sorted(found)}
    return _text(value)


def _text(value: Any) -> list[str]:
    """Return a value's class and `repr`, if the `repr` contains no memory address."""
    shown = repr(value)
    if hex(id(value))[2:] in shown or " at 0x" in shown:
        raise Incomparable(
            f"a {type(value).__name__} in the state has no canonical text: keep plain data, "
            "messages, pydantic models or dataclasses there"
        )
    return [type(value).__name__, shown]
