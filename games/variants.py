"""Variants of games that extensions bring, each for a parameter that the game itself lacks."""

from collections.abc import Iterable

from shapley_coop import extension
from shapley_coop.games.game import Game


def variant_of(game: str, params: Iterable[str]) -> type[Game] | None:
    """Return the variant of a game that has one of these parameters; None where there is none.

    Args:
        game: its name.
        params: the names of the parameters that are given.

    Raises:
        BrokenExtension: the variant cannot be imported.
    """
    known = extension.offered("variants")
    for name in params:
        if (key := f"{game}.{name}") in known:
            kind: type[Game] = extension.load("variants", key)
            return kind
    return None
