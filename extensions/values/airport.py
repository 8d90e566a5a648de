"""Airport games: a runway costs a coalition as much as its member with the longest need.

    airport: {glider: 2, jet: 5, jumbo: 9}

The values are each agent's part of the cost (Littlechild and Owen 1973).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb
from typing import Any, ClassVar

from shapley_coop.credit.coalitions import check_agents
from shapley_coop.credit.reading import as_number, as_object, only_keys


@dataclass(frozen=True)
class AirportGame:
    """A cost game in which a coalition's cost is the largest cost of a member.

    Attributes:
        agents: the agents.
        costs: each agent's cost alone.
        sign: the factor between worths and values, which are costs.
    """

    agents: Sequence[str]
    costs: Sequence[Fraction]
    sign: ClassVar[int] = -1

    @property
    def total(self) -> Fraction:
        """The cost of all agents together."""
        return max(self.costs)

    def table(self) -> list[Fraction]:
        """Return the worths of all 2ⁿ coalitions: their costs, which are negative worths."""
        table = [Fraction(0)]
        for cost in self.costs:
            table += [min(-cost, known) for known in table]
        return table

    def semivalues(
        self, chances: Sequence[Fraction], moved: Callable[[], None] = lambda: None
    ) -> list[Fraction]:
        """Return each agent's expected addition to the cost of a random coalition of the others.

        Each part of the runway is added by an agent that needs it if no other such agent is there.

        Args:
            chances: the probability of one coalition of the others, by its size.
            moved: called after each agent with another cost.
        """
        n, found = len(self.agents), {Fraction(0): Fraction(0)}
        added = before = Fraction(0)
        for cost in sorted(set(self.costs)):
            rest = sum(other < cost for other in self.costs)
            alone = sum((chances[size] * comb(rest, size) for size in range(n)), Fraction(0))
            added += (cost - before) * alone
            found[cost], before = added, cost
            moved()
        return [found[cost] for cost in self.costs]


def read_airport(content: Mapping[str, Any]) -> AirportGame:
    """Return the game in {"airport": {name: cost}}.

    Raises:
        ValueError: a cost is negative or not a number.
    """
    only_keys(content, ("airport",), "the input")
    costs = as_object(content["airport"], '"airport"')
    check_agents(list(costs))
    amounts = [as_number(cost, f"the cost of {agent}") for agent, cost in costs.items()]
    if negative := [agent for agent, x in zip(costs, amounts, strict=True) if x < 0]:
        raise ValueError(f"the cost of {negative[0]} is negative: 0 or more is needed")
    return AirportGame(list(costs), amounts)
