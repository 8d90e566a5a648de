"""What asks a sweep's letters in batches: the core says when, and an extension does it."""

from collections.abc import Iterable
from contextlib import AbstractAsyncContextManager
from typing import Any, Protocol

from shapley_coop.seats.asking import Enquiry
from shapley_coop.seats.seat import Seat


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
