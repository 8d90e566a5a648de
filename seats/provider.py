"""The kinds of seats, each a `Provider`, found by the part of a model's name before the colon.

A kind is imported when a seat names it, so that a run of embedded agents loads no code for
endpoints, recordings or people. Models of every other provider answer through LangChain.

>>> provider_of(Seat(model="embedded:rational")).in_text
True
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from langchain_core.language_models import BaseChatModel

from shapley_coop import extension
from shapley_coop.seats.records import Answer, Journal
from shapley_coop.seats.seat import (
    EMBEDDED,
    FUNCTION,
    GRAPH,
    HUMAN,
    MODEL,
    PYTHON,
    RECORDING,
    Seat,
)

if TYPE_CHECKING:  # not at run time: `seats.asking` imports this module
    from shapley_coop.seats.asking import Enquiry

KINDS = {
    EMBEDDED: "shapley_coop.seats.embedded:PROVIDER",
    FUNCTION: "shapley_coop.seats.objects:PROGRAM",
    GRAPH: "shapley_coop.seats.objects:PROGRAM",
    HUMAN: "shapley_coop.seats.human:PROVIDER",
    MODEL: "shapley_coop.seats.objects:PROVIDER",
    PYTHON: "shapley_coop.seats.python_seat:PROVIDER",
    RECORDING: "shapley_coop.seats.recording:PROVIDER",
}
"""Provider → the `module:name` of its kind of seat."""

LANGCHAIN = "shapley_coop.seats.endpoint:PROVIDER"
"""The kind of all other seats: models that LangChain calls."""

Actions = Mapping[str, Sequence[str]]
"""Agent → its actions in the game."""

Opening = Callable[[], Mapping[str, Any]]
"""A function that returns the game's observation before the first turn."""


def _accept(seat: Seat, *_: Any) -> None:
    """Accept every seat."""


@dataclass(frozen=True)
class Provider:
    """The functions of one kind of seat, and its limits for tenants.

    Attributes:
        make: makes a chat model from a seat, `agent` and `seed`.
        check: raises a ValueError for a seat that could not answer, before the play begins.
        address: returns the URL that a seat calls. Tenants may use only URLs on the operator's
            list. Without `address`, tenants may use only models that the operator permits.
        for_tenants: the `options` that tenants may set; include no option that opens a file.
        check_game: raises a ValueError for a seat that cannot play a game with these `Actions`
            and this `Opening`; each may be None.
        in_text: whether the models run in this process and always answer in text. Others may
            answer by a schema or a tool call.
        ask: asks without any model, as people are asked; None for a kind that makes models.
        read: makes an answer from an outside reply and its question's name; None if `ask` is.
    """

    make: Callable[..., BaseChatModel]
    check: Callable[[Seat], None] = _accept
    address: Callable[[Seat], str] | None = None
    for_tenants: frozenset[str] = frozenset()
    check_game: Callable[[Seat, Actions | None, Opening | None], None] = _accept
    in_text: bool = False
    ask: "Callable[[Enquiry, Journal], Awaitable[Answer]] | None" = None
    read: Callable[[Any, str], Answer] | None = None


def provider_of(seat: Seat) -> Provider:
    """Return a seat's kind, as the part of its model's name before the colon says.

    Raises:
        BrokenExtension: the extension with this provider cannot be imported.
        LibraryMissing: a library of the extension's extra is not installed.
    """
    if seat.provider in KINDS:
        return provider(seat.provider)
    if seat.provider not in extension.offered("seats"):
        return cast(Provider, extension.import_place(LANGCHAIN))
    found = extension.load("seats", seat.provider)
    return found if isinstance(found, Provider) else Provider(found)


def provider(kind: str) -> Provider:
    """Return the kind of seats with this name in `KINDS`."""
    return cast(Provider, extension.import_place(KINDS[kind]))
