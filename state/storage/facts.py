"""Facts: all durable data except checkpoints; each is written once under its key.

Facts are postings, answers, episodes' ids, requests, waiting letters and seals. If a key is written
again, the first fact stays, and the later writer gets the first fact. So a resumed run, a fork or a
second worker can safely repeat writes. All databases run the same SQL.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from itertools import chain
from pathlib import Path
from threading import Lock
from typing import Any

from shapley_coop.state.storage.at_rest import seal_bytes, unseal_bytes
from shapley_coop.state.storage.databases import Database, Statements, driver
from shapley_coop.state.storage.owners import SERVER, NotYours
from shapley_coop.state.storage.sqlite import SqliteDatabase
from shapley_coop.state.storage.versions import ANOTHER_HOME, BOOKS, check_version

CLAIMED = ("episode", "run", "thread")
"""The kinds of facts whose keys are unique across owners."""

_SQLITE = "sqlite:///"

_COLUMNS = """
    owner TEXT NOT NULL, kind TEXT {bytewise} NOT NULL, scope TEXT {bytewise} NOT NULL,
    key TEXT {bytewise} NOT NULL, value TEXT NOT NULL, body {bytes} NOT NULL
"""
_SCHEMA = (
    f"CREATE TABLE IF NOT EXISTS facts (number {{counted}}, {_COLUMNS})",
    "CREATE UNIQUE INDEX IF NOT EXISTS facts_once ON facts (kind, scope, key, owner)",
    "CREATE UNIQUE INDEX IF NOT EXISTS facts_claimed ON facts (kind, scope, key)"
    f" WHERE kind IN {CLAIMED}",
)
_INSERT = """
    INSERT INTO facts (owner, kind, scope, key, value, body) VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT DO NOTHING RETURNING key
"""
_READ = "SELECT owner, kind, scope, key, value, body FROM facts WHERE "
_LISTED = "SELECT owner, kind, scope, key, value FROM facts WHERE "
_MINE = f"? IN (owner, '{SERVER}')"
_IN_SCOPE = f"kind = ? AND scope = ? AND {_MINE}"

_MOST = 200
"""The most keys or prefixes of keys in one SQL statement."""

_NONE = "-"
"""An SQL pattern that matches no scope."""

_LAST = "\x7f"
"""A character that sorts after all others in keys, which are ASCII."""


@dataclass(frozen=True)
class Fact:
    """One stored fact.

    Attributes:
        kind: the kind, such as an answer or a posting.
        scope: the id of the fact's episode or run; empty if it belongs to neither.
        key: the name, unique within kind and scope, in ASCII; the function `key` makes names.
        value: the public content as JSON, which is never encrypted.
        body: the long or private content, encrypted if an encryption key is set (`at_rest`).
        owner: the owner; set when the fact is read.
    """

    kind: str
    scope: str
    key: str
    value: Mapping[str, Any] = field(default_factory=dict)
    body: bytes = b""
    owner: str = ""


def key(*parts: str | int) -> str:
    """Return the key with the given parts.

    >>> key("Ann", 1)
    '["Ann", 1]'
    """
    return json.dumps(parts)


def key_prefix(*parts: str | int) -> str:
    """Return the prefix of all keys that begin with the given parts and have more parts."""
    return key(*parts)[:-1] + ", "


def parts_of(key: str) -> list[Any]:
    """Return the parts of a key."""
    found: list[Any] = json.loads(key)
    return found


def serial(number: int) -> str:
    """Return a number as text for a key, padded so that keys sort by number."""
    return f"{number:012}"


class Session:
    """A transaction or a read-only session on the facts of one owner.

    Args:
        statements: the database's transaction or session.
        owner: the owner whose facts are read and written.
    """

    def __init__(self, statements: Statements, owner: str) -> None:
        self.execute = statements.execute
        self._owner = owner

    def read(
        self,
        kind: str,
        scope: str,
        keys: Sequence[str] | None = None,
        beginnings: Sequence[str] | None = None,
    ) -> list[Fact]:
        """Return the facts of a kind and a scope, in the order of writing.

        Args:
            keys: the keys of the facts to return; None for all keys.
            beginnings: the prefixes (`key_prefix`) that keys must have, if `keys` is None.
        """
        if keys is not None:
            chosen = [(f"key IN ({', '.join('?' * len(x))})", x) for x in _some(keys)]
        elif beginnings is not None:
            ranges = ([(one, one + _LAST) for one in some] for some in _some(beginnings))
            chosen = [(" OR ".join(["key BETWEEN ? AND ?"] * len(x)), [*chain(*x)]) for x in ranges]
        else:
            chosen = [("TRUE", [])]
        found: list[Fact] = []
        for which, given in chosen:
            query = f"{_READ} {_IN_SCOPE} AND ({which}) ORDER BY number"
            found += [_fact(*row) for row in self.execute(query, kind, scope, self._owner, *given)]
        return found

    def last(self, kind: str, scope: str, begins: str = "") -> Fact | None:
        """Return the fact with the greatest key, among keys that start with `begins`."""
        query = f"{_READ} {_IN_SCOPE} AND key BETWEEN ? AND ? ORDER BY key DESC LIMIT 1"
        rows = self.execute(query, kind, scope, self._owner, begins, begins + _LAST)
        return _fact(*rows[0]) if rows else None

    def every(self, kind: str, like: str = "%", unlike: str = _NONE) -> list[Fact]:
        """Return the facts of a kind from all scopes, without bodies, in the order of writing.

        Args:
            like: an SQL pattern for the scopes of the facts.
            unlike: an SQL pattern for scopes that are left out.
        """
        query = f"{_LISTED} kind = ? AND scope LIKE ? AND scope NOT LIKE ? AND {_MINE}"
        rows = self.execute(f"{query} ORDER BY number", kind, like, unlike, self._owner)
        return [_fact(*row) for row in rows]

    def put(self, *facts: Fact) -> list[Fact | None]:
        """Write facts; for each, return None if its key is new, or else the fact that the key has.

        Raises:
            NotYours: the session is the server's, which writes no facts of its own, or another
                owner has a key of a kind in `CLAIMED`.
        """
        if self._owner == SERVER:
            raise NotYours("the server may write for the owner of a thread, but not for all")
        return [self._put(fact) for fact in facts]

    def _put(self, fact: Fact) -> Fact | None:
        place = (fact.kind, fact.scope, fact.key)
        body = seal_bytes(fact.body) if fact.body else b""
        if self.execute(_INSERT, self._owner, *place, json.dumps(fact.value), body):
            return None
        if found := self.read(fact.kind, fact.scope, [fact.key]):
            return found[0]
        name = f"{fact.kind} {fact.scope[:64]!r}"
        raise NotYours(f"{name} belongs to another thread: start your own run")

    def append(
        self, kind: str, scope: str, value: Mapping[str, Any], *first: str, body: bytes = b""
    ) -> int:
        """Write a fact under the key (*first, N), where N is the next free number; return N.

        The transaction must hold a lock (`Facts.writing`), or another could take N too.
        """
        last = self.last(kind, scope, key_prefix(*first) if first else "")
        number = 1 + (int(parts_of(last.key)[-1] if first else last.key) if last else 0)
        name = key(*first, serial(number)) if first else serial(number)
        self.put(Fact(kind, scope, name, value, body))
        return number

    def forget(self, kind: str, scope: str, keys: Sequence[str] | None = None) -> None:
        """Delete the owner's facts of a kind and a scope; if `keys` are given, only these facts."""
        query = "DELETE FROM facts WHERE kind = ? AND scope = ? AND owner = ?"
        if keys is None:
            self.execute(query, kind, scope, self._owner)
        for name in keys or ():
            self.execute(f"{query} AND key = ?", kind, scope, self._owner, name)


