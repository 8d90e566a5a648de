"""The distance of a run's payoffs from the decision of an arbiter."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from math import dist

from shapley_coop.deals.analysis.stage import NotFinite, StageGame, facts_of
from shapley_coop.evals.cell import Row
from shapley_coop.extensions.opponents.arbiters import (
    Point,
    fixed_split,
    kalai_smorodinsky,
    nash,
    random_split,
)
from shapley_coop.games.reference_points import ReferencePoints
from shapley_coop.graphs.catalogue import admits_payments
from shapley_coop.state.settings import game_of

SPLITS = ("fixed_split", "random_split")
"""The arbiters that divide the best total, so agents must be able to make payments."""


def distance(row: Row, solution: str) -> float | None:
    """Return the Euclidean distance of a run's payoffs from a solution, in the game's unit.

    The outcomes are the joint actions of the payoff table, each played in every turn. The
    disagreement point is each agent's max-min payoff without a deal, as in `baselines`. A game
    without a table, such as trade, may list its efficient outcomes where nobody can pay.

    Args:
        row: the run's row in a sweep; the run's seed draws the random split.
        solution: nash, kalai_smorodinsky, fixed_split or random_split.

    Returns:
        None for any other solution, for a game without a table of payoffs or a list of outcomes,
        or for a split if the workflow admits no payments.
    """
    rules: dict[str, Callable[[Sequence[Point], Point], Point]] = {
        "nash": nash,
        "kalai_smorodinsky": kalai_smorodinsky,
        "fixed_split": fixed_split,
        "random_split": partial(random_split, seed=row["room"]["seed"]),
    }
    if solution not in rules or (solution in SPLITS and not admits_payments(row["graph"])):
        return None
    game = game_of(row["room"])
    try:
        stage = StageGame.of(facts_of(game))
    except NotFinite:
        return _from_outcomes(row, game.analysis.reference_points, rules[solution])
    points = [tuple(stage.turns * x for x in pays) for pays in stage.pays.values()]
    found = rules[solution](points, stage.disagreement)
    reached = [row["result"]["payoffs"][agent] for agent in stage.agents]
    return dist(reached, [float(x) for x in found])


def _from_outcomes(
    row: Row, points: ReferencePoints, rule: Callable[[Sequence[Point], Point], Point]
) -> float | None:
    """Return the distance from an arbiter's choice among the outcomes that a game lists."""
    listed = points.without_payments
    if admits_payments(row["graph"]) or not listed.efficient or listed.disagreement is None:
        return None
    payoffs = row["result"]["payoffs"]
    outcomes = [tuple(map(Fraction, point)) for point in listed.efficient]
    found = rule(outcomes, tuple(Fraction(listed.disagreement[agent]) for agent in payoffs))
    return dist(payoffs.values(), [float(x) for x in found])
