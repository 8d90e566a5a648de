"""The register of runs. A run is entered before its graph starts, so that none is lost."""

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Column, Row, String, Table, Text, insert, select, update
from sqlalchemy.exc import IntegrityError

from shapley_coop.state.storage.owned import OWNED, OwnedBook, owner_column
from shapley_coop.state.storage.owners import holder

STARTED, ENDED, FAILED = "started", "ended", "failed"

_runs = Table(
    "runs",
    OWNED,
    owner_column(),
    Column("run", String(80), primary_key=True),
    Column("graph", String(64), nullable=False),
    Column("room", Text, nullable=False),
    Column("created", String(32), nullable=False),
    Column("state", String(16), nullable=False),
    Column("result", Text),
)


@dataclass(frozen=True)
class Run:
    """One run as the register knows it.

    Attributes:
        run: its name, which is LangGraph's thread id.
        graph: the workflow.
        room: its resolved configuration, as JSON.
        created: ISO time, UTC.
        state: started, ended or failed.
        result: its result; None until it ended.
    """

    run: str
    graph: str
    room: dict[str, Any]
    created: str
    state: str
    result: dict[str, Any] | None


class Runs(OwnedBook):
    """The runs of one database, each owner's apart."""

    def begin(self, run: str, graph: str, room: dict[str, Any]) -> Run:
        """Enter a run before it starts.

        Returns:
            The run as it was entered.

        Raises:
            ValueError: a run of that name exists.
        """
        row = {
            "run": run,
            "owner": holder().owner,
            "graph": graph,
            "room": json.dumps(room),
            "created": datetime.now(UTC).isoformat(timespec="seconds"),
            "state": STARTED,
        }
        try:
            self._write((insert(_runs), row))
        except IntegrityError:
            raise ValueError(
                f"there is a run {run!r} already: choose another name, or coop resume {run}"
            ) from None
        return Run(run, graph, json.loads(row["room"]), row["created"], STARTED, None)

    def finish(self, run: str, state: str, result: dict[str, Any] | None = None) -> None:
        """Enter the state in which a run ended, and its result.

        A failure never erases the result of a run that has ended: what is settled stays settled,
        whatever fails afterwards.
        """
        values = {"state": state, "result": json.dumps(result) if result else None}
        change = update(_runs).filter_by(run=run, owner=holder().owner).values(values)
        self._write((change if result else change.where(_runs.c.state != ENDED), None))

    def get(self, run: str) -> Run:
        """Look a run up.

        Raises:
            ValueError: there is no run of that name.
        """
        row = self._row(self._seen(select(_runs).filter_by(run=run), _runs))
        if row is None:
            raise ValueError(f"there is no run {run!r}: coop runs lists them")
        return _run(row)

    def list(self) -> list[Run]:
        """Every run, newest first."""
        query = self._seen(select(_runs), _runs).order_by(_runs.c.created.desc(), _runs.c.run)
        return [_run(row) for row in self._rows(query)]


def _run(row: Row[Any]) -> Run:
    result = json.loads(row.result) if row.result else None
    return Run(row.run, row.graph, json.loads(row.room), row.created, row.state, result)
