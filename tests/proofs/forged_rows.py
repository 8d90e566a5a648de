"""Forged rows of the checkpoint file: each would execute something under permissive loading."""

import json
import pickle
import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import ormsgpack

from shapley_coop.state.storage.checkpoints.serializer import PACKED, unpack
from shapley_coop.state.storage.packing import deflate

OURS, THEIRS = "ours", "theirs"
MODULE = "canary_that_sings_when_imported"
SECRET = "CANARY_KEY"

SINGLE, POSITIONAL, KEYWORDS, METHOD, PYDANTIC_1, PYDANTIC_2, NUMPY, SNAPSHOT = range(8)
"""LangGraph's msgpack extensions: what each is to be rebuilt from."""

LATEST = "thread_id = 'ours' and checkpoint_ns = '' order by checkpoint_id desc limit 1"
WRITES = "thread_id = 'ours' and checkpoint_ns = '' and channel = 'status'"


@dataclass(frozen=True)
class Nest:
    """Where the canary is.

    Attributes:
        canary: the file that appears if anything is executed.
        module: Python source which makes it; on the path under `MODULE`.
    """

    canary: Path
    module: Path

    @property
    def sing(self) -> str:
        """A line of Python that executes something."""
        return f"__import__('pathlib').Path({str(self.canary)!r}).touch()"

    def prepare(self) -> None:
        """Put the module where it can be imported from."""
        self.module.write_text(f"{self.sing}\nclass Model:\n    def __init__(self, *a, **k): ...\n")


Tamper = Callable[[sqlite3.Connection, Nest], None]


class Sings:
    """An object whose pickle is a call."""

    def __init__(self, code: str) -> None:
        self.code = code

    def __reduce__(self) -> tuple[Any, ...]:
        return exec, (self.code,)


def extension(code: int, *parts: Any) -> ormsgpack.Ext:
    return ormsgpack.Ext(code, packed(list(parts)))


def packed(value: Any) -> bytes:
    return ormsgpack.packb(value, default=_as_it_is, option=ormsgpack.OPT_NON_STR_KEYS)


def _as_it_is(value: Any) -> Any:
    return value


def calls(nest: Nest) -> dict[str, ormsgpack.Ext]:
    """What would import, open or call something if it were rebuilt."""
    shell, path = f"touch {nest.canary}", str(nest.canary)
    return {
        "os.system": extension(SINGLE, "os", "system", shell),
        "eval": extension(SINGLE, "builtins", "eval", nest.sing),
        "import_module": extension(SINGLE, "importlib", "import_module", MODULE),
        "pickle.loads": extension(SINGLE, "pickle", "loads", pickle.dumps(Sings(nest.sing))),
        "getoutput": extension(POSITIONAL, "subprocess", "getoutput", [shell]),
        "open": extension(POSITIONAL, "builtins", "open", [path, "w"]),
        "run_path": extension(POSITIONAL, "runpy", "run_path", [str(nest.module)]),
        "check_call": extension(KEYWORDS, "subprocess", "check_call", {"args": ["touch", path]}),
        "a method": extension(METHOD, "pathlib", "Path", path, "touch"),
        "a class": extension(SINGLE, MODULE, "Model", 1),
        "a model": extension(PYDANTIC_1, MODULE, "Model", {"a": 1}),
        "a newer model": extension(PYDANTIC_2, MODULE, "Model", {"a": 1}, "model_validate_json"),
    }


def in_the_state(value: Callable[[Nest], Any]) -> Tamper:
    """Put a value where the table's status stands, in an otherwise sound checkpoint."""

    def tamper(books: sqlite3.Connection, nest: Nest) -> None:
        content = _latest(books)
        content["channel_values"]["status"] = value(nest)
        _replace(books, PACKED, deflate(packed(content)))

    return tamper


def in_a_write(kind: str, value: Callable[[Nest], bytes]) -> Tamper:
    """Put a value in the place of what a node wrote and no checkpoint has yet."""

    def tamper(books: sqlite3.Connection, nest: Nest) -> None:
        query = f"select checkpoint_id from checkpoints where {LATEST}"
        (latest,) = books.execute(query).fetchone()
        row = (OURS, "", latest, "forged-task", "", 0, "status", kind, value(nest))
        books.execute("insert into writes values (?,?,?,?,?,?,?,?,?)", row)
        books.execute(
            "update writes set type = ?, value = ? where thread_id = ? and checkpoint_id = ?",
            (kind, value(nest), OURS, latest),
        )

    return tamper


def as_the_row(kind: str | None, value: Callable[[Nest], bytes]) -> Tamper:
    """Put something else in the place of the latest checkpoint."""
    return lambda books, nest: _replace(books, kind, value(nest))


def revised(change: Callable[[bytes], bytes]) -> Tamper:
    """Damage the latest checkpoint's bytes."""

    def tamper(books: sqlite3.Connection, nest: Nest) -> None:
        query = f"select type, checkpoint from checkpoints where {LATEST}"
        kind, content = books.execute(query).fetchone()
        _replace(books, kind, change(content))

    return tamper


def swapped(source: str) -> Tamper:
    """Put another row of the same file in the place of the latest checkpoint."""

    def tamper(books: sqlite3.Connection, nest: Nest) -> None:
        kind, content = books.execute(f"select type, checkpoint from {source}").fetchone()
        _replace(books, kind, content)

    return tamper


