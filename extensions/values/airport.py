"""Airport games: a runway costs a coalition as much as its member with the longest need.

    airport: {glider: 2, jet: 5, jumbo: 9}

The values are each agent's part of the cost (Littlechild and Owen 1973).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from shapley_coop.credit.coalitions import check_agents
from shapley_coop.credit.reading import as_number, as_object, only_keys


@dataclass(frozen=True)
class AirportGame:
    """A cost game in which a coalition's cost is the largest cost of a member.

    Attributes:
        agents: the agents.
        costs: each agent's cost alone.
    """

    agents: Sequence[str]
    costs: Sequence[Fraction]

    def table(self) -> list[Fraction]:
        """Return the costs of all 2ⁿ coalitions."""
        table = [Fraction(0)]
        for cost in self.costs:
            table += [max(cost, known) for known in table]
        return table

    def semivalues(self, alone: Callable[[int], Fraction]) -> list[Fraction]:
        """Return each agent's expected addition to the cost of a random coalition of the others.

        Args:
            alone: the probability that none of m − 1 given agents is in the coalition, by m.
        """
        found, paid, before = {Fraction(0): Fraction(0)}, Fraction(0), Fraction(0)
        for cost in sorted(set(self.costs)):
            users = sum(other >= cost for other in self.costs)
            paid += (cost - before) * alone(users)
            found[cost], before = paid, cost
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
