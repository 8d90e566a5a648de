"""Everything durable but checkpoints: facts, each written once under its key, first writer wins.

A posting, an answer, an episode's id, a request, a letter that waits, a seal: whoever writes one
again is told what stands. So a resume, a fork or a second worker can repeat what it did. The same
statements run on SQLite and on Postgres, whose rows a policy shows to their owner alone.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from shapley_coop.state.storage.at_rest import seal_bytes, unseal_bytes
from shapley_coop.state.storage.owners import SERVER, NotYours
from shapley_coop.state.storage.statements import Statements

CLAIMED = ("episode", "run", "thread")
"""Kinds of which a key is one owner's alone: no other can write a fact under it."""

_INSERT = "INSERT INTO facts (owner, kind, scope, key, value, body) VALUES "
_ONCE = " ON CONFLICT DO NOTHING RETURNING kind, scope, key"
_READ = "SELECT owner, kind, scope, key, value, body FROM facts WHERE "
_LISTED = "SELECT owner, kind, scope, key, value FROM facts WHERE "
_MINE = f"? IN (owner, '{SERVER}')"
_IN_SCOPE = f"kind = ? AND scope = ? AND {_MINE}"

_MOST = 200
"""Facts, keys or beginnings in one statement."""

_NONE = "-"
"""What no scope is like."""

_LAST = "\x7f"
"""Sorts after all characters of a key, which is ASCII."""


@dataclass(frozen=True)
class Fact:
    """One fact.

    Attributes:
        kind: what it is: an answer, a posting, …
        scope: the episode or the run that it is of; empty for what is of all.
        key: its name there, in ASCII; see `key`.
        value: what it says, as JSON, readable to whoever has the database.
        body: what is long or private; encrypted where there is a key (`at_rest`).
        owner: whose it is; set when it is read.
    """

    kind: str
    scope: str
    key: str
    value: Mapping[str, Any] = field(default_factory=dict)
    body: bytes = b""
    owner: str = ""


def key(*parts: str | int) -> str:
    """Return a key of several parts.

    >>> key("Ann", 1)
    '["Ann", 1]'
    """
    return json.dumps(parts)


def key_prefix(*parts: str | int) -> str:
    """Return how every key begins that has these parts, and more."""
    return key(*parts)[:-1] + ", "


def parts_of(key: str) -> list[Any]:
    """Return the parts of a key."""
    found: list[Any] = json.loads(key)
    return found


def serial(number: int) -> str:
    """Return a number as a key, or a part of one: later ones sort behind earlier ones."""
    return f"{number:012}"


class Session(Statements):
    """Statements on facts, for one owner: a transaction, or reading alone.

    Args:
        connection: the driver's.
        owner: for whom.
        sqlite: whether it is SQLite's, or Postgres's.
    """

    def __init__(self, connection: Any, owner: str, sqlite: bool) -> None:
        super().__init__(connection, sqlite)
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
            kind: what they are.
            scope: what they are of.
            keys: these alone; without them, and without beginnings, all.
            beginnings: those alone whose keys begin so; see `beginning`.
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
        """Return the fact whose key sorts last, of those that begin so."""
        query = f"{_READ} {_IN_SCOPE} AND key BETWEEN ? AND ? ORDER BY key DESC LIMIT 1"
        rows = self.execute(query, kind, scope, self._owner, begins, begins + _LAST)
        return _fact(*rows[0]) if rows else None

    def every(self, kind: str, like: str = "%", unlike: str = _NONE) -> list[Fact]:
        """Return the facts of a kind in every scope, without their bodies, in the order of writing.

        Args:
            kind: what they are.
            like: what their scopes are like, in SQL.
            unlike: what their scopes are not like.
        """
        query = f"{_LISTED} kind = ? AND scope LIKE ? AND scope NOT LIKE ? AND {_MINE}"
        rows = self.execute(f"{query} ORDER BY number", kind, like, unlike, self._owner)
        return [_fact(*row) for row in rows]

    def put(self, *facts: Fact) -> list[Fact | None]:
        """Write facts; for each None if it is new, else the one that stands.

        Raises:
            NotYours: it is for the server, which writes for one owner and never for all; or one is
                of a kind that is claimed, and another owner has it.
        """
        if self._owner == SERVER:
            raise NotYours("the server writes for the owner of a thread, never for all")
        new: set[tuple[str, str, str]] = set()
        for some in _some(facts):
            places = ", ".join(["(?, ?, ?, ?, ?, ?)"] * len(some))
            rows = chain(*map(self._row, some))
            new |= {tuple(row) for row in self.execute(_INSERT + places + _ONCE, *rows)}
        return [self._standing(fact, new) for fact in facts]

    def append(
        self, kind: str, scope: str, value: Mapping[str, Any], *first: str, body: bytes = b""
    ) -> int:
        """Write a fact under the next number of its scope, or of a key's first parts; the number.

        The transaction has a lock, so that nobody takes it meanwhile (`database.Facts.writing`).
        """
        last = self.last(kind, scope, key_prefix(*first) if first else "")
        number = 1 + (int(parts_of(last.key)[-1] if first else last.key) if last else 0)
        name = key(*first, serial(number)) if first else serial(number)
        self.put(Fact(kind, scope, name, value, body))
        return number

    def forget(self, kind: str, scope: str, keys: Sequence[str] | None = None) -> None:
        """Delete the owner's facts of a kind and a scope: those of some keys, or all."""
        query = "DELETE FROM facts WHERE kind = ? AND scope = ? AND owner = ?"
        if keys is None:
            self.execute(query, kind, scope, self._owner)
        for name in keys or ():
            self.execute(f"{query} AND key = ?", kind, scope, self._owner, name)

    def _row(self, fact: Fact) -> tuple[Any, ...]:
        value, body = json.dumps(fact.value), seal_bytes(fact.body) if fact.body else b""
        return self._owner, fact.kind, fact.scope, fact.key, value, body

    def _standing(self, fact: Fact, new: set[tuple[str, str, str]]) -> Fact | None:
        place = (fact.kind, fact.scope, fact.key)
        if place in new:
            new.remove(place)  # of two alike the first is new
            return None
        if found := self.read(fact.kind, fact.scope, [fact.key]):
            return found[0]
        name = f"{fact.kind} {fact.scope[:64]!r}"
        raise NotYours(f"{name} belongs to another thread: start a run of your own")


def _some(given: Sequence[Any]) -> list[Sequence[Any]]:
    """Return what one statement takes at a time."""
    return [given[at : at + _MOST] for at in range(0, len(given), _MOST)]


def _fact(owner: str, kind: str, scope: str, key: str, value: str, body: bytes = b"") -> Fact:
    return Fact(kind, scope, key, json.loads(value), unseal_bytes(body), owner)
