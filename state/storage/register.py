"""The register of runs. A run is entered before its graph starts, so that none is lost."""

import hashlib
import json
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from shapley_coop.state.storage.driver import KeyTaken, Row, Session
from shapley_coop.state.storage.episodes import mint_first
from shapley_coop.state.storage.owned import MINE, OwnedBook, owned
from shapley_coop.state.storage.owners import holder

STARTED, WAITING, ENDED, FAILED = STATES = "started", "waiting", "ended", "failed"

CELL = f"{'_' * 8}.{'_' * 20}"
"""What the names of a sweep's runs are like, in SQL: its id, and the cell's."""

_runs = owned(
    "runs",
    # `result` of a run that has not ended: why it stands still, as {"why": …}.
    """
    run VARCHAR(80) NOT NULL,
    graph VARCHAR(64) NOT NULL,
    room TEXT NOT NULL,
    created VARCHAR(32) NOT NULL,
    state VARCHAR(16) NOT NULL,
    result TEXT,
    workflow VARCHAR(64) NOT NULL DEFAULT '',
    PRIMARY KEY (run)
    """,
)
_keys = owned(
    "idempotency_keys",
    """
    key VARCHAR(200) NOT NULL,
    request VARCHAR(64) NOT NULL,
    run VARCHAR(80) NOT NULL,
    PRIMARY KEY (owner, key)
    """,
)

_STANDS = "UPDATE runs SET state = :stands, result = :why WHERE run = :run AND owner = :owner"
_STANDS_UNLESS_ENDED = f"{_STANDS} AND state <> '{ENDED}'"
_KEYED = "SELECT run, request FROM idempotency_keys WHERE key = :key AND owner = :owner"
_ALL = f"SELECT * FROM runs WHERE {MINE}"  # noqa: S608 - constants, here and below
_ONE = f"{_ALL} AND run = :run"
_NEWEST = "ORDER BY created DESC, run"
_OWN = f"{_ALL} AND run NOT LIKE :cell {_NEWEST}"
_CELLS = f"SELECT run FROM runs WHERE {MINE} AND run LIKE :cell"  # noqa: S608
_FORGET = "DELETE FROM runs WHERE run = :run AND owner = :owner"
_FREE_KEYS = """
    DELETE FROM idempotency_keys WHERE run = :run AND owner = :owner AND NOT EXISTS (
        SELECT 1 FROM postings JOIN episodes ON postings.episode = episodes.episode
        WHERE episodes.thread = :run AND episodes.owner = :owner
    )
"""


@dataclass(frozen=True)
class Run:
    """One run as the register knows it.

    Attributes:
        run: its name, which is LangGraph's thread id.
        graph: the workflow.
        room: its resolved configuration, as JSON.
        created: ISO time, UTC.
        state: started, waiting (for people), ended or failed.
        result: its result; None until it ended.
        workflow: the version of the workflow that it began with.
        why: of a run that waits or has failed: for whom, or why, and how it goes on.
    """

    run: str
    graph: str
    room: dict[str, Any]
    created: str
    state: str
    result: dict[str, Any] | None
    workflow: str = ""
    why: str = ""


class KeyUsed(ValueError):
    """An idempotency key is that of another request, or of a run that paid and was removed.

    Attributes:
        run: the name of the run that was begun under the key.
        known: that run; None where it is not in the register.
    """

    def __init__(self, why: str, run: str, known: "Run | None") -> None:
        super().__init__(why)
        self.run, self.known = run, known


def no_such_run(name: str) -> ValueError:
    """Why a run cannot be looked up."""
    return ValueError(f"there is no run {name!r}: coop runs lists them")