def plaintext(books: sqlite3.Connection, nest: Nest) -> None:
    """The latest checkpoint, as JSON that anybody could write."""
    _replace(books, "json", json.dumps(_latest(books)).encode())


def another_game(books: sqlite3.Connection, nest: Nest) -> None:
    """A sound checkpoint of another room, whose game would be imported."""
    content = _latest(books)
    content["channel_values"]["settings"]["game"] = f"pettingzoo:{MODULE}:Model"
    _replace(books, "msgpack", packed(content))


def metadata(books: sqlite3.Connection, nest: Nest) -> None:
    """Metadata that are no JSON."""
    books.execute(f"update checkpoints set metadata = '{{' where rowid = ({_rowid()})")


def rows() -> Iterator[tuple[str, Tamper]]:
    """Fifty of them; neighbours differ in kind, so that any first few are a fair sample."""
    nest = Nest(Path(), Path())
    kinds = [*_extensions(list(calls(nest))), *_foreign(), *_misplaced()]
    yield from kinds[::3]
    yield from kinds[1::3]
    yield from kinds[2::3]


def _extensions(names: list[str]) -> Iterator[tuple[str, Tamper]]:
    for name in names:
        yield f"{name} in the state", in_the_state(lambda nest, name=name: calls(nest)[name])
        yield (
            f"{name} in a write",
            in_a_write("msgpack", lambda nest, n=name: packed(calls(nest)[n])),
        )
    wrapped: dict[str, Callable[[Nest], Any]] = {
        "a snapshot": lambda nest: ormsgpack.Ext(SNAPSHOT, packed(calls(nest)["eval"])),
        "a Send": lambda nest: extension(
            POSITIONAL, "langgraph.types", "Send", ["act", calls(nest)["eval"]]
        ),
        "an Overwrite": lambda nest: extension(
            KEYWORDS, "langgraph.types", "Overwrite", {"value": calls(nest)["eval"]}
        ),
        "an array of objects": lambda nest: extension(NUMPY, "|O", [1], "C", b"\0" * 8),
    }
    for name, value in wrapped.items():
        yield f"{name} around a call", in_the_state(value)


def _foreign() -> Iterator[tuple[str, Tamper]]:
    yield "a pickle", as_the_row("pickle", lambda nest: pickle.dumps(Sings(nest.sing)))
    yield "a pickle in a write", in_a_write("pickle", lambda nest: pickle.dumps(Sings(nest.sing)))
    made = {"lc": 2, "type": "constructor", "id": [MODULE, "Model"], "args": [1]}
    called = {"lc": 2, "type": "constructor", "id": ["builtins", "eval"]}
    older = {"lc": 1, "type": "constructor", "id": [MODULE, "Model"], "kwargs": {}}
    secret = {"lc": 1, "type": "secret", "id": [SECRET]}
    yield "a JSON constructor", as_the_row("json", lambda _: json.dumps(made).encode())
    yield "an older JSON constructor", as_the_row("json", lambda _: json.dumps(older).encode())
    yield "a JSON secret", as_the_row("json", lambda _: json.dumps({"v": secret}).encode())
    yield "JSON in a write", in_a_write("json", lambda _: json.dumps(made).encode())
    yield (
        "a JSON call",
        in_a_write("json", lambda nest: json.dumps({**called, "args": [nest.sing]}).encode()),
    )
    yield "a JSON secret in a write", in_a_write("json", lambda _: json.dumps(secret).encode())
    yield "plaintext", plaintext
    yield "source code", as_the_row("python", lambda nest: nest.sing.encode())
    yield "no type", as_the_row(None, lambda nest: nest.sing.encode())
    yield "bytes", as_the_row("bytes", lambda nest: nest.sing.encode())


def _misplaced() -> Iterator[tuple[str, Tamper]]:
    other = "checkpoints where thread_id = 'theirs' and checkpoint_ns = '' order by checkpoint_id"
    first = "checkpoints where thread_id = 'ours' and checkpoint_ns = '' order by checkpoint_id"
    yield "another run's end", swapped(f"{other} desc limit 1")
    yield "another run's beginning", swapped(f"{other} limit 1")
    yield "another run's middle", swapped(f"{other} limit 1 offset 5")
    yield "an older one", swapped(f"{first} limit 1")
    yield "another room", another_game
    yield "half", revised(lambda content: content[: len(content) // 2])
    yield "nothing", revised(lambda _: b"")
    yield "flipped bits", revised(lambda content: bytes(byte ^ 0x55 for byte in content))
    yield "nested without end", revised(lambda _: deflate(b"\x91" * 100_000))
    yield "metadata", metadata


def unpacked(kind: str, content: bytes) -> tuple[str, bytes]:
    """A row as LangGraph's own serializers read it."""
    return ("msgpack", unpack(content)) if kind == PACKED else (kind, content)


def _latest(books: sqlite3.Connection) -> dict[str, Any]:
    row = books.execute(f"select type, checkpoint from checkpoints where {LATEST}").fetchone()
    found: dict[str, Any] = ormsgpack.unpackb(
        unpacked(*row)[1], ext_hook=ormsgpack.Ext, option=ormsgpack.OPT_NON_STR_KEYS
    )
    return found


def _replace(books: sqlite3.Connection, kind: str | None, content: bytes) -> None:
    books.execute(
        f"update checkpoints set type = ?, checkpoint = ? where rowid = ({_rowid()})",
        (kind, content),
    )


def _rowid() -> str:
    return f"select rowid from checkpoints where {LATEST}"
