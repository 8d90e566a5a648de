"""Plays cells on this machine, as ordinary runs of the register."""

import asyncio
import time
from typing import Any, cast

from shapley_coop.evals.sweeps.feedback import score_trace, traced_with
from shapley_coop.evals.sweeps.provenance import provenance
from shapley_coop.evals.sweeps.rows import Clock, Finished, calls_of, row_of, volatile_of
from shapley_coop.evals.sweeps.suite import Cell
from shapley_coop.graphs.running import follow, prepare
from shapley_coop.graphs.threads import table_of
from shapley_coop.seats.records import Entry
from shapley_coop.seats.tracing import tracing
from shapley_coop.state import Run, RunConfig, Table, home


class Local:
    """A player of cells in this process.

    Args:
        sweep: the sweep's id. It makes a cell's run the same one whenever the sweep goes on.
    """

    def __init__(self, sweep: str) -> None:
        self._sweep = sweep

    async def play(self, cell: Cell) -> Finished:
        """Play a cell to its end, resume it where it stopped, or read it if it has ended.

        Raises:
            SeatError: a seat did not answer; playing the cell again goes on from there.
        """
        started, name = time.monotonic(), self._name(cell)
        known = await asyncio.to_thread(_known, name)
        run, before = known, await table_of(known) if known else cast(Table, {})
        if run is None:
            config = RunConfig.model_validate(dict(cell.room))
            run = await asyncio.to_thread(prepare, cell.graph, config, name)
        clock = Clock(turn=len(before.get("record", [])) + 1)
        traced = traced_with(sweep=self._sweep, condition=cell.name) if tracing() else None
        if run.state != "ended":
            await follow(run, clock, traced=traced)
        table = await table_of(run)
        entries = await _entries(table)
        volatile = volatile_of(
            cell,
            table,
            clock,
            run=name,
            resumed=known is not None,
            started=started,
            waited=sum(entry.answer.seconds for entry in entries),
            **provenance(),
        )
        row = row_of(cell, table, entries)
        if traced:
            score_trace(table, entries)
        return Finished(row, volatile)

    async def paid_for(self, cell: Cell) -> list[dict[str, Any]]:
        """The calls of a run that did not end."""
        run = await asyncio.to_thread(_known, self._name(cell))
        table = await table_of(run) if run else None
        return calls_of(await _entries(table)) if table else []

    async def close(self) -> None:
        """Nothing is held open between cells."""

    def _name(self, cell: Cell) -> str:
        return f"{self._sweep}.{cell.id}"


async def _entries(table: Table) -> list[Entry]:
    return await asyncio.to_thread(lambda: list(home().journal.entries(table["episode"])))


def _known(name: str) -> Run | None:
    try:
        return home().runs.get(name)
    except ValueError:
        return None
