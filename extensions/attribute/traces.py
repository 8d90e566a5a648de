"""Recorded runs from LangSmith: node runs hold inputs and outputs, and need not be made again.

An export is a file of JSON lines, a run each, with the fields of its runs: `id`,
`parent_run_id`, `name`, `inputs`, `outputs`, `error`, and `extra.metadata` with the namespace of
the node (`langgraph_checkpoint_ns`). The runs without a parent are the app's, and their inputs are
the inputs.

What was not traced as data cannot be replayed, and is named: a Command that older clients write as
text, and a subgraph that handed over to its parent, whose command is an error there.
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
    """An output that is no data."""


@dataclass(frozen=True)
class NodeRun:
    """One time a node was asked in a recorded run; `root` is the run's number, from 1."""

    root: int
    path: str
    given: Any
    output: Any
    took: Took


@dataclass
class Recorded:
    """What a file of traces holds.

    Attributes:
        inputs: of the app's runs, in the file's order.
        runs: of nodes, in the order in which they began.
        unreadable: path → why its output cannot be replayed.
    """

    inputs: list[Any] = field(default_factory=list)
    runs: list[NodeRun] = field(default_factory=list)
    unreadable: dict[str, str] = field(default_factory=dict)


def read_traces(file: Path) -> Recorded:
    """Return the recorded runs of a LangSmith export.

    Raises:
        ValueError: it cannot be read, or holds no run of an app.
    """
    rows = list(_rows(file))
    found, known = Recorded(), {str(row.get("id")): row for row in rows}
    below = defaultdict(list)
    for row in rows:
        below[str(row.get("parent_run_id") or "")].append(row)
    found.inputs = [_data(row.get("inputs") or {}) for row in below[""]]
    if not found.inputs:
        raise ValueError(f"{file}: no run without a parent: export the app's whole runs")
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
    """Yield where each line is, as an error names it, and the value that it holds.

    Raises:
        ValueError: the file cannot be read, or a line is no JSON.
    """
    for number, line in enumerate(read_text(file, kind).splitlines(), start=1):
        if line.strip():
            try:
                yield f"{file}, line {number}", json.loads(line)
            except ValueError as error:
                raise ValueError(f"{file}, line {number}: it is no JSON: {error}") from None


def _rows(file: Path) -> Iterator[dict[str, Any]]:
    for where, row in json_lines(file, "traces"):
        if not isinstance(row, dict) or "id" not in row or "inputs" not in row:
            raise ValueError(f"{where}: it is no run: id and inputs are needed")
        yield row


def _order(row: Mapping[str, Any]) -> tuple[str, str]:
    return str(row.get("start_time") or ""), str(row.get("dotted_order") or "")


def _root(row: Mapping[str, Any], known: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the id of the app's run that a run is part of."""
    seen: set[str] = set()
    while (parent := str(row.get("parent_run_id") or "")) in known and parent not in seen:
        seen.add(parent)
        row = known[parent]
    return str(row["id"])


def _place(row: Mapping[str, Any]) -> str:
    about = (row.get("extra") or {}).get("metadata") or {}
    return str(about.get("langgraph_checkpoint_ns") or "")


def _output(row: Mapping[str, Any]) -> Any:
    """Return what a node wrote.

    Raises:
        Unreadable: it failed, handed over to its parent, or wrote a Command that is text here.
    """
    if error := row.get("error"):
        name = str(error).partition("(")[0].strip() or "an error"
        raise Unreadable(f"it ended in {name}, which a trace has as text alone")
    output = row.get("outputs")
    if output is None or output == {}:
        return None if output is None else {}
    if set(output) == {"output"}:
        output = output["output"]
    if isinstance(output, str) and output.startswith("Command("):
        raise Unreadable("its output is the text of a Command, not its data")
    if isinstance(output, Mapping) and output.get("type") == "not_implemented":
        raise Unreadable("its output is the text of a Command, not its data")
    return _data(output)


def _data(value: Any) -> Any:
    """JSON with messages, commands and sends as what they were."""
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
    """Return tokens and number of the model runs below a run."""
    total, models = Tokens(), 0
    for child in below.get(str(row.get("id")), []):
        if child.get("run_type") == "llm":
            model = named_in(child.get("extra") or {})
            read, written = child.get("prompt_tokens"), child.get("completion_tokens")
            total, models = added(total, {model: (read or 0, written or 0)}), models + 1
        more, count = _spent(child, below)
        total, models = added(total, more), models + count
    return total, models
