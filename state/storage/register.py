"""The register of runs; a run is entered before its graph starts, so that no run is lost."""

import hashlib
import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from shapley_coop.state.storage.episodes import FOLLOWS, SINCE, mint
from shapley_coop.state.storage.facts import Fact, Session
from shapley_coop.state.storage.ledger import POSTING
from shapley_coop.state.storage.owned import Book
from shapley_coop.state.storage.owners import NotYours, holder

STARTED, WAITING, ENDED, FAILED = STATES = "started", "waiting", "ended", "failed"

CELL = f"{'_' * 8}.{'_' * 20}"
"""The SQL pattern for names of sweeps' runs: the sweep's id, a dot, the id of the cell (run)."""

RUN, STANDS = "run", "stands"
"""The kinds of two facts: the beginning of a run, and a later state of a run."""

KEY, KEYED = "key", "keyed"
"""The kinds of two facts: an idempotency key with its request, and a run with its key."""

SEALED = "sealed"
"""The kind of a fact that holds the seal of an ended run (`chain`)."""

_BEGUN = "begun"
"""The key of the only fact of kind RUN in a run's scope."""


@dataclass(frozen=True)
class Run:
    """A run in the register.

    Attributes:
        run: the run's name, which is LangGraph's thread id.
        graph: the workflow.
        room: the resolved configuration, as JSON.
        created: the time at which the run was entered (ISO, UTC).
        state: started, waiting (for people), ended or failed.
        result: the result; None until the run has ended.
        workflow: the version of the workflow with which the run began.
        why: the reason why the run waits or has failed, and how to continue the run.
        served: whether LangGraph's server plays the run; such runs are not in the register.
    """

    run: str
    graph: str
    room: dict[str, Any]
    created: str
    state: str
    result: dict[str, Any] | None
    workflow: str = ""
    why: str = ""
    served: bool = False


class KeyUsed(ValueError):
    """The error if an idempotency key was used for another request, or by a removed run that paid.

    Attributes:
        run: the name of the run that used the key.
        known: the run of that name, or None if the register has no such run.
    """

    def __init__(self, why: str, run: str, known: "Run | None") -> None:
        super().__init__(why)
        self.run, self.known = run, known


def no_such_run(name: str) -> ValueError:
    """Return the error to raise if a run does not exist; its message names the home."""
    from shapley_coop.state.storage.home import home

    return ValueError(f"there is no run {name!r}: coop runs lists those of {home().place}")


