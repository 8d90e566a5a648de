"""The processes that play a sweep: each takes a cell, plays it, and writes the cell's row once.

A process holds a lease while it plays (`state.storage.leases`). If a process has died, another
process can take over its lease and free its cells. The dead process's calls in flight count as
spent, at their worst-case cost. A process that was only frozen finds its cell's row already
written, and changes nothing.
"""

import json
from contextlib import ExitStack, suppress
from uuid import uuid4

from shapley_coop.evals.cell import Row
from shapley_coop.extensions.sweeps.store import ROW, Store
from shapley_coop.state.storage.leases import Busy

_OTHERS = """
    SELECT worker FROM sweep_taken WHERE sweep = :sweep AND worker <> :worker
    UNION SELECT worker FROM sweep_calls
    WHERE sweep = :sweep AND worker <> :worker AND under_way = 1
"""
_TAKE = """
    INSERT INTO sweep_taken (sweep, cell, worker) SELECT :sweep, :cell, :worker
    WHERE NOT EXISTS (SELECT 1 FROM sweep_rows WHERE sweep = :sweep AND cell = :cell)
    ON CONFLICT (sweep, cell) DO NOTHING RETURNING cell
"""
_FAILED = """
    INSERT INTO sweep_failures (sweep, cell, usd, content) SELECT :sweep, :cell, :usd, :content
    WHERE NOT EXISTS (SELECT 1 FROM sweep_rows WHERE sweep = :sweep AND cell = :cell)
    ON CONFLICT (sweep, cell) DO UPDATE SET usd = :usd, content = :content
"""
_ENDED = (
    "DELETE FROM sweep_failures WHERE sweep = :sweep AND cell = :cell",
    "DELETE FROM sweep_taken WHERE sweep = :sweep AND cell = :cell",
)
# Calls in flight count as spent, as they may be billed. Batched calls count when answers come.
_GONE = (
    "DELETE FROM sweep_taken WHERE sweep = :sweep AND worker = :worker",
    "UPDATE sweeps SET spent = spent + (SELECT COALESCE(SUM(worst), 0) FROM sweep_calls "
    "WHERE sweep = :sweep AND worker = :worker AND under_way = 1 AND endpoint <> '') "
    "WHERE sweep = :sweep",
    "UPDATE sweep_calls SET worst = 0, under_way = 0 WHERE sweep = :sweep AND worker = :worker",
)


class Worker:
    """This process as one of the players of a sweep; use the worker in a `with` block.

    Args:
        store: the sweep's store.

    Attributes:
        store: the sweep's store.
        id: the process's unique name.
    """

    def __init__(self, store: Store) -> None:
        self.store, self.id = store, f"sweep {uuid4().hex}"
        self._held = ExitStack()

    def __enter__(self) -> "Worker":
        self._held.enter_context(self.store.leases.of(self.id))
        return self

    def __exit__(self, *_: object) -> None:
        self.store.write(*_GONE, worker=self.id)
        self._held.close()
        self.store.leases.forget(self.id)

    def take(self, cell: str) -> bool:
        """Take a cell for this process; return False if it has a row or another process has it."""
        with self.store.writing() as session:
            return bool(session.execute(_TAKE, **self.store.given(cell=cell, worker=self.id)))

    def finished(self, row: Row, volatile: Row) -> None:
        """Store a finished run, unless its cell has a row already.

        Args:
            row: the run's row: see `evals.rows`.
            volatile: the fields that differ between equal runs.
        """
        self.store.write(
            ROW,
            *_ENDED,
            cell=row["cell"],
            suite=row["suite"],
            labels=json.dumps(row["labels"], ensure_ascii=False),
            seed=row["seed"],
            repetition=row["repetition"],
            calls=row.get("result", {}).get("usage", {}).get("calls", 0),
            content=_json(row),
            volatile=_json(volatile),
        )

    def failed(self, failure: Row, usd: float = 0.0) -> None:
        """Store a failed attempt; the next sweep tries its cell again.

        Args:
            failure: the `cell`, the error and other facts.
            usd: the cost of the cell's calls, including earlier attempts.
        """
        self.store.write(_FAILED, cell=failure["cell"], usd=usd, content=_json(failure))

    def bury(self) -> None:
        """Free the cells of dead processes, and count their reservations as spent."""
        for other in self.store.find(_OTHERS, worker=self.id):
            name = other["worker"]
            with suppress(Busy), self.store.leases.of(name):
                self.store.write(*_GONE, worker=name)
                self.store.leases.forget(name)


def _json(line: Row) -> str:
    return json.dumps(line, ensure_ascii=False, sort_keys=True, allow_nan=False)
