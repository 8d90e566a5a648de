"""A limit on an event loop's calls to seats: `Clients.gate`."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Protocol

from shapley_coop.seats.records import Answer
from shapley_coop.seats.seat import Seat

if TYPE_CHECKING:
    from shapley_coop.seats.asking import Enquiry

Ask = Callable[[float], Awaitable[Answer]]
"""Asks a seat once, with so many seconds beside its own for the answer; raises SeatError."""


class Gate(Protocol):
    """Decides when a seat is asked."""

    async def call(self, seat: Seat, question: "Enquiry", ask: Ask) -> Answer:
        """Ask a seat once it may be asked.

        Args:
            seat: whose answer it is.
            question: what it is asked.
            ask: asks it once.
        """
