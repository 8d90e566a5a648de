"""Task exchange: atomic tasks, sets of them ("composites"), private utilities, efficiency.

>>> from shapley_coop.extensions.exchange.domain import scenario, solutions
>>> paper = scenario("paper_competitive")
>>> start = paper.tasks.initial
>>> [paper.utility(agent, mask) for agent, mask in start.items()]
[0.58, 0.25]
>>> round(paper.front.distance(paper.micro(start)), 3)
0.028
>>> solutions(paper)["nash"].point
(700000, 260000)

`Tasks` is public. `Scenario` holds all private tables and is for the operator only. Scenarios are
built in (`paper`), read from a file (`files`), made by an extension from a data set, or generated
(`source`). `front` computes the exact Pareto front; `solutions` compares outcomes.
"""

from shapley_coop.extensions.exchange.domain.scenario import Masks, Scenario
from shapley_coop.extensions.exchange.domain.solutions import score, solutions
from shapley_coop.extensions.exchange.domain.source import scenario

__all__ = [
    "Masks",
    "Scenario",
    "scenario",
    "score",
    "solutions",
]
