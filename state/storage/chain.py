"""The chain: each run that ends seals its rows, and each seal has the hash of the one before.

Whoever changes or deletes a sealed row later has to change the seal, and with it all later ones:
who keeps the head elsewhere notices. Answers that forks add afterwards are no change.
"""

import hashlib
import json
import zlib
from binascii import hexlify
from collections.abc import Callable, Mapping
from typing import Any, Literal

from shapley_coop.state.storage.deflating import deflated
from shapley_coop.state.storage.driver import Session
from shapley_coop.state.storage.owned import MINE, OWNED, OwnedBook, owned
from shapley_coop.state.storage.owners import holder

_links = owned(
    "chain",
    """
    number INTEGER NOT NULL,
    run VARCHAR(80) NOT NULL,
    digest VARCHAR(64) NOT NULL,
    head VARCHAR(64) NOT NULL,
    rows BLOB NOT NULL,
    PRIMARY KEY (owner, number)
    """,
    ("INDEX", "chain_by_run", "run, owner, number"),
)

_NEWEST = "ORDER BY number DESC LIMIT 1"
_LAST = f"SELECT number, head FROM chain WHERE owner = :owner {_NEWEST}"  # noqa: S608 - constants
_LAST_OF_RUN = f"SELECT digest FROM chain WHERE owner = :owner AND run = :run {_NEWEST}"  # noqa: S608
_HEAD = f"SELECT number, head FROM chain WHERE {MINE} {_NEWEST}"  # noqa: S608
_SEALED = f"SELECT rows FROM chain WHERE run = :run AND {MINE} {_NEWEST}"  # noqa: S608
_LINKS = f"SELECT number, run, digest, head, rows FROM chain WHERE {MINE} ORDER BY number"  # noqa: S608
_LOCK = "SELECT pg_advisory_xact_lock(hashtextextended(:name, 0))"
_BEGUN = """
    SELECT run, graph, room, created, workflow FROM runs WHERE run = :run AND owner = :owner
"""

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
            if not session.sqlite:
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
                "rows": deflated(sealed),
            }
            session.write(_links.insert, [link])
        return "sealed"

    def head(self) -> str:
        """The newest seal as NUMBER:HASH; empty where no run has ended."""
        last = self._row(_HEAD, {})
        return f"{last['number']}:{last['head']}" if last else ""

    def broken(self, kept: str = "") -> str:
        """What is wrong with the chain itself; empty where nothing is.

        Args:
            kept: a head that was printed earlier.
        """
        head, seen = "", set[str]()
        for number, link in enumerate(self._rows(_LINKS, {}), start=1):
            head = _head(head, number, link["run"], link["digest"])
            sound = (link["number"], link["head"]) == (number, head)
            held = hashlib.sha256(_unpacked(link["rows"])).hexdigest()
            if not sound or held != link["digest"]:
                return f"seal {number} was changed or deleted"
            seen.add(f"{number}:{head}")
        return f"the head {kept} is none of this home's" if kept and kept not in seen else ""

    def changed(self, run: str, table: Mapping[str, Any], result: Mapping[str, Any]) -> list[str]:
        """What differs from a run's last seal, as table and key.

        Raises:
            LookupError: the run was not sealed.
        """
        last = self._row(_SEALED, {"run": run})
        if last is None:
            raise LookupError(run)
        sealed: Rows = json.loads(_unpacked(last["rows"]))
        # On SQLite a transaction would wait for whoever writes.
        who = holder()
        with self._reading(who) if self._database.sqlite else self._changing(who) as session:
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
            keys = [key for key in OWNED[name].key if key != "owner"]
            mine = f"SELECT * FROM {name} WHERE episode = :episode AND owner = :owner"  # noqa: S608
            for row in session.rows(mine, {"episode": episode, "owner": owner}):
                plain = {k: v for k, v in row.items() if k != "owner"}
                found["/".join([name, *(str(plain[key]) for key in keys)])] = _digest(plain)
        entered = session.rows(_BEGUN, {"run": run, "owner": owner})
        found["begun"] = _digest(entered[0] if entered else {})
        return found


# `json.dumps` builds an encoder at every call.
_encode = json.JSONEncoder(sort_keys=True).encode
_BYTES = "\0"
"""What stands for bytes in a row; no text of a database holds it."""


def _digest(value: Mapping[str, Any]) -> str:
    """The hash of plain data as JSON, in which a row's bytes are hexadecimal.

    They are most of a row, and to escape them, too, takes as long as all the rest.
    """
    contents = {key: bytes(x) for key, x in value.items() if isinstance(x, bytes | memoryview)}
    told = _encode({**value, **dict.fromkeys(contents, _BYTES)} if contents else value)
    first, *others = told.split(_encode(_BYTES)) if contents else [told]
    found = hashlib.sha256(first.encode())
    for (_, content), text in zip(sorted(contents.items()), others, strict=True):
        found.update(b'"%b"' % hexlify(content))
        found.update(text.encode())
    return found.hexdigest()


def _head(before: str, number: int, run: str, digest: str) -> str:
    return hashlib.sha256(f"{before}\n{number}\n{run}\n{digest}".encode()).hexdigest()


def _unpacked(rows: bytes) -> bytes:
    try:
        return zlib.decompress(rows)
    except zlib.error:
        return b"{}"
