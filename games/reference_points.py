"""The points that a game's outcomes are compared with, such as the best total."""

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
"""The most game steps tried to find the best total; it is unknown if more steps are needed."""

MAX_JOINT_ACTIONS = 64

Point = tuple[float, ...]
"""One payoff per agent, in the agents' order, in the game's unit."""

Amounts = Sequence[Any]
"""One integer or exact fraction per agent, in the agents' order."""


class ReferencePoints:
    """The reference points of a game in which payments can shift payoffs between agents.

    Exactly the outcomes with the best total are efficient. Other games list efficient outcomes.

    Args:
        best: a function that returns the best total; it is called on first use.
    """

    def __init__(self, best: Callable[[], float | None] = lambda: None) -> None:
        self._find_best = best

    @cached_property
    def best(self) -> float | None:
        """The highest total of any play in which all agents that can act do so; None if unknown."""
        return self._find_best()

    @cached_property
    def efficient(self) -> Sequence[Point]:
        """All efficient outcomes; empty if the best total identifies them."""
        return ()

    @cached_property
    def nash(self) -> Point | None:
        """The efficient outcome with the highest product of gains (Nash's bargaining solution,
        1950), without lotteries; None if the outcomes are not listed."""
        return None

    @cached_property
    def disagreement(self) -> Mapping[str, float] | None:
        """Agent → its payoff without an agreement; None if it is computed from the record."""
        return None

    payments: ClassVar[bool] = True
    """Whether payments can change every payoff, in a workflow that has payments."""

    turns_matter: ClassVar[bool] = True
    """Whether a plan is valued by playing it; otherwise `valuation` gives its payoffs."""

    @property
    def without_payments(self) -> "ReferencePoints":
        """The reference points for a workflow in which nobody can pay."""
        return self

    def valuation(self, actions: Mapping[str, Collection[str]]) -> dict[str, float] | None:
        """Return each agent's payoff from all agents' actions; None if the plan is incomplete."""
        raise NotImplementedError("this game values a plan only by playing it")


def gains_of(point: Amounts, disagreement: Amounts) -> list[Any]:
    """Return each agent's gain over its disagreement payoff."""
    return [u - d for u, d in zip(point, disagreement, strict=True)]


def parts_of_best(point: Amounts, disagreement: Amounts, best: Amounts) -> list[Fraction]:
    """Return agents' gains as fractions of their best possible gains, in ascending order.

    Agents that can gain nothing are left out.

    Args:
        point: the payoffs.
        disagreement: the payoffs without an agreement, d.
        best: the best payoff of each agent.
    """
    most = gains_of(best, disagreement)
    pairs = zip(gains_of(point, disagreement), most, strict=True)
    return sorted(Fraction(gain, m) for gain, m in pairs if m)


def best_total(game: "Game", position: dict[str, Any] | None = None) -> float | None:
    """Return the highest total of rewards and pots, by trying all joint actions of a small game.

    Agents act whenever they can. The search uses the game's own dice, which no agent can
    foresee. Equal positions are evaluated once. Cost: at most `MAX_STEPS` steps of the game.

    Args:
        position: the position to start from; by default the game's start.

    Returns:
        The total, or None if the game is too large.
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
    """The error raised if the search needs more than `MAX_STEPS` steps."""
