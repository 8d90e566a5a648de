"""The player of a sweep's cells on this machine; each cell is a run in the register of runs."""

import asyncio
import time
from collections.abc import Collection
from typing import Any, cast

from shapley_coop.evals.cell import Cell, Row
from shapley_coop.evals.langsmith.feedback import score_trace, traced_with
from shapley_coop.evals.provenance import provenance
from shapley_coop.evals.rows import Clock, Finished, calls_of, row_of, volatile_of
from shapley_coop.extensions.sweeps.playing import Keep, is_removed
from shapley_coop.graphs.preparing import prepare
from shapley_coop.graphs.running import follow
from shapley_coop.graphs.threads import remove, table_of
from shapley_coop.seats.records import Entry
from shapley_coop.seats.tracing import tracing
from shapley_coop.state.run_config import RunConfig
from shapley_coop.state.storage.home import home
from shapley_coop.state.storage.register import Run
from shapley_coop.state.table import Table


class Local:
    """A player of cells in this process.

    Args:
        sweep: the sweep's id. Sweep id and cell id name a run, so a resumed sweep finds the run.
        keep: the runs whose letters and checkpoints are kept after their row is written: all runs,
            runs that ended in `FAILURES`, or none. Unfinished runs are always kept, so that the
            next sweep can continue them.
    """

    elsewhere = False

    def __init__(self, sweep: str, keep: Keep = "all") -> None:
        self._sweep, self._keep = sweep, keep

    async def play(self, cell: Cell) -> Finished:
        """Play a cell to its end: start or resume its run, or read the run if the run has ended.

        Raises:
            SeatError: a seat did not answer; a second call for the cell resumes the run.
        """
        started, name = time.monotonic(), self._name(cell)
        known = await asyncio.to_thread(_find_run, name)
        run, before = known, await table_of(known) if known else cast(Table, {})
        if run is None:
            config = RunConfig.model_validate(cell.room)
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
        """Return the calls that a cell's unfinished run has made."""
        run = await asyncio.to_thread(_find_run, self._name(cell))
        table = await table_of(run) if run else None
        return calls_of(await _entries(table)) if table else []

    async def written(self, cell: Cell, row: Row) -> None:
        """Remove the run of a cell whose row is written, unless `keep` says to keep the run."""
        if is_removed(self._keep, row["result"]["status"]):
            await remove(await asyncio.to_thread(home().runs.get, self._name(cell)))

    async def tidy(self, ended: Collection[str]) -> None:
        """Remove the runs of ended cells that a process did not remove before it was killed."""
        if self._keep == "all":
            return
        runs = home().runs
        for name in await asyncio.to_thread(runs.cells, f"{self._sweep}.{'_' * 20}"):
            run = await asyncio.to_thread(runs.get, name)
            if (
                name.partition(".")[2] in ended
                and run.result
                and is_removed(self._keep, run.result["status"])
            ):
                await remove(run)

    def _name(self, cell: Cell) -> str:
        return f"{self._sweep}.{cell.id}"


async def _entries(table: Table) -> list[Entry]:
    return await asyncio.to_thread(lambda: list(home().journal.entries(table["episode"])))


def _find_run(name: str) -> Run | None:
    try:
        return home().run(name)
    except ValueError:
        return None
