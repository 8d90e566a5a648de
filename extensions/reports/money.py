"""The cost of runs in USD: per run, per agreement, and per point of social welfare."""

from collections.abc import Sequence
from dataclasses import dataclass

from shapley_coop.evals.cell import Row
from shapley_coop.evals.measures.evaluators import score
from shapley_coop.extensions.reports.stats import NOTHING, Estimate, mean_interval, ratio_interval


@dataclass(frozen=True)
class Spent:
    """The cost of a set of runs in USD; the intervals are over the runs.

    Attributes:
        total: the total cost.
        run: the mean cost of a run.
        agreement: the cost per agreement; infinite without any agreement.
        welfare: the cost per point of social welfare, in the game's unit; unknown unless the total
            welfare is positive.
    """

    total: float
    run: Estimate
    agreement: Estimate
    welfare: Estimate


def spent(rows: Sequence[Row]) -> Spent | None:
    """Return the cost of the runs with a known cost, or None if no run has one.

    A run that ended in an error adds its cost but no agreement.
    """
    priced = [(cost, row) for row in rows if (cost := score(row, "cost")) is not None]
    if not priced:
        return None
    costs = [cost for cost, _ in priced]
    agreed, welfare = (
        [score(row, column) or 0.0 for _, row in priced]
        for column in ("agreement", "social_welfare")
    )
    per_point = ratio_interval(costs, welfare) if sum(welfare) > 0 else NOTHING
    return Spent(sum(costs), mean_interval(costs), ratio_interval(costs, agreed), per_point)
