"""The inputs and the result of a sweep: the player of cells, batches, limits and the tally."""

from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol

from shapley_coop.evals.cell import Cell, Row

if TYPE_CHECKING:  # slow imports, which help and a sweep with nothing left to play do not need
    from shapley_coop.evals.rows import Finished
    from shapley_coop.seats.asking import Enquiry
    from shapley_coop.seats.seat import Seat

EVERY = "*"
NO_LIMIT = 1e18

Keep = Literal["all", "failures", "none"]
"""The choice of runs whose letters and checkpoints a sweep keeps: see `Local`."""

FAILURES = ("error", "unreadable", "budget")
"""Statuses of runs that count as failures, so that their letters are worth keeping."""


def is_removed(keep: Keep, status: str) -> bool:
    """Return whether a sweep removes a run that ended with a status."""
    return keep == "none" or (keep == "failures" and status not in FAILURES)


class Player(Protocol):
    """The interface of what plays a sweep's cells: this process or a server.

    Attributes:
        elsewhere: whether a server makes the calls, whose cost is then known only at the end.
    """

    elsewhere: bool

    async def play(self, cell: Cell) -> "Finished":
        """Play a cell to its end; continue if an earlier process has begun it."""

    async def paid_for(self, cell: Cell) -> list[dict[str, Any]]:
        """Return the calls of a cell's unfinished run, which have been paid for."""

    async def written(self, cell: Cell, row: Row) -> None:
        """Take note that a cell's row is stored, so the run may be removed."""

    async def tidy(self, ended: Collection[str]) -> None:
        """Do what `written` does, for ended cells whose process was killed before it could."""


class Call(Protocol):
    """A question in a batch; `reserved` is the id under which the purse reserved its cost."""

    reserved: str


class Batches(Protocol):
    """The interface for asking in a provider's batches; `client` replaces seats' HTTP client."""

    client: Any

    async def check(self, seats: "Iterable[Seat]") -> None:
        """Refuse seats that cannot be asked in batches, before anything is paid."""

    def asking(
        self, seat: "Seat", question: "Enquiry", worst: float
    ) -> AbstractAsyncContextManager[Call]:
        """Return a context manager; HTTP requests within its block belong to this question."""


@dataclass(frozen=True)
class Rates:
    """Limits of one provider: requests and tokens per minute."""

    rpm: float = NO_LIMIT
    tpm: float = NO_LIMIT


NO_RATES = Rates()


def rates_from(rpm: list[str], tpm: list[str]) -> dict[str, Rates]:
    """Return provider → rates: "500" is the rate of every provider, "openai=500" that of one.

    Raises:
        ValueError: a text has neither form.
    """
    found: dict[str, dict[str, float]] = {}
    for name, texts in (("rpm", rpm), ("tpm", tpm)):
        for text in texts:
            provider, equals, number = text.rpartition("=")
            if not number.isdigit() or int(number) < 1 or (equals and not provider):
                raise ValueError(f"--{name} {text}: give a number, or provider=number")
            found.setdefault(provider or EVERY, {})[name] = float(number)
    every = found.get(EVERY, {})
    return {provider: Rates(**{**every, **limits}) for provider, limits in found.items()}


@dataclass(frozen=True)
class Limits:
    """The limits of a sweep.

    Attributes:
        at_once: the most cells that are played concurrently.
        cost: the most USD over all runs of the folder; None for no limit.
        errors: the fraction of this process's cells that may fail before the sweep stops.
        rates: provider → requests and tokens per minute; `*` stands for all other providers.
        batches: a function that makes the asker in batches (`Extension.batches`), or None.
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
        before: the number of cells that were played earlier or by other processes.
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
