"""Node calls, kept on disk: what was asked once is never paid for twice.

One row is one call: the node, its input without random ids, the how-manieth time this run asked
just that, and the sample. So a second run makes no call, and a run that was stopped goes on.
"""

import json
import sqlite3
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.types import Command, Send

Tokens = dict[str, tuple[int, int]]
"""Model → input and output tokens."""


@dataclass(frozen=True)
class Inner:
    """An agent that was called as a tool within a call.

    Attributes:
        path: of the tool.
        given: its arguments.
        output: its answer; the id of the tool call is replaced.
        tokens: what its own models read and wrote.
        models: how many model calls it made.
        tools: the tools that acted in it.
        seconds: that it took, without those of agents that it called.
    """

    path: str
    given: Any
    output: Any
    tokens: Tokens
    models: int
    tools: tuple[str, ...]
    seconds: float = 0.0


@dataclass(frozen=True)
class Call:
    """What a node answered.

    Attributes:
        output: its update, or a Command; ids that it took from its input are numbered.
        tokens: what its models read and wrote.
        models: how many model calls it made.
        tools: the tools that acted.
        puts: what it wrote to the store: (namespace, key, value).
        inner: agents that it called as tools.
        asked: the paths of all that it called, also of those that were absent: who is absent among
            them is part of the question.
        places: nodes within it that asked a model.
        seconds: that it took when it was made, without those of agents that it called.
    """

    output: Any
    tokens: Tokens = field(default_factory=dict)
    models: int = 0
    tools: tuple[str, ...] = ()
    puts: tuple[tuple[tuple[str, ...], str, Any], ...] = ()
    inner: tuple[Inner, ...] = ()
    asked: frozenset[str] = frozenset()
    places: tuple[str, ...] = ()
    seconds: float = 0.0


@dataclass(frozen=True)
class Tupled:
    """A tuple, which would come back from the file as a list."""

    parts: list[Any]


class Calls:
    """The kept calls of one app.

    Args:
        path: an SQLite file; None keeps them in memory for this object's life.
        app: whose calls these are: an app whose code changed has another name.
    """

    def __init__(self, path: Path | None, app: str) -> None:
        if path:
            path.parent.mkdir(parents=True, exist_ok=True)
        self._base = sqlite3.connect(
            path or ":memory:", isolation_level=None, check_same_thread=False
        )
        self.app = app
        # Their own types come back as they were: it is the owner's own app that wrote them.
        self._serial = JsonPlusSerializer(allowed_msgpack_modules=True)
        self._base.execute("PRAGMA busy_timeout = 20000")
        # A killed process loses nothing; a power cut may lose the last calls, never an older one.
        self._base.execute("PRAGMA journal_mode = WAL")
        self._base.execute("PRAGMA synchronous = NORMAL")
        self._base.execute(
            "CREATE TABLE IF NOT EXISTS calls"
            " (app TEXT, key TEXT, kind TEXT, output BLOB, about TEXT, PRIMARY KEY (app, key))"
        )
        self._base.execute(
            "CREATE TABLE IF NOT EXISTS used (app TEXT, question TEXT, key TEXT,"
            " PRIMARY KEY (app, question, key))"
        )
        self._base.execute(
            "CREATE TABLE IF NOT EXISTS begun (app TEXT, key TEXT, tool TEXT,"
            " PRIMARY KEY (app, key, tool))"
        )

    def used(self, question: str, key: str) -> None:
        """Remember that a question needs a call: who asks it again makes none."""
        self._base.execute("INSERT OR IGNORE INTO used VALUES (?, ?, ?)", (self.app, question, key))

    def is_answered(self, questions: Iterable[str], how: str) -> bool:
        """Return whether all that these questions take was played before.

        Args:
            questions: one for each unit.
            how: which coalitions that were.
        """
        rows = self._base.execute(
            "SELECT question FROM used WHERE app = ? AND key = ?", (self.app, how)
        )
        return {question for (question,) in rows} >= set(questions)

    def variants(self, base: str) -> list[frozenset[str]]:
        """Which agents a call asked, in each way that it was made: another way is another call."""
        rows = self._base.execute(
            "SELECT key FROM used WHERE app = ? AND question = ?", (self.app, base)
        )
        return [frozenset(json.loads(asked)) for (asked,) in rows]

    def kept(self, questions: Iterable[str]) -> int:
        """Return how many of the calls that these questions needed are kept."""
        keys = {
            key
            for question in questions
            for (key,) in self._base.execute(
                "SELECT key FROM used JOIN calls USING (app, key) WHERE app = ? AND question = ?",
                (self.app, question),
            )
        }
        return len(keys)

    def get(self, key: str) -> Call | None:
        """Return the call under a key; each time a copy of its own."""
        found = self._base.execute(
            "SELECT kind, output, about FROM calls WHERE app = ? AND key = ?", (self.app, key)
        ).fetchone()
        if found is None:
            return None
        kind, output, about = found
        known = json.loads(about)
        loaded = self._serial.loads_typed((kind, output))
        return Call(
            output=_untupled(loaded["output"]),
            tokens={model: (spent[0], spent[1]) for model, spent in known["tokens"].items()},
            models=known["models"],
            tools=tuple(known["tools"]),
            puts=tuple((tuple(space), name, value) for space, name, value in loaded["puts"]),
            inner=tuple(_inner(*one) for one in loaded["inner"]),
            asked=frozenset(known["asked"]),
            places=tuple(known["places"]),
            seconds=known["seconds"],
        )

    def put(self, key: str, call: Call) -> Call:
        """Keep a call; the first under a key stays. What is kept, as a copy.

        Raises:
            TypeError: the output holds something that cannot be written down.
        """
        try:
            kind, output = self._serial.dumps_typed(
                {
                    "output": _tupled(call.output),
                    "puts": [list(put) for put in call.puts],
                    "inner": [_row(one) for one in call.inner],
                }
            )
        except Exception as error:
            raise TypeError(f"what it wrote cannot be kept: {error}") from None
        about = {
            "tokens": call.tokens,
            "models": call.models,
            "tools": call.tools,
            "asked": sorted(call.asked),
            "places": call.places,
            "seconds": call.seconds,
        }
        self._base.execute(
            "INSERT OR IGNORE INTO calls VALUES (?, ?, ?, ?, ?)",
            (self.app, key, kind, output, json.dumps(about)),
        )
        kept = self.get(key)
        assert kept is not None
        return kept

    def acting(self, key: str) -> "Acting":
        """Return where the tools that begin to act in a call are written down, until it is kept."""
        return Acting(self._base, self.app, key)

    def close(self) -> None:
        """Close the file."""
        self._base.close()


