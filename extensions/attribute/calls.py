"""The cache of node calls on disk: the same question is never paid for twice.

A row's key is the node, its input without random ids, the sample, and how often this play has asked
the same question before. So a second run makes no call, and a stopped run resumes.
"""

import json
import sqlite3
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Lock
from typing import Any

from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.types import Command, Send

Tokens = dict[str, tuple[int, int]]
"""Model → (input tokens, output tokens)."""

_TUPLE = "coop:tuple"
"""The mark of a tuple, which the file would otherwise return as a list."""

_TABLES = (
    "kept (app TEXT, key TEXT, kind TEXT, call BLOB, PRIMARY KEY (app, key))",
    "needed (app TEXT, question TEXT, key TEXT, PRIMARY KEY (app, question, key))",
    "acting (app TEXT, key TEXT, tool TEXT, PRIMARY KEY (app, key, tool))",
)


@dataclass(frozen=True)
class Took:
    """The resources that a call used, without resources of agents that it called as tools.

    Attributes:
        tokens: the tokens that the call's models read and wrote, by model.
        models: the number of model calls.
        tools: the tools that acted.
        seconds: the call's duration.
    """

    tokens: Tokens = field(default_factory=dict)
    models: int = 0
    tools: tuple[str, ...] = ()
    seconds: float = 0.0


@dataclass(frozen=True)
class Inner:
    """A call of an agent as a tool, while another agent's call was under way.

    Attributes:
        path: the tool's path.
        given: the tool's arguments.
        output: the tool's answer, with a placeholder for the id of the tool call.
        took: the resources that the agent used.
    """

    path: str
    given: Any
    output: Any
    took: Took


@dataclass(frozen=True)
class Call:
    """The answer of a node, with its side effects and the resources that it used.

    Attributes:
        output: the node's update or Command; a number stands for each id of the node's input.
        took: the resources that the call used.
        puts: the node's writes to the store: (namespace, key, value).
        inner: the agents that it called as tools.
        asked: the paths of all agents that it called, present or absent. The absent ones are a
            part of this call's key.
        places: nodes within this node that asked a model.
        changed: the values of the node's input that the node changed in place, by key.
    """

    output: Any
    took: Took = field(default_factory=Took)
    puts: tuple[tuple[tuple[str, ...], str, Any], ...] = ()
    inner: tuple[Inner, ...] = ()
    asked: frozenset[str] = frozenset()
    places: tuple[str, ...] = ()
    changed: Mapping[str, Any] = field(default_factory=dict)


