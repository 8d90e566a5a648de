"""Reference points for outcomes: the best payoffs, and each agent's payoff without agreement.

Each game has its own reference points (`games.reference_points`); this module computes distances to
them. If agents can pay each other, all outcomes with the best total are efficient (transferable
utility). If agents cannot pay, the game may list its efficient outcomes. Without payments and
without a list, no efficient outcome is known, so there is no distance.
"""

from collections.abc import Mapping, Sequence
from functools import cached_property, lru_cache
from math import dist, sqrt
from typing import Any

from shapley_coop.credit import payoffs_by_norm
from shapley_coop.deals.language.deal import Deal
from shapley_coop.deals.monitor import Monitor, duties, payments
from shapley_coop.deals.settlement import earnings, payoffs
from shapley_coop.games import Game, Position, Turn
from shapley_coop.games.ahead import played_on
from shapley_coop.games.goods import Gift
from shapley_coop.games.reference_points import ReferencePoints
from shapley_coop.graphs.catalogue import admits_payments
from shapley_coop.state.characteristic import characteristic, disagreement
from shapley_coop.state.settings import game_of

Payoffs = Mapping[str, float]
Span = tuple[float, float]


class Yardstick:
    """The points to compare a game's payoffs with, such as the best total; None if unknown.

    Args:
        paid: whether agents can pay each other, so that utility is transferable.
    """

    def __init__(self, game: Game, paid: bool) -> None:
        self._game, self._paid = game, paid

    @cached_property  # cached: the search for the points may be slow, and every measure needs them
    def _points(self) -> ReferencePoints:
        points = self._game.analysis.reference_points
        return points if self._paid else points.without_payments

    @property
    def best(self) -> float | None:
        """The highest total payoff that the agents can reach together."""
        return self._points.best

    @property
    def _transferable(self) -> float | None:
        """The best total if payments can divide the total in any way, else None."""
        return self.best if self._paid and self._points.payments else None

    def disagreement(self, record: Sequence[Turn]) -> dict[str, float]:
        """Return each agent's payoff without agreement: the listed one, or its security level."""
        if self._points.disagreement is not None:
            return dict(self._points.disagreement)
        return {agent: float(x) for agent, x in disagreement(self._game, record).items()}

    def pareto(self, reached: Payoffs, record: Sequence[Turn]) -> float | None:
        """Return the Euclidean distance to the nearest efficient payoffs.

        With transferable utility: (best total − sum of payoffs) / √n, for n agents.
        """
        if efficient := self._points.efficient:
            return min(dist(self._row(reached), point) for point in efficient)
        if (best := self._transferable) is None:
            return None
        return (best - sum(reached.values())) / sqrt(len(reached))

    def nash(self, reached: Payoffs, record: Sequence[Turn]) -> float | None:
        """Return the Euclidean distance to the Nash bargaining solution.

        With transferable utility agent i gets d_i + (best total − Σd) / n; d is `disagreement`.
        """
        if self._points.nash is not None:
            return dist(self._row(reached), self._points.nash)
        if (best := self._transferable) is None:
            return None
        alone = self.disagreement(record)
        gain = (best - sum(alone.values())) / len(alone)
        return dist(self._row(reached), [alone[a] + gain for a in self._game.agents])

    def value(self, deal: Deal, record: Sequence[Turn]) -> dict[str, float] | None:
        """Return each agent's payoff if every agent keeps a deal.

        Args:
            deal: a plan, or a redistribution after the play.
            record: the turns played; empty for a plan.

        Returns:
            Agent → payoff, or None if the deal is a plan that leaves an action open.
        """
        game = self._game
        if not self._points.turns_matter:
            done: dict[str, list[str]] = {agent: [] for agent in game.agents}
            for clause in deal.clauses:
                duty = clause.duty
                if duty and not duty.forbidden and duty.agent in done:
                    done[duty.agent].append(duty.action)
            return self._points.valuation(done)
        played = list(record) or self._played(deal)
        if played is None:
            return None
        norms = payoffs_by_norm(characteristic(game, played))
        due = payments(deal, played)
        settled = payoffs(earnings(played, game.agents), deal.split, due, norms)
        return {agent: float(x) for agent, x in settled.items()}

    def front(self, first: Span, second: Span) -> list[tuple[float, float]]:
        """Return two agents' efficient payoffs within a chart's ranges; empty if unknown.

        With transferable utility, return the two ends of the line of the best total.
        """
        if efficient := self._points.efficient:
            points = sorted((point[0], point[1]) for point in efficient)
            return [p for p in points if _in(p[0], first) and _in(p[1], second)]
        if (best := self._transferable) is None:
            return []
        low, high = max(first[0], best - second[1]), min(first[1], best - second[0])
        return [(low, best - low), (high, best - high)] if low < high else []

    def _row(self, reached: Payoffs) -> list[float]:
        return [reached[agent] for agent in self._game.agents]

    def _played(self, deal: Deal) -> list[Turn] | None:
        """Return turns in which all agents do their duties; None if a deal leaves actions open."""
        game, free = self._game, False

        def choose(at: Position, before: Sequence[Turn], agent: str) -> str | None:
            nonlocal free
            owed = [d for d in duties(deal, before, len(before) + 1) if d.binds(agent)]
            legal = game.legal(at, agent)
            todo = [d.action for d in owed if not d.forbidden and d.action in legal]
            free = free or not todo
            return todo[0] if todo else None

        def gifts(before: Sequence[Turn], turn: Turn) -> list[Gift]:
            return [each.gift() for each in Monitor(deal).on(before).handing_over(turn)]

        record = played_on(game, game.start(), [], choose, gifts)
        return None if free else record


def yardstick(settings: Mapping[str, Any], graph: str) -> Yardstick:
    """Return the reference points for outcomes of a workflow under these settings."""
    return _build(game_of(settings), admits_payments(graph))


@lru_cache(maxsize=256)  # cached, so that all rows of a condition share one yardstick
def _build(game: Game, paid: bool) -> Yardstick:
    return Yardstick(game, paid)


def _in(value: float, span: Span) -> bool:
    return span[0] <= value <= span[1]
