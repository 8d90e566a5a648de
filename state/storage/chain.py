"""The hash chain of seals; a seal is a hash of an ended run's data and of the previous seal.

If sealed data are changed or deleted, their seal and all later seals no longer fit. So a reader who
keeps a copy of the newest seal detects it. Forks' answers are not sealed, so no fork breaks a seal.
"""

import hashlib
import json
import zlib
from collections.abc import Callable, Mapping
from typing import Any, Literal

from shapley_coop.state.storage.episodes import FOLLOWS
from shapley_coop.state.storage.facts import Fact, Session, serial
from shapley_coop.state.storage.journal import ANSWER
from shapley_coop.state.storage.ledger import POSTING
from shapley_coop.state.storage.owned import EPISODE, Book
from shapley_coop.state.storage.owners import holder
from shapley_coop.state.storage.packing import deflate
from shapley_coop.state.storage.register import RUN, SEALED

SEAL = "seal"
"""The kind of the facts that hold the links of the chain; key: the link's number."""

_OF_EPISODE, _OF_RUN = (ANSWER, POSTING, EPISODE), (RUN, FOLLOWS)
_COMPLETE = (f"{POSTING}/", f"{RUN}/", "table", "result")
"""Prefixes of KIND/KEY: after a run's end, no facts with these prefixes may be added."""

Hashes = dict[str, str]
"""KIND/KEY of a fact → the fact's hash."""


class Chain(Book):
    """The seals of one database, with one chain for each owner."""

    def seal(
        self,
        run: str,
        table: Mapping[str, Any],
        result: Mapping[str, Any],
        beside: Callable[[Session], None] = lambda _: None,
    ) -> Literal["sealed", "already"]:
        """Seal a run's end, unless the run's last seal is the same.

        Args:
            table: the run's last state.
            result: the result for the register.
            beside: a function that makes other changes to the database in the same transaction.
        """
        with self._writing(lock=f"chain of {holder().owner}") as session:
            beside(session)
            sealed = json.dumps(_hashes(session, run, table, result), sort_keys=True).encode()
            digest = hashlib.sha256(sealed).hexdigest()
            before = session.last(SEALED, run)
            if before and before.value["digest"] == digest:
                return "already"
            last = session.last(SEAL, "")
            number, head = (int(last.key) + 1, last.value["head"]) if last else (1, "")
            link = {"run": run, "digest": digest, "head": _head(head, number, run, digest)}
            held = Fact(SEALED, run, serial(number), {"digest": digest}, deflate(sealed))
            session.put(Fact(SEAL, "", serial(number), link), held)
        return "sealed"

    def head(self) -> str:
        """Return the newest seal of the chain as NUMBER:HASH, or "" if no run has ended."""
        with self._reading() as session:
            last = session.last(SEAL, "")
        return f"{int(last.key)}:{last.value['head']}" if last else ""

    def broken(self, kept: str = "") -> str:
        """Return a text on the first broken link of the chain, or "" if the chain is intact.

        Args:
            kept: a copy of an earlier `head`, which must be in the chain.
        """
        head, seen = "", set[str]()
        with self._reading() as session:
            links = session.every(SEAL)
        for number, link in enumerate(links, start=1):
            told = link.value
            head = _head(head, number, told["run"], told["digest"])
            if (link.key, told["head"]) != (serial(number), head):
                return f"seal {number} was changed or deleted"
            seen.add(f"{number}:{head}")
        return f"the head {kept} is none of this home's" if kept and kept not in seen else ""

    def changed(self, run: str, table: Mapping[str, Any], result: Mapping[str, Any]) -> list[str]:
        """Return which stored facts differ from those that a run's last seal covers, as KIND/KEY.

        Raises:
            LookupError: the run was not sealed.
        """
        with self._reading() as session:
            last = session.last(SEALED, run)
            links = session.read(SEAL, "", [last.key]) if last else []
            if last is None or not links:
                raise LookupError(run)
            now = _hashes(session, run, table, result)
        sealed = _unpack(last.body)
        link = {"run": run, "digest": hashlib.sha256(sealed).hexdigest()}
        if not link.items() <= links[0].value.items():
            return [f"{SEAL}/{last.key}"]
        then: Hashes = json.loads(sealed)
        differ = [name for name, digest in then.items() if now.get(name) != digest]
        added = [name for name in now.keys() - then.keys() if name.startswith(_COMPLETE)]
        return sorted([*differ, *added])


def _hashes(
    session: Session, run: str, table: Mapping[str, Any], result: Mapping[str, Any]
) -> Hashes:
    """Return the hashes of the facts that a run's end seals."""
    # Leave out the spending, because a later fork adds to it.
    kept = {key: value for key, value in table.items() if key != "spent"}
    found = {"table": _digest(kept), "result": _digest(result)}
    for kinds, scope in ((_OF_EPISODE, table["episode"]), (_OF_RUN, run)):
        for fact in (fact for kind in kinds for fact in session.read(kind, scope)):
            found[f"{fact.kind}/{fact.key}"] = _digest(fact.value, fact.body)
    return found


# Shared, because `json.dumps` with options would build an encoder at every call.
_encode = json.JSONEncoder(sort_keys=True).encode


def _digest(value: Mapping[str, Any], body: bytes = b"") -> str:
    """Return the hash of a value as JSON and of the bytes that belong to it."""
    return hashlib.sha256(_encode(value).encode() + b"\n" + body).hexdigest()


def _head(before: str, number: int, run: str, digest: str) -> str:
    return hashlib.sha256(f"{before}\n{number}\n{run}\n{digest}".encode()).hexdigest()


def _unpack(rows: bytes) -> bytes:
    try:
        return zlib.decompress(rows)
    except zlib.error:
        return b"{}"  # a changed row: its hash will differ from the sealed one