class Calls:
    """The cached node calls of one app.

    Args:
        path: an SQLite file.
        app: a name for the app and its code, which changes with the code.

    Raises:
        ValueError: the file cannot be used.
    """

    def __init__(self, path: Path, app: str) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            self._base = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
            self._prepare()
        except sqlite3.DatabaseError as error:
            raise ValueError(f"the kept calls in {path} cannot be used: {error}") from None
        self._alone = Lock()
        self.app = app
        # The app itself wrote this file, so loading the app's own types from the file is safe.
        self._serial = JsonPlusSerializer(allowed_msgpack_modules=True)

    def _prepare(self) -> None:
        self._base.execute("PRAGMA busy_timeout = 20000")
        # A killed process loses nothing; a power cut may lose the latest calls, but no older ones.
        self._base.execute("PRAGMA journal_mode = WAL")
        self._base.execute("PRAGMA synchronous = NORMAL")
        for table in _TABLES:
            self._base.execute(f"CREATE TABLE IF NOT EXISTS {table}")

    def used(self, question: str, key: str) -> None:
        """Record that plays of an input (`question` is its hash) need the call under this key."""
        self._run("INSERT OR IGNORE INTO needed VALUES (?, ?, ?)", self.app, question, key)

    def is_answered(self, questions: Iterable[str], how: str) -> bool:
        """Return whether a set of coalitions was played before on every input.

        Args:
            questions: a hash for each sample of an input (`Stage.question`).
            how: the name of the set of coalitions.
        """
        rows = self._run("SELECT question FROM needed WHERE app = ? AND key = ?", self.app, how)
        return {question for (question,) in rows} >= set(questions)

    def variants(self, base: str) -> list[frozenset[str]]:
        """Return, for each cached call of a question, the set of agents that this call called."""
        rows = self._run("SELECT key FROM needed WHERE app = ? AND question = ?", self.app, base)
        return [frozenset(json.loads(asked)) for (asked,) in rows]

    def kept(self, questions: Iterable[str]) -> int:
        """Return the number of cached calls that plays of these inputs (`questions`) need."""
        keys = {
            key
            for question in questions
            for (key,) in self._run(
                "SELECT key FROM needed JOIN kept USING (app, key) WHERE app = ? AND question = ?",
                *(self.app, question),
            )
        }
        return len(keys)

    def get(self, key: str) -> Call | None:
        """Return a fresh copy of the cached call under a key; None if there is none."""
        found = self._run("SELECT kind, call FROM kept WHERE app = ? AND key = ?", self.app, key)
        if not found:
            return None
        row = _untupled(self._serial.loads_typed(found[0]))
        inner = tuple(Inner(**_with_took(one)) for one in row["inner"])
        return Call(**{**_with_took(row), "inner": inner})

    def put(self, key: str, call: Call) -> Call:
        """Store a call unless its key already has one, and return a copy of the stored call.

        Raises:
            TypeError: the call holds something that cannot be serialized.
        """
        inner = [{**vars(one), "took": vars(one.took)} for one in call.inner]
        row = {**vars(call), "took": vars(call.took), "inner": inner}
        try:
            kind, written = self._serial.dumps_typed(_tupled(row))
        except Exception as error:
            raise TypeError(f"its output cannot be kept: {error}") from None
        statement = "INSERT OR IGNORE INTO kept VALUES (?, ?, ?, ?)"
        self._run(statement, self.app, key, kind, written)
        kept = self.get(key)
        assert kept is not None
        return kept

    def begun(self, key: str) -> list[str]:
        """Return the tools that may have acted in a call that began but never ended."""
        rows = self._run("SELECT tool FROM acting WHERE app = ? AND key = ?", self.app, key)
        return [tool for (tool,) in rows]

    def begin(self, key: str, tool: str) -> None:
        """Record that a tool is about to act in a call."""
        self._run("INSERT OR IGNORE INTO acting VALUES (?, ?, ?)", self.app, key, tool)

    def ended(self, key: str) -> None:
        """Forget the tools that began to act in a call, because the call has ended."""
        self._run("DELETE FROM acting WHERE app = ? AND key = ?", self.app, key)

    def _run(self, statement: str, *values: Any) -> list[Any]:
        # A tool's thread may still run after the play has ended, and SQLite crashes the process
        # if a connection is closed while another thread uses it.
        with self._alone:
            return self._base.execute(statement, values).fetchall()

    def close(self) -> None:
        """Close the file of cached calls."""
        with self._alone:
            self._base.close()


def _with_took(row: Mapping[str, Any]) -> dict[str, Any]:
    return {**row, "took": Took(**row["took"])}


def _tupled(value: Any) -> Any:
    """Return a copy in which plain tuples are marked."""
    if type(value) is tuple:
        return {_TUPLE: [_tupled(part) for part in value]}
    return _parts(value, _tupled)


def _untupled(value: Any) -> Any:
    """Return a copy in which every marked tuple is a tuple again."""
    if type(value) is dict and list(value) == [_TUPLE]:
        return tuple(_untupled(part) for part in value[_TUPLE])
    return _parts(value, _untupled)


def _parts(value: Any, of: Callable[[Any], Any]) -> Any:
    if type(value) is dict:
        return {key: of(part) for key, part in value.items()}
    if type(value) is list:
        return [of(part) for part in value]
    if isinstance(value, Send):
        return Send(value.node, of(value.arg))
    if isinstance(value, Command):
        return replace(value, update=of(value.update), goto=of(value.goto))
    return value


def added(all_tokens: Mapping[str, tuple[int, int]], more: Mapping[str, tuple[int, int]]) -> Tokens:
    """Return the sums, by model, of two dicts of token counts."""
    total = dict(all_tokens)
    for model, (read, written) in more.items():
        before = total.get(model, (0, 0))
        total[model] = (before[0] + read, before[1] + written)
    return total
