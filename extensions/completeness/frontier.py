"""The distance from a contract's predicted payoffs to the Pareto frontier of the game.

With payments, agents can divide the total in any way. An outcome is then efficient exactly if its
total is the largest, so the distance is the largest total minus the total achieved (transferable
utility: Osborne and Rubinstein, A Course in Game Theory, 1994, chapter 13).

Without payments, the alternatives are all courses of joint actions, with two distances. `everybody`
is the largest amount that all agents could gain at once: Luenberger's benefit function in the
direction (1, …, 1) (Journal of Mathematical Economics, 1992). `somebody` is the largest total gain
that leaves no agent with less (Charnes et al., Journal of Econometrics, 1985: the additive model).
It is 0 exactly if no course is a Pareto improvement.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

from shapley_coop.amounts import plain
from shapley_coop.deals.analysis.game_tree import NOTHING, Amounts
from shapley_coop.deals.analysis.stage import StageGame

MOST_POINTS = 200
"""The most efficient payoffs of some turns for which distances without payments are computed."""


@dataclass(frozen=True)
class Distance:
    """The distance to the Pareto frontier, in the game's unit.

    Attributes:
        with_payments: the total that is left on the table.
        everybody: the amount that all could gain at once without payments; None if unknown.
        somebody: the total gain without payments and without a loss to anybody; None if unknown.
    """

    with_payments: Fraction
    everybody: Fraction | None
    somebody: Fraction | None

    def words(self) -> str:
        """Return the distance in one sentence."""
        if not self.with_payments:
            return "On the Pareto frontier: no course of actions has a larger total."
        told = f"Distance to the Pareto frontier: {plain(self.with_payments)} with payments"
        if self.everybody is None or self.somebody is None:
            return f"{told}; without payments there are too many courses to tell."
        if not self.somebody:
            return f"{told}; none without payments, as any other course costs somebody."
        return (
            f"{told}; without payments all could gain {plain(self.everybody)} at once, and some "
            f"{plain(self.somebody)} together at nobody's cost."
        )


def distance(stage: StageGame, payoffs: Amounts) -> Distance:
    """Return the distance from payoffs over the whole game to the game's Pareto frontier."""
    left = stage.turns * stage.best_total - sum(payoffs, NOTHING)
    if (points := _front(stage)) is None:
        return Distance(left, None, None)
    gains = [[v - u for v, u in zip(point, payoffs, strict=True)] for point in points]
    free = [sum(gain, NOTHING) for gain in gains if min(gain) >= 0]
    return Distance(left, max(NOTHING, *map(min, gains)), max(free, default=NOTHING))


def _front(stage: StageGame) -> list[Amounts] | None:
    """Return the efficient sums of payoffs over all turns, or None if there are too many."""
    front: list[Amounts] | None = [(NOTHING,) * len(stage.agents)]
    once = _efficient(stage.pays.values())
    for _ in range(stage.turns):
        if front is None or once is None:
            return None
        sums = product(front, once)  # a later turn adds the same to a dominated sum
        front = _efficient(tuple(x + y for x, y in zip(a, b, strict=True)) for a, b in sums)
    return front


def _efficient(points: Iterable[Amounts]) -> list[Amounts] | None:
    """Return the points that no other point dominates, or None if more than `MOST_POINTS` are."""
    kept: list[Amounts] = []
    for point in sorted(set(points), key=sum, reverse=True):  # a dominating point has a larger sum
        if not any(all(x >= y for x, y in zip(other, point, strict=True)) for other in kept):
            kept.append(point)
            if len(kept) > MOST_POINTS:
                return None
    return kept
