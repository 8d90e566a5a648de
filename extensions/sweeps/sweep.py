"""Sweeps: many runs (cells of suites), played concurrently; a killed sweep can be resumed."""

import asyncio
import traceback
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shapley_coop.evals.cell import Cell
from shapley_coop.evals.prices import NO_PRICES, Prices
from shapley_coop.extensions.sweeps.gates import SweepGate
from shapley_coop.extensions.sweeps.models import seats_of
from shapley_coop.extensions.sweeps.playing import Batches, Limits, Player, Tally
from shapley_coop.extensions.sweeps.purse import Purse, SpendingLimit
from shapley_coop.extensions.sweeps.workers import Worker
from shapley_coop.seats.clients import clients, clients_here
from shapley_coop.seats.seat import CredentialsMissing, SeatError


async def sweep(
    cells: Sequence[Cell],
    player: Player,
    worker: Worker,
    limits: Limits,
    prices: Prices = NO_PRICES,
    watch: Callable[[Tally], Any] = lambda tally: None,
    tell: Callable[[str], Any] = lambda text: None,
) -> Tally:
    """Play every cell that has no row in the folder and that no other process plays.

    A failed cell is recorded and left for the next sweep; the other cells continue.

    Args:
        cells: the cells, in the order of play.
        player: plays the cells.
        worker: takes cells and stores rows for this process.
        limits: the limits at which the sweep stops.
        prices: prices for the cost; models without a price count as free.
        watch: called with the tally after each cell.
        tell: called with messages about the progress of batches.

    Raises:
        ValueError: the sweep uses batches, and a seat's endpoint offers no batches.
    """
    under_way = _Sweep(cells, player, worker, limits, prices, watch, tell)
    try:
        async with clients():
            await under_way.begin()
            async with asyncio.TaskGroup() as group:
                for _ in range(min(limits.at_once, len(under_way.todo))):
                    group.create_task(under_way.work())
    finally:
        await player.close()
    return await under_way.ended()


