"""The processes that play a sweep: each takes a cell before it plays it, and writes its row once.

A cell whose process has died is free again: on the same machine at once, as the system knows its
processes, and on another after `LOST` seconds without a sign of life. Signs are counted, and no
clock is read. Whoever was only frozen finds that its row is there already, and changes nothing.
"""

import json
import os
import socket
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any
from uuid import uuid4

from shapley_coop.evals.sweeps.store import ROW, Store
from shapley_coop.evals.sweeps.stored import Row

BEAT, LOST = 10.0, 90.0
"""Seconds between signs of life; seconds without one after which a process elsewhere is lost."""

_LIVES = """
    INSERT INTO sweep_workers (sweep, worker, machine, process, born, beat)
    VALUES (:sweep, :worker, :machine, :process, :born, 0)
    ON CONFLICT (sweep, worker) DO UPDATE SET beat = sweep_workers.beat + 1
"""
_OTHERS = """
    SELECT worker, machine, process, born, beat FROM sweep_workers
    WHERE sweep = :sweep AND worker <> :worker
"""
_TAKE = """
    INSERT INTO sweep_taken (sweep, cell, worker) SELECT :sweep, :cell, :worker
    WHERE NOT EXISTS (SELECT 1 FROM sweep_rows WHERE sweep = :sweep AND cell = :cell)
    ON CONFLICT (sweep, cell) DO NOTHING RETURNING cell
"""
_FAILED = """
    INSERT INTO sweep_failures (sweep, cell, usd, content) VALUES (:sweep, :cell, :usd, :content)
    ON CONFLICT (sweep, cell) DO UPDATE SET usd = :usd, content = :content
"""
_ENDED = "DELETE FROM sweep_failures WHERE sweep = :sweep AND cell = :cell"
_GONE = (
    "DELETE FROM sweep_taken WHERE sweep = :sweep AND worker = :worker",
    "UPDATE sweep_calls SET worst = 0, under_way = 0 WHERE sweep = :sweep AND worker = :worker",
    "DELETE FROM sweep_workers WHERE sweep = :sweep AND worker = :worker",
)


class Worker:
    """This process among those that play a sweep; use it in a `with` block.

    Args:
        store: the sweep's.
        clock: seconds, rising.

    Attributes:
        store: the same.
        id: names it among them.
    """

    def __init__(self, store: Store, clock: Callable[[], float] = time.monotonic) -> None:
        self.store, self.id, self._clock = store, uuid4().hex, clock
        self._seen: dict[str, tuple[int, float]] = {}

    def __enter__(self) -> "Worker":
        self.beat()
        return self

    def __exit__(self, *_: object) -> None:
        self._free(self.id)

    def take(self, cell: str) -> bool:
        """Return whether this process may play a cell: it has no row, and nobody has taken it."""
        with self.store.writing() as session:
            return bool(session.execute(_TAKE, **self.store.given(cell=cell, worker=self.id)))

    def finished(self, row: Row, volatile: Row, usd: float = 0.0) -> None:
        """Keep a run; the first row of a cell is the one that counts.

        Args:
            row: see `evals.sweeps.rows`.
            volatile: the fields that differ between equal runs.
            usd: what it has cost.
        """
        self.store.write(
            ROW,
            _ENDED,
            cell=row["cell"],
            suite=row["suite"],
            labels=json.dumps(row["labels"], ensure_ascii=False),
            seed=row["seed"],
            repetition=row["repetition"],
            usd=usd,
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
        cell, content = failure["cell"], _json(failure)
        self.store.write(_FAILED, cell=cell, usd=usd, content=content)

    def beat(self) -> None:
        """Give a sign of life."""
        me = {"machine": _machine(), "process": os.getpid(), "born": _born(os.getpid())}
        self.store.write(_LIVES, worker=self.id, **me)

    def bury(self) -> None:
        """Free what processes had taken and reserved that have died."""
        for other in self.store.find(_OTHERS, worker=self.id):
            if self._is_dead(other):
                self._free(other["worker"])

    def _is_dead(self, other: dict[str, Any]) -> bool:
        if other["machine"] == _machine():
            return bool(_born(other["process"]) != other["born"])
        now = self._clock()
        beat, since = self._seen.get(other["worker"], (None, now))
        if beat != other["beat"]:
            self._seen[other["worker"]] = other["beat"], now
            return False
        return bool(now - since > LOST)

    def _free(self, worker: str) -> None:
        self.store.write(*_GONE, worker=worker)


def _json(line: Row) -> str:
    return json.dumps(line, ensure_ascii=False, sort_keys=True, allow_nan=False)


@cache
def _machine() -> str:
    """Return where process numbers mean the same: a machine, and on it a container."""
    numbering = Path("/proc/self/ns/pid")
    return f"{socket.gethostname()} {os.readlink(numbering) if numbering.is_symlink() else ''}"


def _born(process: int) -> str:
    """Return when a process began, as the system counts it; empty if it has ended."""
    try:
        told = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return "" if Path("/proc/self").exists() else _alive(process)
    return "" if told[0] == "Z" else told[19]


def _alive(process: int) -> str:
    """Return the same where the system does not tell when."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return ""
    except PermissionError:
        pass
    return "alive"
