"""Sweeps: many runs (cells of suites), played concurrently; a killed sweep can be resumed."""

import asyncio
import traceback
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from langgraph.errors import GraphDrained

from shapley_coop.evals.cell import Cell
from shapley_coop.evals.prices import NO_PRICES, Prices
from shapley_coop.extensions.sweeps.cells import seats_of
from shapley_coop.extensions.sweeps.gates import SweepGate
from shapley_coop.extensions.sweeps.playing import Limits, Player, Tally
from shapley_coop.extensions.sweeps.purse import Purse, SpendingLimit
from shapley_coop.extensions.sweeps.workers import Worker
from shapley_coop.seats.clients import clients, clients_here
from shapley_coop.seats.seat import CredentialsMissing, SeatError


@dataclass
class Sweep:
    """This process's part in a sweep: it plays cells that have no row and that nobody else plays.

    A failed cell is recorded and left for the next sweep; the other cells continue.

    Attributes:
        cells: the cells, in the order of play.
        player: the player, which plays the cells.
        worker: the worker, which takes cells and stores rows for this process.
        limits: the limits at which the sweep stops.
        prices: prices for the cost; models without a price count as free.
        watch: called after each cell.
        tell: called with messages about the progress of batches.
    """

    cells: Sequence[Cell]
    player: Player
    worker: Worker
    limits: Limits
    prices: Prices = NO_PRICES
    watch: Callable[[], Any] = lambda: None
    tell: Callable[[str], Any] = lambda text: None

    def __post_init__(self) -> None:
        self.worker.bury()
        self._todo = self.worker.store.left(self.cells)
        self._tally = Tally(len(self.cells), before=len(self.cells) - len(self._todo))
        self._purse = Purse(self.worker, self.limits.cost)
        self._next, self._others = deque(self._todo), list[Cell]()
        self._dearest: float | None = None
        self._playing = 0
        self._moved, self._taking = asyncio.Condition(), asyncio.Lock()

    async def play(self) -> Tally:
        """Play the cells; return the tally, with the cells that others have played meanwhile.

        Raises:
            GraphDrained: the process was asked to stop before its cells had ended.
        ValueError: the sweep uses batches, and a seat's endpoint offers no batches.
        """
        async with clients():
            await self._begin()
            async with asyncio.TaskGroup() as group:
                for _ in range(min(self.limits.at_once, len(self._todo))):
                    group.create_task(self._work())
            if self._tally.done < len(self._todo):
                clients_here().stopping.check()
        left = await asyncio.to_thread(self.worker.store.left, self._todo)
        self._tally.before = len(self.cells) - len(left) - self._tally.done
        self._tally.cost = await self._purse.spent()
        return self._tally

    async def _begin(self) -> None:
        """Limit calls to models, set up batches, and remove what killed processes left."""
        here, gate = clients_here(), SweepGate(self._purse, self.prices, self.limits.rates)
        here.gate, self._purse.sleep = gate.call, here.stopping.sleep
        here.stopping.gentle = self.limits.batches is None
        if self.limits.batches and self._todo:
            sweep = self.worker.store.id
            batches = self.limits.batches(sweep, self._purse, lambda: self._playing, self.tell)
            gate.batches, here.batched = batches, batches.client
            here.closing.push_async_callback(batches.client.aclose)
            await batches.check(seats_of(self._todo))
        await self.player.tidy(self.worker.store.done())

    async def _work(self) -> None:
        """Play one cell after the other until none is left or a limit is reached."""
        while await self._may_begin():
            self._playing += 1
            try:
                if (cell := await self._taken()) is None:
                    return
                self._dearest = max(await self._play(cell), self._dearest or 0.0)
                self.watch()
            finally:
                self._playing -= 1
                async with self._moved:
                    self._moved.notify_all()

    async def _taken(self) -> Cell | None:
        """Take the next free cell, or return None; cells of dead processes come last."""
        async with self._taking:
            while self._next or self._others:
                while self._next:
                    cell = self._next.popleft()
                    if await asyncio.to_thread(self.worker.take, cell.id):
                        return cell
                    self._others.append(cell)
                self._next = deque(await asyncio.to_thread(self._freed))
                self._others = []
        return None

    def _freed(self) -> list[Cell]:
        """Return the cells that dead processes had taken and not finished."""
        self.worker.bury()
        taken = self.worker.store.taken()
        return [cell for cell in self.worker.store.left(self._others) if cell.id not in taken]

    async def _may_begin(self) -> bool:
        """Return whether another run fits the limits; wait if runs in progress may decide this."""
        while not (self._tally.stopped or clients_here().stopping.asked):
            if self.limits.cost is None:
                return True
            # A run's cost is unknown until the first run has ended, so the first run plays alone.
            # With batches it does not, because a run alone would wait for a batch per letter.
            unknown = self._dearest is None and not self.limits.batches
            spent = await self._purse.spent()
            reserved = (self._dearest or 0.0) * (self._playing + 1)
            if spent + reserved <= self.limits.cost and not (unknown and self._playing):
                return True
            if not self._playing:
                self._tally.stopped = (
                    f"the cost limit of {self.limits.cost:g} USD: {spent:.4f} are spent"
                )
                return False
            async with self._moved:
                await self._moved.wait()
        return False

    async def _play(self, cell: Cell) -> float:
        """Play a cell and store its row or its failure; return the cost in USD."""
        try:
            finished = await self.player.play(cell)
        except GraphDrained:
            return 0.0
        except Exception as error:
            return await self._failed(cell, error)
        cost = self.prices.cost_of_known(finished.row["calls"])
        await self._spent_elsewhere(cell, cost)
        await asyncio.to_thread(self.worker.finished, finished.row, finished.volatile)
        await self.player.written(cell, finished.row)
        self._tally.done += 1
        return cost

    async def _failed(self, cell: Cell, error: Exception) -> float:
        """Store the reason of a cell's failure; return the cost in USD."""
        paid = await self.player.paid_for(cell)
        cost, unpaid = self.prices.cost_of_known(paid), isinstance(error, SpendingLimit)
        if unpaid:
            self._tally.stopped = self._tally.stopped or str(error)
            if not paid:  # the cell made no call, so it has not failed
                return 0.0
        line = {"cell": cell.id, "labels": dict(cell.labels), "seed": cell.seed}
        line |= {"suite": cell.suite, "error": _describe(error), "calls": paid}
        line |= {"said": said} if (said := getattr(error, "said", "")) else {}
        await self._spent_elsewhere(cell, cost)
        await asyncio.to_thread(self.worker.failed, line, cost)
        if not unpaid:
            self._tally.failed += 1
            if self._tally.failed > self.limits.errors * len(self._todo):
                self._tally.stopped = f"{self._tally.failed} of {len(self._todo)} cells failed"
        return cost

    async def _spent_elsewhere(self, cell: Cell, cost: float) -> None:
        """Add the cost of a server's calls to the purse, minus the cost of earlier attempts."""
        if self.player.elsewhere and cost:
            before = await asyncio.to_thread(self.worker.store.failed_cost, cell.id)
            await self._purse.settle("", max(0.0, cost - before))


def _describe(error: Exception) -> str:
    """Return one line about a failure: known errors in full, others by class and source line."""
    if isinstance(error, SeatError | CredentialsMissing | ValueError):
        return " ".join(str(error).split())
    place = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__} in {Path(place.filename).name}:{place.lineno}"