@dataclass
class _Sweep:
    """The state that this process's tasks share; one event loop runs them all."""

    _cells: Sequence[Cell]
    _player: Player
    _worker: Worker
    _limits: Limits
    _prices: Prices
    _watch: Callable[[Tally], Any]
    _tell: Callable[[str], Any]

    def __post_init__(self) -> None:
        self._worker.bury()
        store = self._worker.store
        self._ended = store.done()
        self.todo = [cell for cell in self._cells if cell.id not in self._ended]
        self.tally = Tally(len(self._cells), len(self._cells) - len(self.todo), cost=store.spent)
        self._purse = Purse(self._worker, self._limits.cost)
        self.gate = SweepGate(self._purse, self._prices, self._limits.rates)
        self._next, self._others = deque(self.todo), list[Cell]()
        self._dearest: float | None = None
        self._playing = 0
        self._moved, self._taking = asyncio.Condition(), asyncio.Lock()

    async def begin(self) -> None:
        """Limit calls to models, set up batches, and remove what killed processes left."""
        clients_here().gate = self.gate.call
        if self._limits.batches and self.todo:
            await self._in_batches(self._limits.batches)
        await self._player.tidy(self._ended)

    async def ended(self) -> Tally:
        """Return the final tally, with the cells that other processes have played meanwhile."""
        ended = await asyncio.to_thread(self._worker.store.done)
        self.tally.before = sum(cell.id in ended for cell in self._cells) - self.tally.done
        self.tally.cost = await self._purse.spent()
        return self.tally

    async def _in_batches(self, made: Callable[..., Batches]) -> None:
        """Install the client for batches, and check that all seats can use it."""
        sweep = self._worker.store.id
        batches = made(sweep, self._purse, lambda: self._playing, self._tell)
        here = clients_here()
        self.gate.batches, here.batched = batches, batches.client
        here.closing.push_async_callback(batches.client.aclose)
        await batches.check(seats_of(self.todo))

    async def work(self) -> None:
        """Play one cell after the other until none is left or a limit is reached."""
        more = True
        while more and await self._may_begin():
            self._playing += 1
            try:
                more = await self._next_played()
            finally:
                self._playing -= 1
            async with self._moved:
                self._moved.notify_all()

    async def _next_played(self) -> bool:
        """Play the next cell; return False if there is none."""
        if (cell := await self._taken()) is None:
            return False
        cost = await self._play(cell)
        self._dearest = max(cost, self._dearest or 0.0)
        self.tally.cost = await self._purse.spent()
        self._watch(self.tally)
        return True

    async def _taken(self) -> Cell | None:
        """Take the next free cell, or return None; cells of dead processes come last."""
        async with self._taking:
            while self._next or self._others:
                if not self._next:
                    freed = await asyncio.to_thread(self._freed)
                    self._next, self._others = deque(freed), []
                    continue
                cell = self._next.popleft()
                if await asyncio.to_thread(self._worker.take, cell.id):
                    return cell
                self._others.append(cell)
        return None

    def _freed(self) -> list[Cell]:
        """Return the cells that dead processes had taken and not finished."""
        self._worker.bury()
        store = self._worker.store
        gone = store.done() | store.taken()
        return [cell for cell in self._others if cell.id not in gone]

    async def _may_begin(self) -> bool:
        """Return whether another run fits the limits; wait if runs in progress may decide this."""
        while not self.tally.stopped:
            if self._limits.cost is None:
                return True
            # A run's cost is unknown until the first run has ended, so the first run plays alone.
            # With batches it does not, because a run alone would wait for a batch per letter.
            unknown = self._dearest is None and not self._limits.batches
            spent = await self._purse.spent()
            reserved = (self._dearest or 0.0) * (self._playing + 1)
            if spent + reserved <= self._limits.cost and not (unknown and self._playing):
                return True
            if not self._playing:
                self.tally.stopped = (
                    f"the cost limit of {self._limits.cost:g} USD: {spent:.4f} are spent"
                )
                return False
            async with self._moved:
                await self._moved.wait()
        return False

    async def _play(self, cell: Cell) -> float:
        """Play a cell and store its row or its failure; return the cost in USD."""
        try:
            finished = await self._player.play(cell)
        except Exception as error:
            return await self._failed(cell, error)
        cost = _cost(self._prices, finished.row["calls"])
        await self._spent_elsewhere(cell, cost)
        await asyncio.to_thread(self._worker.finished, finished.row, finished.volatile)
        await self._player.written(cell, finished.row)
        self.tally.done += 1
        return cost

    async def _failed(self, cell: Cell, error: Exception) -> float:
        """Store the reason of a cell's failure; return the cost in USD."""
        paid = await self._player.paid_for(cell)
        cost, unpaid = _cost(self._prices, paid), isinstance(error, SpendingLimit)
        if unpaid:
            self.tally.stopped = self.tally.stopped or str(error)
            if not paid:  # the cell made no call, so it has not failed
                return 0.0
        line = {"cell": cell.id, "labels": dict(cell.labels), "seed": cell.seed}
        line |= {"suite": cell.suite, "error": describe(error), "calls": paid}
        line |= {"said": said} if (said := getattr(error, "said", "")) else {}
        await self._spent_elsewhere(cell, cost)
        await asyncio.to_thread(self._worker.failed, line, cost)
        if not unpaid:
            self.tally.failed += 1
            if self.tally.failed > self._limits.errors * len(self.todo):
                self.tally.stopped = f"{self.tally.failed} of {len(self.todo)} cells failed"
        return cost

    async def _spent_elsewhere(self, cell: Cell, cost: float) -> None:
        """Add the cost of a server's calls to the purse, minus the cost of earlier attempts."""
        if self._player.elsewhere and cost:
            before = await asyncio.to_thread(self._worker.store.failed_cost, cell.id)
            await self._purse.settle("", max(0.0, cost - before))


def _cost(prices: Prices, calls: Sequence[dict[str, Any]]) -> float:
    """Return the cost in USD of the calls whose models have a price."""
    return prices.cost(call for call in calls if prices.know([call["model"]]))


def describe(error: Exception) -> str:
    """Return one line about a failure: known errors in full, others by class and source line."""
    if isinstance(error, SeatError | CredentialsMissing | ValueError):
        return " ".join(str(error).split())
    place = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__} in {Path(place.filename).name}:{place.lineno}"
