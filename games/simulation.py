"""One loop for every question that needs another play than the real one.

What it answers is decided by who chooses: `replay` repeats a record's moves without some agents,
`ahead` keeps a deal or breaks it. A game may do better, and play many at once on arrays.
"""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from shapley_coop.games.turns import Position, Step

if TYPE_CHECKING:
    from shapley_coop.games.game import Game

Policy = Callable[[int, Position], dict[str, str]]
"""(turn from 1, position) → the action of each agent that takes one."""

Transition = Callable[[Position, dict[str, str]], Step]
"""(position, actions) → what they lead to."""


def simulate(
    game: "Game",
    position: Position,
    turns: range,
    policy: Policy,
    transition: Transition | None = None,
) -> Iterator[tuple[dict[str, str], Step]]:
    """Play turn by turn from a position on, and yield what was done and what it led to.

    Args:
        game: the game.
        position: where it stands.
        turns: the numbers of the turns to play, at most; a game that is over ends earlier.
        policy: what everybody does.
        transition: what it leads to; by default the game's own `step`.
    """
    for turn in turns:
        if game.over(position):
            return
        actions = policy(turn, position)
        after = (transition or game.step)(position, actions)
        yield actions, after
        position = after.position
