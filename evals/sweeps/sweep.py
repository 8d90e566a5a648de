"""Sweeps: many cells in parallel, each run once; a sweep can be stopped and resumed at any time."""

import asyncio
import traceback
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from shapley_coop.evals.sweeps.gates import Purse, Rates, SpendingLimit, SweepGate
from shapley_coop.evals.sweeps.index import cells_in, indexed
from shapley_coop.evals.sweeps.learning import Learning
from shapley_coop.evals.sweeps.prices import NO_PRICES, Prices, seats_of
from shapley_coop.evals.sweeps.rows import Finished
from shapley_coop.evals.sweeps.store import Writer, manifest
from shapley_coop.evals.sweeps.stored import Row
from shapley_coop.evals.sweeps.suite import Cell
from shapley_coop.seats import CredentialsMissing, SeatError
from shapley_coop.seats.clients import clients, clients_here

if TYPE_CHECKING:
    from shapley_coop.evals.sweeps.batch_provider import Pauses


class Player(Protocol):
    """Plays cells, in this process or on a server."""

    async def play(self, cell: Cell) -> Finished:
        """Play it to its end, going on where it stopped."""

    async def paid_for(self, cell: Cell) -> list[dict[str, Any]]:
        """The calls of a run that did not end."""

    async def written(self, cell: Cell, row: Row) -> None:
        """A cell's row is on the disk, so that its run need not be kept any more."""

    async def tidy(self, ended: Collection[str]) -> None:
        """Do what `written` had not done when the process was killed, for cells that have ended."""

    async def close(self) -> None:
        """Close what is open."""


@dataclass(frozen=True)
class Limits:
    """When a sweep stops by itself.

    Attributes:
        at_once: how many cells are played side by side.
        cost: USD over all runs of the folder; None for no limit.
        errors: the part of the cells to be run that may fail.
        rates: provider → requests and tokens per minute; `*` is for every other.
        batch: how long is waited, where letters are asked in batches; None where they are not. In
            batches the sweep does not wait for its first cells: each letter of theirs takes one.
    """

    at_once: int = 16
    cost: float | None = None
    errors: float = 0.05
    rates: Mapping[str, Rates] = field(default_factory=dict)
    batch: "Pauses | None" = None


@dataclass
class Tally:
    """The progress of a sweep.

    Attributes:
        cells: how many it is for.
        before: how many of them an earlier sweep had run.
        done: run by this sweep.
        failed: attempts of this sweep that did not end.
        cost: USD over all runs of the folder.
        stopped: why it stopped early; empty if it did not.
    """

    cells: int
    before: int
    done: int = 0
    failed: int = 0
    cost: float = 0.0
    stopped: str = ""

    @property
    def left(self) -> int:
        """How many cells are still to be run."""
        return self.cells - self.before - self.done


async def sweep(
    cells: Sequence[Cell],
    player: Player,
    writer: Writer,
    limits: Limits,
    prices: Prices = NO_PRICES,
    watch: Callable[[Tally], Any] = lambda tally: None,
    tell: Callable[[str], Any] = lambda text: None,
) -> Tally:
    """Run every cell that the folder has no row of.

    A failed cell is recorded and left for the next sweep; the other cells go on.

    Args:
        cells: what to run, in this order.
        player: who runs it.
        writer: where the rows go.
        limits: when to stop.
        prices: for the cost; models without a price cost nothing here.
        watch: called after each cell.
        tell: told once what the rest will cost, before more than the first cells of each condition
            are played; and how batches go on.

    Raises:
        ValueError: letters are to be asked in batches, and an endpoint has none.
    """
    under_way = _Sweep(cells, player, writer, limits, prices, watch, tell)
    try:
        async with clients():
            await under_way.begin()
            async with asyncio.TaskGroup() as group:
                for _ in range(min(limits.at_once, len(under_way.todo))):
                    group.create_task(under_way.work())
    finally:
        await player.close()
    return under_way.tally


