"""The loop that plays all hypothetical plays of a game.

A policy chooses the actions: the policy of `replay` repeats recorded moves without some agents, and
the policy of `ahead` keeps or breaches a deal. Some games simulate many plays at once on arrays.
"""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from shapley_coop.games.turns import Position, Step

if TYPE_CHECKING:
    from shapley_coop.games.game import Game

Policy = Callable[[int, Position], dict[str, str]]
"""(turn from 1, position) → the action of each agent that takes one."""

Transition = Callable[[Position, dict[str, str]], Step]
"""(position, actions) → the step that results."""


def simulate(
    game: "Game",
    position: Position,
    turns: range,
    policy: Policy,
    transition: Transition | None = None,
) -> Iterator[tuple[dict[str, str], Step]]:
    """Play turn by turn from a position, and yield each turn's actions and step.

    Args:
        position: the position from which the play starts.
        turns: the numbers of the turns to play; the play ends earlier if the game is over.
        policy: a function that gives the actions of all agents at a turn.
        transition: a function that gives the step for these actions; by default the game's `step`.
    """
    for turn in turns:
        if game.over(position):
            return
        actions = policy(turn, position)
        after = (transition or game.step)(position, actions)
        yield actions, after
        position = after.position
