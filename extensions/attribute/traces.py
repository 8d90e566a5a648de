"""Recorded runs from LangSmith, whose node calls need not be repeated.

An export is a file of JSON lines, one run per line, with LangSmith's fields: `id`,
`parent_run_id`, `name`, `inputs`, `outputs`, `error`, and `extra.metadata` with the namespace of
the node (`langgraph_checkpoint_ns`). Runs without a parent are runs of the app, and their inputs
are the inputs of the attribution.

Two kinds of output cannot be replayed, and are reported as unreadable: a Command that older clients
wrote as text, and the handoff of a subgraph to its parent, which a trace records as an error.
"""

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from langchain_core.messages import AnyMessage
from langgraph.types import Command, Send
from pydantic import TypeAdapter

from shapley_coop.extensions.attribute.calls import Tokens, Took, added
from shapley_coop.extensions.attribute.naming import named_in
from shapley_coop.extensions.attribute.scope import path_of
from shapley_coop.files import read_text

TYPES = {
    "HumanMessage": "human",
    "AIMessage": "ai",
    "SystemMessage": "system",
    "ToolMessage": "tool",
    "ChatMessage": "chat",
    "RemoveMessage": "remove",
}
_MESSAGE: TypeAdapter[Any] = TypeAdapter(AnyMessage)
_COMMAND = {"graph", "update", "resume", "goto"}


class Unreadable(ValueError):
    """The error of an output that cannot be replayed."""


@dataclass(frozen=True)
class NodeRun:
    """One call of a node in a recorded run; `root` is the number of the run, from 1."""

    root: int
    path: str
    given: Any
    output: Any
    took: Took


@dataclass
class Recorded:
    """The content of a file of traces.

    Attributes:
        inputs: the inputs of the app's runs, in the file's order.
        runs: the runs of nodes, in the order in which they began.
        unreadable: path → the reason why the node's output cannot be replayed.
    """

    inputs: list[Any] = field(default_factory=list)
    runs: list[NodeRun] = field(default_factory=list)
    unreadable: dict[str, str] = field(default_factory=dict)


def read_traces(file: Path) -> Recorded:
    """Return the recorded runs of a LangSmith export.

    Raises:
        ValueError: the file cannot be read, or has no run without a parent.
    """
    rows = list(_rows(file))
    found, known = Recorded(), {str(row.get("id")): row for row in rows}
    below = defaultdict(list)
    for row in rows:
        below[str(row.get("parent_run_id") or "")].append(row)
    found.inputs = [_data(row.get("inputs") or {}) for row in below[""]]
    if not found.inputs:
        raise ValueError(f"{file}: has no root run: export whole runs of the app")
    roots = {str(row["id"]): number for number, row in enumerate(below[""], start=1)}
    for row in sorted(rows, key=_order):
        place, root = _place(row), roots.get(_root(row, known), 0)
        if not place or place == _place(known.get(str(row.get("parent_run_id")), {})):
            continue
        path = path_of(place)
        try:
            output = _output(row)
        except Unreadable as reason:
            found.unreadable[path] = str(reason)
            continue
        given = _data(row.get("inputs") or {})
        found.runs.append(NodeRun(root, path, given, output, Took(*_spent(row, below))))
    return found


def json_lines(file: Path, kind: str) -> Iterator[tuple[str, Any]]:
    """Yield pairs of a line's position, as text for error messages, and the line's value.

    Raises:
        ValueError: the file cannot be read, or a line is not JSON.
    """
    for number, line in enumerate(read_text(file, kind).splitlines(), start=1):
        if line.strip():
            try:
                yield f"{file}, line {number}", json.loads(line)
            except ValueError as error:
                raise ValueError(f"{file}, line {number}: is not JSON: {error}") from None


def _rows(file: Path) -> Iterator[dict[str, Any]]:
    for where, row in json_lines(file, "traces"):
        if not isinstance(row, dict) or "id" not in row or "inputs" not in row:
            raise ValueError(f"{where}: is not a run: id and inputs are needed")
        yield row


def _order(row: Mapping[str, Any]) -> tuple[str, str]:
    return str(row.get("start_time") or ""), str(row.get("dotted_order") or "")


def _root(row: Mapping[str, Any], known: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the id of the app's run to which a run belongs."""
    seen: set[str] = set()
    while (parent := str(row.get("parent_run_id") or "")) in known and parent not in seen:
        seen.add(parent)
        row = known[parent]
    return str(row["id"])


def _place(row: Mapping[str, Any]) -> str:
    about = (row.get("extra") or {}).get("metadata") or {}
    return str(about.get("langgraph_checkpoint_ns") or "")


def _output(row: Mapping[str, Any]) -> Any:
    """Return the output of a node's run.

    Raises:
        Unreadable: the run failed, handed over to its parent, or wrote a Command as text.
    """
    if error := row.get("error"):
        name = str(error).partition("(")[0].strip() or "an error"
        raise Unreadable(f"it ended in {name}, of which a trace keeps only the text")
    output = row.get("outputs")
    if output is None or output == {}:
        return None if output is None else {}
    if set(output) == {"output"}:
        output = output["output"]
    if isinstance(output, str) and output.startswith("Command("):
        raise Unreadable("its output is a Command, of which a trace keeps only the text")
    if isinstance(output, Mapping) and output.get("type") == "not_implemented":
        raise Unreadable("its output is a Command, of which a trace keeps only the text")
    return _data(output)


def _data(value: Any) -> Any:
    """Return JSON data with its messages, commands and sends as objects."""
    if isinstance(value, list):
        return [_data(x) for x in value]
    if not isinstance(value, Mapping):
        return value
    if set(value) == _COMMAND:
        goto = _data(value["goto"])
        return Command(graph=value["graph"], update=_data(value["update"]), goto=goto or ())
    if set(value) == {"node", "arg"}:
        return Send(value["node"], _data(value["arg"]))
    if value.get("lc") and value.get("type") == "constructor":
        kind = TYPES.get(str((value.get("id") or [""])[-1]))
        if kind:
            return _MESSAGE.validate_python({**value.get("kwargs", {}), "type": kind})
    if "content" in value and value.get("type") in TYPES.values():
        return _MESSAGE.validate_python(dict(value))
    return {key: _data(x) for key, x in value.items()}


def _spent(row: Mapping[str, Any], below: Mapping[str, list[dict[str, Any]]]) -> tuple[Tokens, int]:
    """Return the tokens and the number of all model calls within a run."""
    total, models = Tokens(), 0
    for child in below.get(str(row.get("id")), []):
        if child.get("run_type") == "llm":
            model = named_in(child.get("extra") or {})
            read, written = child.get("prompt_tokens"), child.get("completion_tokens")
            total, models = added(total, {model: (read or 0, written or 0)}), models + 1
        more, count = _spent(child, below)
        total, models = added(total, more), models + count
    return total, models