@dataclass(frozen=True)
class Acting:
    """Tools that began to act in a call that is not kept yet."""

    base: sqlite3.Connection
    app: str
    key: str

    def begun(self) -> list[str]:
        """Tools that began in an earlier try, whose effect nobody knows."""
        rows = self.base.execute(
            "SELECT tool FROM begun WHERE app = ? AND key = ?", (self.app, self.key)
        )
        return [tool for (tool,) in rows]

    def begin(self, tool: str) -> None:
        """Write down that a tool is about to act."""
        self.base.execute("INSERT OR IGNORE INTO begun VALUES (?, ?, ?)", (*self._id, tool))

    def done(self) -> None:
        """The call is kept: nothing is unknown any more."""
        self.base.execute("DELETE FROM begun WHERE app = ? AND key = ?", self._id)

    @property
    def _id(self) -> tuple[str, str]:
        return self.app, self.key


def _tupled(value: Any) -> Any:
    """Return a copy in which plain tuples are marked."""
    if type(value) is tuple:
        return Tupled([_tupled(part) for part in value])
    return _parts(value, _tupled)


def _untupled(value: Any) -> Any:
    """Return a copy in which what was marked is a tuple again."""
    if isinstance(value, Tupled):
        return tuple(_untupled(part) for part in value.parts)
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


def _row(one: Inner) -> list[Any]:
    said = [one.path, _tupled(one.given), _tupled(one.output)]
    return [*said, one.tokens, one.models, one.tools, one.seconds]


def _inner(path: str, given: Any, output: Any, tokens: Any, *rest: Any) -> Inner:
    """As it was kept; tuples come back as lists."""
    known = {model: (spent[0], spent[1]) for model, spent in tokens.items()}
    models, tools, seconds = rest
    return Inner(path, _untupled(given), _untupled(output), known, models, tuple(tools), seconds)


def added(all_tokens: Mapping[str, tuple[int, int]], more: Mapping[str, tuple[int, int]]) -> Tokens:
    """Return tokens by model, summed."""
    total = dict(all_tokens)
    for model, (read, written) in more.items():
        before = total.get(model, (0, 0))
        total[model] = (before[0] + read, before[1] + written)
    return total
