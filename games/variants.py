"""Variants of games that extensions add; each has a parameter that the base game lacks."""

from collections.abc import Iterable

from shapley_coop import extension
from shapley_coop.games.game import Game


def variant_of(game: str, params: Iterable[str]) -> type[Game] | None:
    """Return the variant of a game that has one of these parameters; None if there is none.

    Args:
        game: the game's name.
        params: the names of the given parameters.

    Raises:
        BrokenExtension: the variant cannot be imported.
    """
    known = extension.offered("variants")
    for name in params:
        if (key := f"{game}.{name}") in known:
            kind: type[Game] = extension.load("variants", key)
            return kind
    return None
