"""The inputs and the result of a sweep: the player of cells, batches, limits and the tally."""

from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Any, Protocol

from shapley_coop.evals.cell import Cell, Row
from shapley_coop.evals.rows import Finished
from shapley_coop.extensions.sweeps.purse import Rates
from shapley_coop.seats.asking import Enquiry
from shapley_coop.seats.seat import Seat


class Player(Protocol):
    """The interface of what plays a sweep's cells: this process or a server.

    Attributes:
        elsewhere: whether a server makes the calls, so that their cost is known only at the end.
    """

    elsewhere: bool

    async def play(self, cell: Cell) -> Finished:
        """Play a cell to its end; continue if an earlier process has begun it."""

    async def paid_for(self, cell: Cell) -> list[dict[str, Any]]:
        """Return the calls of a cell's unfinished run, which have been paid for."""

    async def written(self, cell: Cell, row: Row) -> None:
        """Take note that a cell's row is stored, so the run may be removed."""

    async def tidy(self, ended: Collection[str]) -> None:
        """Do what `written` does, for ended cells whose process was killed before it could."""

    async def close(self) -> None:
        """Close all open resources."""


class Call(Protocol):
    """A question in a batch; `reserved` is the id under which the purse reserved its cost."""

    reserved: str


class Batches(Protocol):
    """The interface for asking in a provider's batches; `client` replaces seats' HTTP client."""

    client: Any

    async def check(self, seats: Iterable[Seat]) -> None:
        """Refuse seats that cannot be asked in batches, before anything is paid."""

    def asking(
        self, seat: Seat, question: Enquiry, worst: float
    ) -> AbstractAsyncContextManager[Call]:
        """Return a context manager; HTTP requests within its block belong to this question."""


@dataclass(frozen=True)
class Limits:
    """The limits of a sweep.

    Attributes:
        at_once: the most cells that are played concurrently.
        cost: the most USD over all runs of the folder; None for no limit.
        errors: the fraction of this process's cells that may fail before the sweep stops.
        rates: provider → requests and tokens per minute; `*` stands for all other providers.
        batches: makes the object that asks in batches (`Extension.batches`); None for no batches.
    """

    at_once: int = 16
    cost: float | None = None
    errors: float = 0.05
    rates: Mapping[str, Rates] = field(default_factory=dict)
    batches: Callable[..., Batches] | None = None


@dataclass
class Tally:
    """The progress of a sweep.

    Attributes:
        cells: the number of all cells.
        before: the number of cells played earlier or by other processes.
        done: the number of cells that this process has played.
        failed: the number of this process's attempts that failed.
        cost: the cost in USD of all runs of the folder.
        stopped: the reason if the sweep stopped early, else "".
    """

    cells: int
    before: int
    done: int = 0
    failed: int = 0
    cost: float = 0.0
    stopped: str = ""

    @property
    def left(self) -> int:
        """The number of cells that are still to be played."""
        return self.cells - self.before - self.done