@dataclass
class _Sweep:
    """The workers' shared state; all run on one event loop, so it needs no locks."""

    _cells: Sequence[Cell]
    _player: Player
    _writer: Writer
    _limits: Limits
    _prices: Prices
    _watch: Callable[[Tally], Any]
    _tell: Callable[[str], Any]

    def __post_init__(self) -> None:
        self._done = cells_in(self._writer.folder)
        self.todo = [cell for cell in self._cells if cell.id not in self._done]
        self.tally = Tally(cells=len(self._cells), before=len(self._cells) - len(self.todo))
        self._known = _costs(self._writer.folder, self._prices)
        self.tally.cost = sum(self._known.values())
        purse = Purse(self._limits.cost, self.tally.cost)
        self.gate = SweepGate(self._prices, purse, self._limits.rates)
        self._learning = Learning(self._cells, self._known, self._done, self._prices)
        self.todo = self._learning.first(self.todo)
        if self._limits.batch:
            self._learning.cells = None
        self._next = iter(self.todo)
        self._dearest: float | None = None
        self._begun = self._playing = 0
        self._ended = asyncio.Condition()

    async def begin(self) -> None:
        """Put the gate up, and count what runs have cost whose process was killed."""
        clients_here().gate = self.gate
        if self._limits.batch and self.todo:
            await self._in_batches(self._limits.batch)
        await self._player.tidy(self._done)
        if self._limits.cost is not None:
            # Cells begin in order, so that those that were under way are among the first.
            for cell in self.todo[: (self._learning.cells or 0) + self._limits.at_once * 4]:
                paid = _cost(self._prices, await self._player.paid_for(cell))
                self.gate.purse.spent += max(0.0, paid - self._known.get(cell.id, 0.0))

    async def _in_batches(self, pauses: "Pauses") -> None:
        """Have letters asked in batches, where the endpoints have them."""
        from shapley_coop.evals.sweeps.batches import Batches

        sweep = manifest(self._writer.folder)["sweep"]
        batches = Batches(sweep, self.gate.purse, lambda: self._playing, self._tell, pauses)
        here = clients_here()
        self.gate.batches, here.batched = batches, batches.client
        here.closing.push_async_callback(batches.client.aclose)
        await batches.check(seats_of(self.todo))

    async def work(self) -> None:
        """Play one cell after the other until there is none, or a limit is reached."""
        while await self._may_begin() and (cell := next(self._next, None)) is not None:
            self._begun += 1
            self._playing += 1
            try:
                cost = await self._play(cell)
            finally:
                self._playing -= 1
            self._learning.add(cell, cost)
            self.tally.cost += cost
            self._dearest = max(cost, self._dearest or 0.0)
            self._watch(self.tally)
            async with self._ended:
                self._ended.notify_all()

    async def _may_begin(self) -> bool:
        """Whether another run fits under the limits; waits while running cells may decide it."""
        while not self.tally.stopped:
            await self._learnt()
            if self._limits.cost is None:
                return True
            # The cost of a run is unknown until the first has ended, so that one runs alone; in
            # batches that would take as many as it has letters, and they are paid in order.
            unknown = self._dearest is None and not self._limits.batch
            reserved = (self._dearest or 0.0) * (self._playing + 1)
            fits = self.tally.cost + reserved <= self._limits.cost
            if fits and not (unknown and self._playing):
                return True
            if not self._playing:
                self.tally.stopped = (
                    f"the cost limit of {self._limits.cost:g} USD: {self.tally.cost:.4f} are spent"
                )
                return False
            async with self._ended:
                await self._ended.wait()
        return False

    async def _learnt(self) -> None:
        """Wait for the first cells, and say what the others will cost."""
        while self._learning.cells is not None and self._begun >= self._learning.cells:
            if self._playing:
                async with self._ended:
                    await self._ended.wait()
                continue
            left = self.todo[self._begun :]
            if left and not self.tally.stopped:
                self._tell(self._learning.told(left, self.tally.cost, self._limits.cost))
            self._learning.cells = None

    async def _play(self, cell: Cell) -> float:
        """Play a cell and keep its row, or its failure; return its cost in USD."""
        try:
            finished = await self._player.play(cell)
        except Exception as error:
            paid = await self._player.paid_for(cell)
            if isinstance(error, SpendingLimit):
                self.tally.stopped = self.tally.stopped or str(error)
                if not paid:  # it had not begun
                    return 0.0
            line = {"cell": cell.id, "labels": dict(cell.labels), "seed": cell.seed}
            line |= {"suite": cell.suite, "error": describe(error), "calls": paid}
            line |= {"said": said} if (said := getattr(error, "said", "")) else {}
            await asyncio.to_thread(self._writer.failed, line)
            if isinstance(error, SpendingLimit):
                return _cost(self._prices, paid)
            self.tally.failed += 1
            if self.tally.failed > self._limits.errors * len(self.todo):
                self.tally.stopped = f"{self.tally.failed} of {len(self.todo)} cells failed"
            return _cost(self._prices, paid)
        await asyncio.to_thread(self._writer.finished, finished.row, finished.volatile)
        await self._player.written(cell, finished.row)
        self.tally.done += 1
        return _cost(self._prices, finished.row["calls"])


def _costs(folder: Path, prices: Prices) -> dict[str, float]:
    """Cell → USD, of all runs in a folder, failed ones included, each once."""
    if not prices.by_model:
        return {}
    # A cell's row holds the calls of its failed attempts.
    kinds = ("failures", "rows")
    lines = {line.cell: line for kind in kinds for _, line in indexed(folder, kind)}
    return {cell: _cost(prices, line.tokens) for cell, line in lines.items()}


def _cost(prices: Prices, calls: Sequence[dict[str, Any]]) -> float:
    """In USD, of the calls whose models have a price."""
    if not prices.by_model:
        return 0.0
    return prices.cost(call for call in calls if prices.know([call["model"]]))


def describe(error: Exception) -> str:
    """Why a cell failed, in one line: our errors in full, others by type and place only."""
    if isinstance(error, SeatError | CredentialsMissing | ValueError):
        return " ".join(str(error).split())
    place = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__} in {Path(place.filename).name}:{place.lineno}"