def _some(given: Sequence[Any]) -> list[Sequence[Any]]:
    """Return items in slices that are small enough for one SQL statement."""
    return [given[at : at + _MOST] for at in range(0, len(given), _MOST)]


def _fact(owner: str, kind: str, scope: str, key: str, value: str, body: bytes = b"") -> Fact:
    return Fact(kind, scope, key, json.loads(value), unseal_bytes(body), owner)


class Facts:
    """The store of facts in one database.

    Args:
        url: `sqlite:///path`, or a URL that an extension opens (`databases`).

    Attributes:
        database: the database's connections.
    """

    def __init__(self, url: str) -> None:
        local = url.startswith(_SQLITE)
        self.database: Database = (
            SqliteDatabase(Path(url.removeprefix(_SQLITE))) if local else driver(url).open()
        )
        self._set_up()

    @contextmanager
    def reading(self, owner: str) -> Iterator[Session]:
        """Open a read-only session on an owner's facts, which sees all commits and never waits."""
        with self.database.reading(owner) as statements:
            yield Session(statements, owner)

    @contextmanager
    def writing(self, owner: str, lock: str = "") -> Iterator[Session]:
        """Open a transaction on an owner's facts.

        Args:
            owner: the owner whose facts are read and written.
            lock: the name of a lock; transactions with the same lock wait for each other.
        """
        with self.database.writing(owner, lock) as statements:
            yield Session(statements, owner)

    def _set_up(self) -> None:
        """Create the table if it is missing.

        Raises:
            OtherVersion: another version of this program has written the database.
        """
        with self.database.reading("") as found:
            if found.version() == BOOKS and "facts" in found.tables():
                return
        with self.database.writing("", "tables of coop") as made:
            there, version = "facts" in made.tables(), made.version()
            if there or version:
                check_version("this home's database", version, BOOKS, ANOTHER_HOME)
            if there:
                return  # another process has just created the table
            for statement in _SCHEMA:
                made.execute(statement.format(**made.types))
            made.complete(BOOKS)


_opening = Lock()


def facts_at(url: str) -> Facts:
    """Return the store of a database, which all of this process shares."""
    with _opening:  # parallel threads must not open it twice
        return _open_facts(url)


@cache
def _open_facts(url: str) -> Facts:
    return Facts(url)