class Runs(Book):
    """The register of the runs in one database; an owner sees only the owner's runs."""

    def begin(
        self, run: str, graph: str, room: dict[str, Any], workflow: str, key: str = ""
    ) -> Run:
        """Enter a run before it starts.

        Args:
            run: the run's name.
            graph: the workflow.
            room: the resolved configuration.
            workflow: the workflow's version.
            key: the caller's idempotency key; empty for none.

        Returns:
            The run; if the key was used for the same request before, the earlier run.

        Raises:
            KeyUsed: the key was used for another request, or by a removed run that paid.
            ValueError: a run of that name exists.
        """
        if known := self.begun(graph, room, key):
            return known
        created = datetime.now(UTC).isoformat(timespec="microseconds")
        begun = {"graph": graph, "room": room, "created": created, "workflow": workflow}
        try:
            with self._writing() as session:
                if key and session.put(*_key_facts(key, _digest(graph, room), run))[0]:
                    raise _Taken
                if session.put(Fact(RUN, run, _BEGUN, begun))[0]:
                    raise _Taken
                mint(session, run)
        except (_Taken, NotYours):
            if known := self.begun(graph, room, key):  # a parallel request has begun the run
                return known
            from shapley_coop.state.resuming import command_for  # here: a cycle

            other = self._find(run)  # None if another owner has the run
            resume = f", or {command_for(other, 'resume')}" if other else ""
            raise ValueError(f"a run {run!r} exists already: choose another name{resume}") from None
        return _run(run, begun, [])

    def begun(self, graph: str, room: dict[str, Any], key: str) -> Run | None:
        """Return the run that an earlier, equal request with this key began, or None.

        Raises:
            KeyUsed: the key was used for another request, or by a removed run that paid.
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
        """Bind an idempotency key to this request on the current thread.

        Returns:
            The text to pass as `previous` to `Episodes.after`; each key has its own.

        Raises:
            ValueError: the key was used for another request or on another thread.
        """
        thread, request = holder().thread, _digest("", room)
        named, of_run = _key_facts(key, request, thread)
        with self._writing() as session:
            if session.put(named)[0] is None:
                session.put(of_run)
        if self._keyed(key, request) != thread:
            raise ValueError(f"idempotency key {key!r} was used on another thread: continue there")
        return f"key:{_name_of(key)}"

    def _keyed(self, key: str, request: str) -> str | None:
        """Return the name of the run that used an idempotency key, or None."""
        with self._reading() as session:
            found = session.read(KEY, "", [_name_of(key)])
        if not found:
            return None
        run = str(found[0].value["run"])
        if found[0].value["request"] != request:
            why = (
                f"the idempotency key {key!r} is that of another request, {run}: "
                "choose another key, or send the same request"
            )
            raise KeyUsed(why, run, self._find(run))
        return run

    def finish(
        self, run: str, state: str, result: dict[str, Any] | None = None, why: str = ""
    ) -> None:
        """Record that a run has ended, with its result, or why it has failed or waits.

        A later failure never erases the result of a run that has ended, because its settlement is
        final. Unknown runs and runs of other owners are ignored.
        """
        with self._writing(lock=f"run {run}") as session:
            self.finish_in(session, run, state, result, why)

    def finish_in(
        self,
        session: Session,
        run: str,
        state: str,
        result: dict[str, Any] | None = None,
        why: str = "",
    ) -> None:
        """Record what `finish` records, but in a transaction that is open already."""
        last = session.last(STANDS, run)
        before = last.value if last else {"state": STARTED}
        stands = {"state": state} | ({"result": result} if result else {"why": why} if why else {})
        if stands == before or (before["state"] == ENDED and not result):
            return
        if session.read(RUN, run):
            session.append(STANDS, run, stands)

    def get(self, run: str) -> Run:
        """Return a run by its name.

        Raises:
            ValueError: no run has that name.
        """
        if found := self._find(run):
            return found
        if run in self.threads():
            raise ValueError(f"{run} is a thread of LangGraph's server: continue it there")
        raise no_such_run(run)

    def _find(self, run: str) -> Run | None:
        with self._reading() as session:
            found, last = session.read(RUN, run), session.last(STANDS, run)
        return _run(run, found[0].value, [last] if last else []) if found else None

    def remove(self, run: str) -> None:
        """Remove a run and, if the run has posted nothing, its idempotency keys.

        The keys of a run that paid stay, so that the request is not paid again.
        """
        with self._writing() as session:
            played = [one.value["episode"] for one in session.read(FOLLOWS, run)]
            if not any(session.read(POSTING, episode) for episode in played):
                session.forget(KEY, "", [one.key for one in session.read(KEYED, run)])
                session.forget(KEYED, run)
            for kind in (RUN, STANDS, SEALED):
                session.forget(kind, run)

    def list(self, cells: bool = True) -> list[Run]:
        """Return every run, newest first; if `cells` is false, leave out the runs of sweeps."""
        unlike = {} if cells else {"unlike": CELL}
        stands: defaultdict[str, list[Fact]] = defaultdict(list)
        with self._reading() as session:
            begun = session.every(RUN, **unlike)
            for one in session.every(STANDS, **unlike):
                stands[one.scope].append(one)
        found = [_run(one.scope, one.value, stands[one.scope]) for one in begun]
        found.sort(key=lambda run: run.run)
        return sorted(found, key=lambda run: run.created, reverse=True)

    def threads(self) -> dict[str, str]:
        """Return thread → start time, latest first, for threads that are no registered runs."""
        with self._reading() as session:
            played = session.every(FOLLOWS, unlike=CELL)
        entered = {one.scope for one in played if SINCE not in one.value}
        since = {one.scope: str(one.value.get(SINCE)) for one in reversed(played)}
        return {thread: begun for thread, begun in since.items() if thread not in entered}

    def cells(self, sweep: str = CELL) -> tuple[str, ...]:
        """Return the names of the runs that match an SQL pattern; by default all sweeps' runs."""
        with self._reading() as session:
            return tuple(one.scope for one in session.every(RUN, like=sweep))


class _Taken(Exception):
    """The error if a run's name or an idempotency key is in use."""


def _run(name: str, begun: Mapping[str, Any], stands: Sequence[Fact]) -> Run:
    """Return a run from the fact of its beginning and the facts of its later states."""
    now: Mapping[str, Any] = stands[-1].value if stands else {"state": STARTED}
    why = str(now.get("why", ""))
    return Run(run=name, state=now["state"], result=now.get("result"), why=why, **begun)


def _key_facts(key: str, request: str, run: str) -> tuple[Fact, Fact]:
    """Return two facts: KEY maps a key to request and run, and KEYED maps the run to the key."""
    name = _name_of(key)
    return Fact(KEY, "", name, {"request": request, "run": run}), Fact(KEYED, run, name)


def _name_of(key: str) -> str:
    return hashlib.sha256(key.encode()).hexdigest()


def _digest(graph: str, room: dict[str, Any]) -> str:
    """Return the hash of a request, which is a workflow and a configuration."""
    return hashlib.sha256(json.dumps([graph, room], sort_keys=True).encode()).hexdigest()
