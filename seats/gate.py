"""What the calls of an event loop go through where somebody limits them: `Clients.gate`."""

from collections.abc import Awaitable, Callable
from typing import Protocol

from shapley_coop.seats.records import Answer
from shapley_coop.seats.seat import Seat


class Gate(Protocol):
    """Decides when a seat is asked."""

    async def call(self, seat: Seat, letter: str, ask: Callable[[], Awaitable[Answer]]) -> Answer:
        """Ask a seat once it may be asked.

        Args:
            seat: whose answer it is.
            letter: all that it is shown.
            ask: asks it once; raises SeatError.
        """
