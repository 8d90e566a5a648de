"""The interface by which an extension adds a provider of seats.

>>> provider_of(Seat(model="embedded:rational")) is None
True
"""

from collections.abc import Callable
from dataclasses import dataclass

from langchain_core.language_models import BaseChatModel

from shapley_coop import extension
from shapley_coop.seats.seat import Seat


def _accept(_: Seat) -> None:
    """Accept every seat."""


@dataclass(frozen=True)
class Provider:
    """The functions of one provider that make and check seats, and its limits for tenants.

    Attributes:
        make: makes a chat model from a seat, `agent` and `seed`.
        check: raises a ValueError for a seat that could not answer, before the play begins.
        address: returns the URL that a seat calls. Tenants may use only URLs on the operator's
            list. Without `address`, tenants may use only models that the operator permits.
        for_tenants: the `options` that tenants may set; include no option that opens a file.
    """

    make: Callable[..., BaseChatModel]
    check: Callable[[Seat], None] = _accept
    address: Callable[[Seat], str] | None = None
    for_tenants: frozenset[str] = frozenset()


def provider_of(seat: Seat) -> Provider | None:
    """Return the provider of a seat from an extension; None if no extension has the provider.

    Raises:
        BrokenExtension: the extension cannot be imported.
        LibraryMissing: a library of the extension's extra is not installed.
    """
    if seat.provider not in extension.offered("seats"):
        return None
    found = extension.load("seats", seat.provider)
    return found if isinstance(found, Provider) else Provider(found)
