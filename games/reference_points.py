"""What outcomes of a game are compared with; a game that knows better brings its own."""

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from shapley_coop.games.game import Game

MAX_STEPS = 2_000
"""So many steps of a game are tried to find its best total; beyond that it stays unknown."""

MAX_JOINT_ACTIONS = 64

Point = tuple[float, ...]
"""One payoff per agent, in the agents' order, in the game's unit."""

Amounts = Sequence[Any]
"""The same, of whole or exact numbers."""


class ReferencePoints:
    """Where payments can move every payoff, the best total says which outcomes are efficient.

    A game in which nothing but the play moves payoffs lists its efficient outcomes in a subclass.

    Args:
        best: finds the best total when it is asked for.
    """

    def __init__(self, best: Callable[[], float | None] = lambda: None) -> None:
        self._find_best = best

    @cached_property
    def best(self) -> float | None:
        """The highest total of any play in which all act who can; None where it is unknown."""
        return self._find_best()

    @cached_property
    def efficient(self) -> Sequence[Point]:
        """Every efficient outcome; empty where the best total tells them."""
        return ()

    @cached_property
    def nash(self) -> Point | None:
        """The efficient outcome of the highest product of gains (the bargaining solution of Nash,
        1950), without lotteries; None where the outcomes are not listed."""
        return None

    @cached_property
    def alone(self) -> Mapping[str, float] | None:
        """Agent → what it has if nothing is agreed; None where that follows from the record."""
        return None

    payments: ClassVar[bool] = True
    """Whether payments can move every payoff, in a workflow that admits them."""

    turns_matter: ClassVar[bool] = True
    """Whether a plan has to be played to be valued; else `valuation` does it."""

    def valuation(self, actions: Mapping[str, Collection[str]]) -> dict[str, float] | None:
        """What each agent ends up with by the actions of all; None if they are not a whole plan."""
        raise NotImplementedError("this game's plans are valued by playing them")


def gains_of(point: Amounts, disagreement: Amounts) -> list[Any]:
    """Return what each agent has beyond d."""
    return [u - d for u, d in zip(point, disagreement, strict=True)]


def parts_of_best(point: Amounts, disagreement: Amounts, best: Amounts) -> list[Fraction]:
    """Return which part of its best gain each agent has, the least first.

    Agents that can gain nothing count nowhere.

    Args:
        point: the payoffs.
        disagreement: d.
        best: the best that each agent can have.
    """
    most = gains_of(best, disagreement)
    pairs = zip(gains_of(point, disagreement), most, strict=True)
    return sorted(Fraction(gain, m) for gain, m in pairs if m)


def best_total(game: "Game", position: dict[str, Any] | None = None) -> float | None:
    """Return the highest total of rewards and pots, by playing every line of a small game.

    Everybody acts who can, and nobody passes. On the game's own dice, so with hindsight. Equal
    positions are played on once. Cost: at most `MAX_STEPS` steps of the game.

    Args:
        game: the game.
        position: where it goes on from; by default its start.

    Returns:
        None where the game is too large.
    """
    if prod(len(actions) for actions in game.actions.values()) > MAX_JOINT_ACTIONS:
        return None
    known: dict[str, float] = {}
    left = MAX_STEPS

    def best(position: dict[str, Any]) -> float:
        nonlocal left
        if game.over(position):
            return 0.0
        key = json.dumps(position, sort_keys=True)
        if key not in known:
            legal = {agent: game.legal(position, agent) for agent in game.agents}
            able = {agent: actions for agent, actions in legal.items() if actions}
            totals = []
            for joint in product(*able.values()):
                if (left := left - 1) < 0:
                    raise _TooLarge
                after = game.step(position, dict(zip(able, joint, strict=True)))
                here = float(sum(after.rewards.values())) + float(after.pot)
                totals.append(here + best(after.position))
            known[key] = max(totals)
        return known[key]

    try:
        return best(position or game.start())
    except (_TooLarge, RecursionError):
        return None


class _TooLarge(Exception):
    """More steps than are tried."""
