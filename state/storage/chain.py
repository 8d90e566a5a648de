"""The chain: each run that ends seals its rows, and each seal has the hash of the one before.

Whoever changes or deletes a sealed row later has to change the seal, and with it all later ones:
who keeps the head elsewhere notices. Answers that forks add afterwards are no change.
"""

import hashlib
import json
import zlib
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Literal

from sqlalchemy import (
    Column,
    Integer,
    LargeBinary,
    String,
    Table,
    bindparam,
    func,
    insert,
    select,
)

from shapley_coop.state.storage.driver import Session, Statement
from shapley_coop.state.storage.owned import OWNED, OwnedBook, owner_column
from shapley_coop.state.storage.owners import holder

_links = Table(
    "chain",
    OWNED,
    owner_column(primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("run", String(80), nullable=False),
    Column("digest", String(64), nullable=False),
    Column("head", String(64), nullable=False),
    Column("rows", LargeBinary, nullable=False),
)

_SEAL = Statement(insert(_links))
_last = (
    select(_links.c.number, _links.c.head, _links.c.digest)
    .where(_links.c.owner == bindparam("owner"))
    .order_by(_links.c.number.desc())
    .limit(1)
)
_LAST, _LAST_OF_RUN = Statement(_last), Statement(_last.where(_links.c.run == bindparam("run")))
_LOCK = Statement(
    select(func.pg_advisory_xact_lock(func.hashtextextended(bindparam("name", type_=String), 0)))
)

_OF_EPISODE = ("answers", "episodes", "ledger_lines", "postings")
_COMPLETE = ("ledger_lines/", "postings/", "table", "result", "begun")
"""What nothing may be added to after the end."""

Rows = dict[str, str]
"""A row's table and key → the hash of the row."""


class Chain(OwnedBook):
    """The seals of one database, each owner's a chain of its own."""

    def seal(
        self,
        run: str,
        table: Mapping[str, Any],
        result: Mapping[str, Any],
        beside: Callable[[Session], None] = lambda _: None,
    ) -> Literal["sealed", "already"]:
        """Seal what a run came to; nothing is added where its last seal says the same.

        Args:
            run: the run.
            table: its last state.
            result: what the register is to keep.
            beside: what else changes in the same transaction.
        """
        who = holder()
        with self._changing(who) as session:
            beside(session)
            if self._postgres:
                session.rows(_LOCK, {"name": f"chain of {who.owner}"})
            rows = self._rows_of(session, run, table, result)
            sealed = json.dumps(rows, sort_keys=True).encode()
            digest = hashlib.sha256(sealed).hexdigest()
            before = session.rows(_LAST_OF_RUN, {"owner": who.owner, "run": run})
            if before and before[0]["digest"] == digest:
                return "already"
            last = session.rows(_LAST, {"owner": who.owner})
            number, head = (last[0]["number"] + 1, last[0]["head"]) if last else (1, "")
            link = {
                "owner": who.owner,
                "number": number,
                "run": run,
                "digest": digest,
                "head": _head(head, number, run, digest),
                "rows": zlib.compress(sealed, level=1),
            }
            session.write(_SEAL, [link])
        return "sealed"

    def head(self) -> str:
        """The newest seal as NUMBER:HASH; empty where no run has ended."""
        query = self._seen(select(_links.c.number, _links.c.head), _links)
        last = self._row(query.order_by(_links.c.number.desc()).limit(1))
        return f"{last.number}:{last.head}" if last else ""

    def broken(self, kept: str = "") -> str:
        """What is wrong with the chain itself; empty where nothing is.

        Args:
            kept: a head that was printed earlier.
        """
        columns = (_links.c.number, _links.c.run, _links.c.digest, _links.c.head, _links.c.rows)
        query = self._seen(select(*columns), _links).order_by(_links.c.number)
        head, seen = "", set[str]()
        for number, link in enumerate(self._rows(query), start=1):
            head = _head(head, number, link.run, link.digest)
            sound = (link.number, link.head) == (number, head)
            if not sound or hashlib.sha256(_unpacked(link.rows)).hexdigest() != link.digest:
                return f"seal {number} was changed or deleted"
            seen.add(f"{number}:{head}")
        return f"the head {kept} is none of this home's" if kept and kept not in seen else ""

    def changed(self, run: str, table: Mapping[str, Any], result: Mapping[str, Any]) -> list[str]:
        """What differs from a run's last seal, as table and key.

        Raises:
            LookupError: the run was not sealed.
        """
        query = self._seen(select(_links.c.rows).filter_by(run=run), _links)
        last = self._row(query.order_by(_links.c.number.desc()).limit(1))
        if last is None:
            raise LookupError(run)
        sealed: Rows = json.loads(_unpacked(last.rows))
        # On SQLite a transaction would wait for whoever writes.
        who = holder()
        with self._changing(who) if self._postgres else self._reading(who) as session:
            now = self._rows_of(session, run, table, result)
        differ = [key for key, digest in sealed.items() if now.get(key) != digest]
        added = [key for key in now.keys() - sealed.keys() if key.startswith(_COMPLETE)]
        return sorted([*differ, *added])

    def _rows_of(
        self,
        session: Session,
        run: str,
        table: Mapping[str, Any],
        result: Mapping[str, Any],
    ) -> Rows:
        owner = holder().owner
        episode = table["episode"]
        # What a fork spends is added to the spending of the play that it left.
        kept = {key: value for key, value in table.items() if key != "spent"}
        found = {"table": _digest(kept), "result": _digest(result)}
        for name in _OF_EPISODE:
            query, keys = _rows_in(name)
            for row in session.rows(query, {"episode": episode, "owner": owner}):
                plain = {k: v for k, v in row.items() if k != "owner"}
                found["/".join([name, *(str(plain[key]) for key in keys)])] = _digest(plain)
        entered = session.rows(_entry_in_register(), {"run": run, "owner": owner})
        found["begun"] = _digest(entered[0] if entered else {})
        return found


@cache
def _rows_in(name: str) -> tuple[Statement, list[str]]:
    """The query of an episode's rows in a table, and the table's key."""
    here = OWNED.tables[name]
    keys = [column.name for column in here.primary_key if column.name != "owner"]
    mine = here.c.owner == bindparam("owner")
    return Statement(select(here).where(here.c.episode == bindparam("episode"), mine)), keys


@cache
def _entry_in_register() -> Statement:
    """The query of what a run was entered with."""
    runs = OWNED.tables["runs"].c
    begun = select(runs.run, runs.graph, runs.room, runs.created, runs.workflow)
    return Statement(begun.where(runs.run == bindparam("run"), runs.owner == bindparam("owner")))


# `json.dumps` builds an encoder at every call.
_encode = json.JSONEncoder(sort_keys=True, default=lambda content: bytes(content).hex()).encode


def _digest(value: Any) -> str:
    """The hash of plain data, bytes among them."""
    return hashlib.sha256(_encode(value).encode()).hexdigest()


def _head(before: str, number: int, run: str, digest: str) -> str:
    return hashlib.sha256(f"{before}\n{number}\n{run}\n{digest}".encode()).hexdigest()


def _unpacked(rows: bytes) -> bytes:
    try:
        return zlib.decompress(rows)
    except zlib.error:
        return b"{}"
