"""The interface of a limit on an event loop's calls to seats, which `Clients.gate` holds."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Protocol

from shapley_coop.seats.records import Answer
from shapley_coop.seats.seat import Seat

if TYPE_CHECKING:
    from shapley_coop.seats.asking import Enquiry

Ask = Callable[[float], Awaitable[Answer]]
"""A function that asks a seat once, with extra seconds for the answer; it may raise SeatError."""


class Gate(Protocol):
    """The interface of an object that delays or limits calls to seats."""

    async def call(self, seat: Seat, question: "Enquiry", ask: Ask) -> Answer:
        """Wait until the seat may be asked, then ask and return its answer.

        Args:
            question: the letter to the seat.
            ask: the function that asks the seat once.
        """
