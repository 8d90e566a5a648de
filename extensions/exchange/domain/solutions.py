"""Bargaining solutions on the exact front, and the distance of an outcome from each.

The disagreement point d gives each agent's utility of its initial tasks. The front always has a
point at which no agent has less than d_i, because the initial allocation is itself a partition.
Ties go to the higher sum, then to the first agent.

=================  ============================================================================
nash               max Π (u_i − d_i)                                                (Nash 1950)
kalai_smorodinsky  max min (u_i − d_i)/(b_i − d_i), b_i the best that i can have while no agent
                   has less than d                                  (Kalai and Smorodinsky 1975)
egalitarian        max min (u_i − d_i)                                             (Kalai 1977)
utilitarian        max Σ u_i, anywhere on the front
=================  ============================================================================
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import dist, prod
from typing import Any

from shapley_coop.amounts import MICRO
from shapley_coop.extensions.exchange.domain.additive import Additive, best_total
from shapley_coop.extensions.exchange.domain.front import best_sum
from shapley_coop.extensions.exchange.domain.masks import members
from shapley_coop.extensions.exchange.domain.scenario import (
    MAX_ATOMS,
    Masks,
    Scenario,
    is_partition,
    table_of,
)
from shapley_coop.games.reference_points import ReferencePoints, gains_of, parts_of_best

Point = tuple[int, ...]


@dataclass(frozen=True)
class Solution:
    """The point that a solution selects, in millionths, and a partition that attains it."""

    point: Point
    masks: Masks


@dataclass(frozen=True)
class Score:
    """The utilities of an allocation, and its distances from efficient allocations.

    Attributes:
        utilities: agent → its utility, in [0, 1].
        welfare: the sum of the utilities.
        distance: L2 distance to the nearest efficient allocation, in utility space; None if there
            are too many tasks to compute the front.
        rational: agent → whether its utility is at least that of its initial tasks.
        to: solution → L2 distance to the solution's point; empty without a front.
    """

    utilities: dict[str, float]
    welfare: float
    distance: float | None
    rational: dict[str, bool]
    to: dict[str, float]


def solutions(scenario: Scenario) -> dict[str, Solution]:
    """Return the four solutions. Cost: linear in the size of the front, after its computation."""
    agents, front = scenario.tasks.agents, scenario.front
    start = scenario.micro(scenario.tasks.initial)
    rows = [(tuple(map(int, p)), m) for p, m in zip(front.points, front.masks, strict=True)]
    fair = [row for row in rows if all(u >= d for u, d in zip(row[0], start, strict=True))]
    ideal = [max(row[0][i] for row in fair) for i in range(len(agents))]

    rules: dict[str, tuple[list[Any], Callable[[Point], Any]]] = {
        "nash": (fair, lambda p: prod(gains_of(p, start))),
        "kalai_smorodinsky": (fair, lambda p: parts_of_best(p, start, ideal)),
        "egalitarian": (fair, lambda p: sorted(gains_of(p, start))),
        "utilitarian": (rows, sum),
    }
    found = {}
    for name, (among, value) in rules.items():
        point, masks = max(among, key=lambda row: (value(row[0]), sum(row[0]), row[0]))
        found[name] = Solution(point, {a: int(m) for a, m in zip(agents, masks, strict=True)})
    return found


def score(scenario: Scenario, masks: Masks) -> Score:
    """Compare an allocation with the front and the solutions: for the operator, not for agents."""
    point, start = scenario.micro(masks), scenario.micro(scenario.tasks.initial)
    agents = scenario.tasks.agents
    known = scenario.tasks.n <= MAX_ATOMS
    distance = scenario.front.distance(point) if known else None
    named = solutions(scenario) if known else {}
    return Score(
        utilities={a: u / MICRO for a, u in zip(agents, point, strict=True)},
        welfare=sum(point) / MICRO,
        distance=distance,
        rational={a: u >= d for a, u, d in zip(agents, point, start, strict=True)},
        to={name: dist(point, one.point) / MICRO for name, one in named.items()},
    )


def best_among(scenario: Scenario, agents: Sequence[str]) -> int:
    """Return the highest sum of utilities, in millionths, that agents can reach by trading tasks.

    For additive utilities this is an assignment problem. For tables the cost is 3^m for m tasks
    and three or more agents.
    """
    own, initial = [scenario.utilities[agent] for agent in agents], scenario.tasks.initial
    whole = sum(initial[agent] for agent in agents)
    sums = [one for one in own if isinstance(one, Additive)]
    if len(sums) == len(own):
        held = members(whole, scenario.tasks.n)
        return best_total([Additive(one.values[held]) for one in sums])
    return best_sum([table_of(one) for one in own], whole)


class ExchangePoints(ReferencePoints):
    """The reference points of an exchange without payments, in which only tasks change hands."""

    payments = False
    turns_matter = False

    def __init__(self, scenario: Scenario) -> None:
        super().__init__(lambda: best_among(scenario, scenario.tasks.agents) / MICRO)
        self._scenario = scenario

    @cached_property
    def _found(self) -> dict[str, Solution]:
        return solutions(self._scenario)

    @cached_property
    def efficient(self) -> list[tuple[float, ...]]:
        """The points of the front; empty if there are too many tasks to compute it."""
        if self._scenario.tasks.n > MAX_ATOMS:
            return []
        return [tuple(x / MICRO for x in row) for row in self._scenario.front.points.tolist()]

    @cached_property
    def nash(self) -> tuple[float, ...] | None:
        """The Nash solution; None if there are too many tasks to compute it."""
        if self._scenario.tasks.n > MAX_ATOMS:
            return None
        return tuple(x / MICRO for x in self._found["nash"].point)

    @cached_property
    def disagreement(self) -> dict[str, float]:
        """Agent → the utility of its initial tasks."""
        initial = self._scenario.tasks.initial
        return {agent: self._scenario.utility(agent, mask) for agent, mask in initial.items()}

    def valuation(self, actions: Mapping[str, Collection[str]]) -> dict[str, float] | None:
        """Return agents' utilities of the tasks they do; None if these tasks are no partition."""
        tasks = self._scenario.tasks
        held = {agent: tasks.named(actions.get(agent, ())) for agent in tasks.agents}
        if not is_partition(held, tasks.n):
            return None
        return {agent: self._scenario.utility(agent, mask) for agent, mask in held.items()}
