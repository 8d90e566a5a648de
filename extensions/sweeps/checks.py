"""Checks that refuse a sweep before it plays anything."""

import time
from collections.abc import Iterable
from functools import partial

from shapley_coop.evals.cell import Cell
from shapley_coop.extensions.sweeps.cells import seats_of
from shapley_coop.games.game import opening_view
from shapley_coop.seats.models import check_seat
from shapley_coop.seats.seat import PYTHON, Seat
from shapley_coop.state.settings import game_of
from shapley_coop.state.storage.at_rest import check_key
from shapley_coop.state.storage.home import home
from shapley_coop.state.storage.journal import ANSWER, BATCHED
from shapley_coop.state.storage.owned import Book

_BATCHES_KEPT = 30 * 86400
"""The number of seconds after which a provider has discarded a batch and its answers."""


class Waiting(Book):
    """The letters of sweeps that wait in providers' batches."""

    def in_batches(self, sweep: str) -> int:
        """Return how many of a sweep's letters wait in providers' batches."""
        since = time.time() - _BATCHES_KEPT
        with self._reading() as session:
            held = [
                one
                for one in session.every(BATCHED)
                if one.value["sweep"] == sweep and one.value["since"] > since
            ]
            return sum(not session.read(ANSWER, x.scope, [x.value["answer"]]) for x in held)


def check_cells(cells: Iterable[Cell]) -> None:
    """Refuse an invalid encryption key, and cells with a seat that could not answer.

    Raises:
        CredentialsMissing: a model's key is not set.
        ValueError: the encryption key is invalid, or a seat is a person's, names no known
            character, recording or provider, or is a callable that cannot play the game.
    """
    check_key()
    first = {cell.condition: cell for cell in cells}
    check_no_people(first.values())
    seats = {
        (found, game_of(room) if found.provider == PYTHON else None)
        for room in (cell.room for cell in first.values())
        for found in map(Seat.model_validate, room["seats"].values())
    }
    for seat, game in sorted(seats, key=lambda pair: repr(pair[0])):
        check_seat(seat, *((game.actions, partial(opening_view, game)) if game else ()))


def check_no_people(cells: Iterable[Cell]) -> None:
    """Refuse cells with a person's seat.

    Raises:
        ValueError: a seat is a person's.
    """
    if any(seat.human for seat in seats_of(cells)):
        raise ValueError("a sweep cannot ask people: give every seat to a model")


def check_none_waits(sweep: str) -> None:
    """Refuse to go on without batches while a provider still holds a batch of the sweep's letters.

    Raises:
        ValueError: letters of the sweep wait in batches; asked again, they would be paid for twice.
    """
    if waiting := Waiting(home().books_url).in_batches(sweep):
        raise ValueError(f"{waiting} letters wait in batches: add --batch to fetch answers")
