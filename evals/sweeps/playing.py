"""What a sweep is given and tells: who plays its cells and asks in batches, limits, a tally."""

from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Any, Protocol

from shapley_coop.evals.sweeps.cells import Cell
from shapley_coop.evals.sweeps.purse import Rates
from shapley_coop.evals.sweeps.rows import Finished
from shapley_coop.evals.sweeps.stored import Row
from shapley_coop.seats.asking import Enquiry
from shapley_coop.seats.seat import Seat


class Player(Protocol):
    """Plays cells, in this process or on a server.

    Attributes:
        elsewhere: whether calls are made there, and what they cost is known once a cell has ended.
    """

    elsewhere: bool

    async def play(self, cell: Cell) -> Finished:
        """Play it to its end, going on where it stopped."""

    async def paid_for(self, cell: Cell) -> list[dict[str, Any]]:
        """Return the calls of a run that did not end."""

    async def written(self, cell: Cell, row: Row) -> None:
        """A cell's row is on the disk, so that its run need not be kept any more."""

    async def tidy(self, ended: Collection[str]) -> None:
        """Do what `written` had not done when the process was killed, for cells that have ended."""

    async def close(self) -> None:
        """Close what is open."""


class Call(Protocol):
    """A question that is asked in a batch; `reserved` names what is reserved for it."""

    reserved: str


class Batches(Protocol):
    """What asks in batches; `client` takes the place of the seats' HTTP client."""

    client: Any

    async def check(self, seats: Iterable[Seat]) -> None:
        """Refuse, before anything is paid, what cannot be asked in batches."""

    def asking(
        self, seat: Seat, question: Enquiry, worst: float
    ) -> AbstractAsyncContextManager[Call]:
        """Know of which question the requests in this block are."""


@dataclass(frozen=True)
class Limits:
    """When a sweep stops by itself.

    Attributes:
        at_once: how many cells are played side by side.
        cost: USD over all runs of the folder; None for no limit.
        errors: the part of the cells to be run that may fail.
        rates: provider → requests and tokens per minute; `*` is for every other.
        batches: makes what asks letters in batches (`Extension.batches`); None where they are not.
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
        cells: how many it is for.
        before: how many of them others had run, earlier or meanwhile.
        done: run by this process.
        failed: attempts of this process that did not end.
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
