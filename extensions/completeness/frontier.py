"""The distance from a contract's predicted payoffs to the Pareto frontier of the game.

With money, payments can divide the total in any way. An outcome is then efficient exactly if its
total is the largest, and the distance is the largest total minus the achieved total (Osborne and
Rubinstein, A Course in Game Theory, 1994, chapter 13, on transferable payoffs).

Without money, the alternatives are all courses of joint actions, without payments. Two distances
are given. `everybody` is the largest amount that all agents could gain at once: Luenberger's
benefit function in the direction (1, …, 1) (Journal of Mathematical Economics, 1992). `somebody`
is the largest total gain that leaves no agent with less, the additive measure of Charnes et al.
(Journal of Econometrics, 1985); it is 0 exactly if no course is a Pareto improvement.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from shapley_coop.amounts import plain
from shapley_coop.deals.analysis.game_tree import Amounts
from shapley_coop.deals.analysis.stage import StageGame

MOST_POINTS = 500
"""The most efficient payoffs of some turns for which distances without money are computed."""


@dataclass(frozen=True)
class Distance:
    """The distance to the Pareto frontier, in the game's unit.

    Attributes:
        achieved: the total of the predicted payoffs.
        largest: the largest total of any course.
        everybody: the amount that all could gain at once without payments; None if unknown.
        somebody: the total gain without payments and without a loss to anybody; None if unknown.
    """

    achieved: Fraction
    largest: Fraction
    everybody: Fraction | None
    somebody: Fraction | None

    @property
    def with_money(self) -> Fraction:
        """The total that is left on the table."""
        return self.largest - self.achieved

    def words(self) -> str:
        """Return the distance in one or two sentences."""
        if not self.with_money:
            return (
                f"On the Pareto frontier: no course has a larger total than {plain(self.largest)}."
            )
        told = (
            f"Distance to the Pareto frontier: with payments {plain(self.with_money)}, as the "
            f"total is {plain(self.achieved)} and could be {plain(self.largest)}"
        )
        if self.everybody is None or self.somebody is None:
            return f"{told}; without payments it was not computed, as there are too many courses."
        if self.everybody:
            return f"{told}; without payments all could gain {plain(self.everybody)} at once."
        if self.somebody:
            return (
                f"{told}; without payments all cannot gain at once, but some could gain "
                f"{plain(self.somebody)} together at nobody's cost."
            )
        return f"{told}; without payments none, as every other course costs somebody."


def distance(stage: StageGame, payoffs: Amounts) -> Distance:
    """Return the distance from payoffs over the whole game to the game's Pareto frontier.

    Cost: O(turns × p × s × n), with p efficient joint actions and s ≤ `MOST_POINTS` points.
    """
    everybody: Fraction | None = None
    somebody: Fraction | None = None
    if points := _front(stage):
        gains = [[v - u for v, u in zip(point, payoffs, strict=True)] for point in points]
        everybody = max(Fraction(0), *map(min, gains))
        free = [sum(gain, Fraction(0)) for gain in gains if min(gain) >= 0]
        somebody = max(free, default=Fraction(0))
    total = sum(payoffs, Fraction(0))
    return Distance(total, stage.turns * stage.best_total, everybody, somebody)


def _front(stage: StageGame) -> list[Amounts] | None:
    """Return the efficient sums of payoffs over all turns, or None if there are too many.

    Dominated sums of the first turns are dropped: a later turn adds the same to both.
    """
    once = _efficient([*stage.pays.values()])
    front = once
    for _ in range(stage.turns - 1):
        if front is None or once is None:
            return None
        sums = {tuple(x + y for x, y in zip(a, b, strict=True)) for a in front for b in once}
        front = _efficient([*sums])
    return front


def _efficient(points: Sequence[Amounts]) -> list[Amounts] | None:
    """Return the points that no other point dominates, or None if more than `MOST_POINTS` are."""
    kept: list[Amounts] = []
    for point in sorted(set(points), key=sum, reverse=True):  # a dominating point has a larger sum
        if not any(all(x >= y for x, y in zip(other, point, strict=True)) for other in kept):
            kept.append(point)
            if len(kept) > MOST_POINTS:
                return None
    return kept
