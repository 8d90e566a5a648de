"""What an outcome is held against: the best there was, and what everybody had without the others.

Two kinds. Where payoffs can be moved by payments, the efficient outcomes are all those that reach
the best total (transferable utility). Where tasks are traded and nothing else moves, they are the
exact front of the exchange.
"""

from collections.abc import Mapping, Sequence
from functools import cached_property, lru_cache, partial
from math import dist, sqrt
from typing import Any, Protocol

from shapley_coop.credit import norm_payoffs_fn
from shapley_coop.deals import Deal, Do, duties, payments, payoffs
from shapley_coop.games import Game, Turn
from shapley_coop.state import game_of

Payoffs = Mapping[str, float]
Span = tuple[float, float]


class Yardstick(Protocol):
    """What outcomes of one game are compared with, in the game's unit; None where unknown."""

    @property
    def best(self) -> float | None:
        """The highest total that any play reaches."""

    def alone(self, record: Sequence[Turn]) -> dict[str, float]:
        """What each agent could secure by itself: the disagreement point."""

    def pareto(self, reached: Payoffs, record: Sequence[Turn]) -> float | None:
        """Euclidean distance to the nearest efficient payoffs."""

    def nash(self, reached: Payoffs, record: Sequence[Turn]) -> float | None:
        """Euclidean distance to the Nash bargaining solution."""

    def value(self, deal: Deal, record: Sequence[Turn]) -> dict[str, float] | None:
        """What everybody would end up with if the deal were kept to the letter."""

    def front(self, first: Span, second: Span) -> list[tuple[float, float]]:
        """Two agents' efficient payoffs within what a picture shows; empty where unknown."""


class Transferable:
    """Any game: payments can move every payoff, so that only the total is efficient or not."""

    def __init__(self, game: Game) -> None:
        self._game = game

    @cached_property
    def best(self) -> float | None:
        """Turns times the best total of one turn, where the game's facts list all payoffs."""
        cells = self._game.facts().get("payoffs")
        if not cells:
            return None
        return float(self._game.turns * max(sum(cell["pays"].values()) for cell in cells))

    def alone(self, record: Sequence[Turn]) -> dict[str, float]:
        """v({i}) in the light of the record."""
        worth = partial(self._game.worth, record)
        return {agent: float(worth(frozenset({agent}))) for agent in self._game.agents}

    def pareto(self, reached: Payoffs, record: Sequence[Turn]) -> float | None:
        """(v* − Σx) / √n: the distance to the plane of the best total."""
        if self.best is None:
            return None
        return (self.best - sum(reached.values())) / sqrt(len(reached))

    def nash(self, reached: Payoffs, record: Sequence[Turn]) -> float | None:
        """To d_i + (v* − Σd) / n with d_i = v({i}): everybody gains the same (Nash 1950)."""
        if self.best is None:
            return None
        alone = self.alone(record)
        gain = (self.best - sum(alone.values())) / len(alone)
        return dist([reached[a] for a in alone], [d + gain for d in alone.values()])

    def value(self, deal: Deal, record: Sequence[Turn]) -> dict[str, float] | None:
        """Of a redistribution, by the record; of a plan, by playing it; None if it is no plan.

        Args:
            deal: the draft.
            record: what has been played; empty for a plan.
        """
        game = self._game
        played = list(record) or self._played(deal)
        if played is None:
            return None
        norms = norm_payoffs_fn(game.agents, partial(game.worth, played), game.batch_worth(played))
        due = payments(deal, played)
        settled = payoffs(played, game.agents, deal.share, due, norms)
        return {agent: float(x) for agent, x in settled.items()}

    def front(self, first: Span, second: Span) -> list[tuple[float, float]]:
        """The ends of the line of the best total."""
        if self.best is None:
            return []
        low, high = max(first[0], self.best - second[1]), min(first[1], self.best - second[0])
        return [(low, self.best - low), (high, self.best - high)] if low < high else []

    def _played(self, deal: Deal) -> list[Turn] | None:
        """The play in which everybody does its duty; None if somebody is left free in it."""
        game, record = self._game, list[Turn]()
        position = game.start()
        while not game.over(position):
            turn, actions = len(record) + 1, dict[str, str]()
            owed = [duty for duty in duties(deal, record, turn) if not duty.forbidden]
            for agent in game.agents:
                legal = game.legal(position, agent)
                todo = [d.action for d in owed if d.agent == agent and d.action in legal]
                if legal and not todo:
                    return None
                if legal:
                    actions[agent] = todo[0]
            after = game.step(position, actions)
            position = after.position
            record.append(
                {"turn": turn, "actions": actions, "rewards": after.rewards, "pot": after.pot}
            )
        return record


class Exchange(Transferable):
    """Task exchange: nothing but tasks moves, so that the front is that of all partitions."""

    def __init__(self, game: Any) -> None:
        super().__init__(game)
        self._scenario = game.scenario

    @cached_property
    def best(self) -> float | None:
        """The utilitarian optimum."""
        return sum(self._points["utilitarian"])

    def alone(self, record: Sequence[Turn]) -> dict[str, float]:
        """What the initial tasks are worth."""
        initial = self._scenario.tasks.initial
        return {agent: self._scenario.utility(agent, mask) for agent, mask in initial.items()}

    def pareto(self, reached: Payoffs, record: Sequence[Turn]) -> float | None:
        """To the nearest efficient partition, in utility space (the paper's L2)."""
        point = [round(reached[a] * 10**6) for a in self._scenario.tasks.agents]
        return float(self._scenario.front.distance(point))

    def nash(self, reached: Payoffs, record: Sequence[Turn]) -> float | None:
        """To the partition of the highest product of gains."""
        return dist([reached[a] for a in self._scenario.tasks.agents], self._points["nash"])

    def value(self, deal: Deal, record: Sequence[Turn]) -> dict[str, float] | None:
        """The utilities of the tasks that the deal gives everybody; None if it is no partition."""
        tasks = self._scenario.tasks
        bits = {name: 1 << (tasks.n - 1 - i) for i, name in enumerate(tasks.names)}
        held = dict.fromkeys(tasks.agents, 0)
        for clause in deal.clauses:
            if isinstance(clause, Do) and clause.action in bits and clause.agent in held:
                held[clause.agent] |= bits[clause.action]
        given = list(held.values())
        if not all(given) or sum(given) != (1 << tasks.n) - 1 or _overlap(given):
            return None
        return {agent: self._scenario.utility(agent, mask) for agent, mask in held.items()}

    def front(self, first: Span, second: Span) -> list[tuple[float, float]]:
        """Every efficient partition's utilities."""
        points = sorted(
            (float(x) / 10**6, float(y) / 10**6) for x, y in self._scenario.front.points
        )
        return [p for p in points if _in(p[0], first) and _in(p[1], second)]

    @cached_property
    def _points(self) -> dict[str, list[float]]:
        from shapley_coop.games.exchange.solutions import solutions

        found = solutions(self._scenario)
        return {name: [x / 10**6 for x in one.point] for name, one in found.items()}


def yardstick(room: Mapping[str, Any]) -> Yardstick:
    """What outcomes in a room are held against."""
    return _built(game_of(room))


@lru_cache(maxsize=256)
def _built(game: Game) -> Yardstick:
    return Exchange(game) if game.name == "task_exchange" else Transferable(game)


def _in(value: float, span: Span) -> bool:
    return span[0] <= value <= span[1]


def _overlap(masks: Sequence[int]) -> bool:
    seen = 0
    for mask in masks:
        if seen & mask:
            return True
        seen |= mask
    return False
