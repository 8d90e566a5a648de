"""What an extension says of the seats that it brings.

>>> provider_of(Seat(model="embedded:rational")) is None
True
"""

from collections.abc import Callable
from dataclasses import dataclass

from langchain_core.language_models import BaseChatModel

from shapley_coop import extension
from shapley_coop.seats.seat import Seat


def _accept(_: Seat) -> None:
    """Find nothing wrong with a seat."""


@dataclass(frozen=True)
class Provider:
    """How the seats of one provider are made, checked, and judged for tenants.

    Attributes:
        make: a chat model, of a seat, `agent` and `seed`.
        check: raises a ValueError for a seat that could not answer, before anything is played.
        address: the URL that a seat calls. Tenants may name those that the operator lists; without
            it, the models that the operator lets them name.
        for_tenants: of a seat's `options` those that tenants may set: none that opens a file.
    """

    make: Callable[..., BaseChatModel]
    check: Callable[[Seat], None] = _accept
    address: Callable[[Seat], str] | None = None
    for_tenants: frozenset[str] = frozenset()


def provider_of(seat: Seat) -> Provider | None:
    """Return what an extension says of a seat's provider; None where no extension brings it.

    Raises:
        BrokenExtension: it cannot be imported.
        LibraryMissing: a library of its extra is not installed.
    """
    if seat.provider not in extension.offered("seats"):
        return None
    found = extension.load("seats", seat.provider)
    return found if isinstance(found, Provider) else Provider(found)