class Runs(OwnedBook):
    """The runs of one database, each owner's apart."""

    def begin(
        self, run: str, graph: str, room: dict[str, Any], workflow: str, key: str = ""
    ) -> Run:
        """Enter a run before it starts.

        Args:
            run: its name.
            graph: the workflow.
            room: its resolved configuration.
            workflow: the workflow's version.
            key: the caller's idempotency key; empty for none.

        Returns:
            The run; if the same was requested under the key before, the one that was entered then.

        Raises:
            KeyUsed: the key is that of another request, or of a run that paid and was removed.
            ValueError: a run of that name exists.
        """
        if known := self.begun(graph, room, key):
            return known
        owner, request = holder().owner, _digest(graph, room) if key else ""
        row = {
            "run": run,
            "owner": owner,
            "graph": graph,
            "room": json.dumps(room),
            "created": datetime.now(UTC).isoformat(timespec="microseconds"),
            "state": STARTED,
            "workflow": workflow,
        }
        keyed = {"owner": owner, "key": key, "request": request, "run": run}
        try:
            with self._changing(holder()) as session:
                session.write(_runs.insert, [{**row, "result": None}])
                session.write(_keys.insert, [keyed] if key else [])
                mint_first(session, owner, run)
        except KeyTaken:
            if known := self.begun(graph, room, key):  # at the same time
                return known
            from shapley_coop.state.resuming import command_for  # which imports this module

            other = self._find(run)  # None if it is another owner's
            resume = f", or {command_for(other, 'resume')}" if other else ""
            raise ValueError(
                f"there is a run {run!r} already: choose another name{resume}"
            ) from None
        return Run(run, graph, room, row["created"], STARTED, None, workflow)

    def begun(self, graph: str, room: dict[str, Any], key: str) -> Run | None:
        """The run that was begun for a request under its key; None if none was, or without a key.

        Raises:
            KeyUsed: the key is that of another request, or of a run that paid and was removed.
        """
        if not key or (run := self._keyed(key, _digest(graph, room))) is None:
            return None
        if found := self._find(run):
            return found
        why = (
            f"{run}, which paid for the request of the idempotency key {key!r}, was removed: "
            "what it paid stays in the ledger, and nothing is paid again"
        )
        raise KeyUsed(why, run, None)

    def bind(self, key: str, room: dict[str, Any]) -> str:
        """Keep an idempotency key to one request on the thread that is played.

        Returns:
            What stands for the key in place of the episode before it (`Episodes.after`).

        Raises:
            ValueError: it is that of another request, or of another thread.
        """
        who, request = holder(), _digest("", room)
        row = {"owner": who.owner, "key": key, "request": request, "run": who.thread}
        if (first := self._keyed(key, request)) is None:
            try:
                self._write(_keys.insert, row)
            except KeyTaken:  # at the same time
                first = self._keyed(key, request)
        if first not in (None, who.thread):
            raise ValueError(f"the idempotency key {key!r} was used on another thread: go on there")
        return f"key:{hashlib.sha256(key.encode()).hexdigest()}"

    def _keyed(self, key: str, request: str) -> str | None:
        """The run that was requested under a key; None if none was."""
        row = self._row(_KEYED, {"key": key})
        if row is not None and row["request"] != request:
            run = str(row["run"])
            why = (
                f"the idempotency key {key!r} is that of another request, {run}: "
                "choose another key, or send the same request"
            )
            raise KeyUsed(why, run, self._find(run))
        return str(row["run"]) if row else None

    def finish(
        self, run: str, state: str, result: dict[str, Any] | None = None, why: str = ""
    ) -> None:
        """Enter the state in which a run ended or stands still, and its result or the reason.

        A failure never erases the result of a run that has ended: what is settled stays settled,
        whatever fails afterwards.
        """
        with self._changing(holder()) as session:
            self.finish_in(session, run, state, result, why)

    def finish_in(
        self,
        session: Session,
        run: str,
        state: str,
        result: dict[str, Any] | None = None,
        why: str = "",
    ) -> None:
        """The same in a transaction that changes more."""
        kept = result or ({"why": why} if why else None)
        stands = {
            "run": run,
            "owner": holder().owner,
            "stands": state,
            "why": json.dumps(kept) if kept else None,
        }
        session.write(_STANDS if result else _STANDS_UNLESS_ENDED, [stands])

    def get(self, run: str) -> Run:
        """Look a run up.

        Raises:
            ValueError: there is no run of that name.
        """
        if found := self._find(run):
            return found
        raise no_such_run(run)

    def _find(self, run: str) -> Run | None:
        row = self._row(_ONE, {"run": run})
        return _run(row) if row else None

    def remove(self, run: str) -> None:
        """Forget a run, and the keys of one that has posted nothing; an unknown one is forgotten.

        A key under which something was paid stays, so that the request is not paid again.
        """
        of_run = {"run": run, "owner": holder().owner}
        with self._changing(holder()) as session:
            session.write(_FREE_KEYS, [of_run])
            session.write(_FORGET, [of_run])

    def list(self, cells: bool = True) -> list[Run]:
        """Every run, newest first; without `cells` those alone that no sweep has begun."""
        chosen = f"{_ALL} {_NEWEST}" if cells else _OWN
        return [_run(row) for row in self._rows(chosen, {"cell": CELL})]

    def cells(self, sweep: str = CELL) -> tuple[str, ...]:
        """The names of the runs that sweeps have begun, or one with names like this."""
        return tuple(str(row["run"]) for row in self._rows(_CELLS, {"cell": sweep}))


def _run(row: Row) -> Run:
    kept = json.loads(row["result"]) if row["result"] else None
    result = kept if row["state"] == ENDED else None
    why = "" if result or not kept else str(kept.get("why", ""))
    about = {name: row[name] for name in ("run", "graph", "created", "state", "workflow")}
    return Run(**about, room=json.loads(row["room"]), result=result, why=why)


def _digest(graph: str, room: dict[str, Any]) -> str:
    """A request by its hash."""
    return hashlib.sha256(json.dumps([graph, room], sort_keys=True).encode()).hexdigest()
