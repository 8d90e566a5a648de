"""What runs cost for what came of them: USD per run, per agreement, and per point of welfare."""

from collections.abc import Sequence
from dataclasses import dataclass

from shapley_coop.evals.measures.evaluators import score
from shapley_coop.evals.measures.stats import NOTHING, Estimate, mean_interval, ratio_interval
from shapley_coop.evals.sweeps.stored import Row


@dataclass(frozen=True)
class Spent:
    """USD of some runs; the intervals are over the runs.

    Attributes:
        total: all of it.
        run: the mean.
        agreement: for each agreement; infinite where there was none.
        welfare: for each point of social welfare, in the game's unit; unknown unless the sum of it
            is above zero.
    """

    total: float
    run: Estimate
    agreement: Estimate
    welfare: Estimate


def spent(rows: Sequence[Row]) -> Spent | None:
    """Return what runs with a known cost cost; None where no run has one.

    A run that ended in an error is paid for and counts as no agreement.
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
