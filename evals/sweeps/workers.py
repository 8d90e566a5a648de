"""The processes that play a sweep: each takes a cell before it plays it, and writes its row once.

A process holds a lease as long as it plays (`state.storage.leases`). What a process had taken that
has died is free again: whoever can get its lease frees it. The calls that it was making count as
spent, each at its worst. Whoever was only frozen finds that its row is there already,
and changes nothing.
"""

import json
from contextlib import ExitStack, suppress
from uuid import uuid4

from shapley_coop.evals.sweeps.store import ROW, Store
from shapley_coop.evals.sweeps.stored import Row
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
# Its provider may bill what it was asked; a batch's letters are counted when their answers come.
_GONE = (
    "DELETE FROM sweep_taken WHERE sweep = :sweep AND worker = :worker",
    "UPDATE sweeps SET spent = spent + (SELECT COALESCE(SUM(worst), 0) FROM sweep_calls "
    "WHERE sweep = :sweep AND worker = :worker AND under_way = 1 AND endpoint <> '') "
    "WHERE sweep = :sweep",
    "UPDATE sweep_calls SET worst = 0, under_way = 0 WHERE sweep = :sweep AND worker = :worker",
)


class Worker:
    """This process among those that play a sweep; use it in a `with` block.

    Args:
        store: the sweep's.

    Attributes:
        store: the same.
        id: names it among them.
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
        """Return whether this process may play a cell: it has no row, and nobody has taken it."""
        with self.store.writing() as session:
            return bool(session.execute(_TAKE, **self.store.given(cell=cell, worker=self.id)))

    def finished(self, row: Row, volatile: Row) -> None:
        """Keep a run; the first row of a cell is the one that counts.

        Args:
            row: see `evals.sweeps.rows`.
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
        """Record an attempt that did not end; the next sweep tries its cell again.

        Args:
            failure: its `cell`, and why it failed.
            usd: what the cell's calls have cost, those of earlier attempts included.
        """
        self.store.write(_FAILED, cell=failure["cell"], usd=usd, content=_json(failure))

    def bury(self) -> None:
        """Free what processes had taken that have died; what they had reserved is spent."""
        for other in self.store.find(_OTHERS, worker=self.id):
            name = other["worker"]
            with suppress(Busy), self.store.leases.of(name):
                self.store.write(*_GONE, worker=name)
                self.store.leases.forget(name)


def _json(line: Row) -> str:
    return json.dumps(line, ensure_ascii=False, sort_keys=True, allow_nan=False)
