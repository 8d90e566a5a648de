"""The characteristic function of a game, and each agent's credit by it."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

from shapley_coop.amounts import normalise
from shapley_coop.by_class import ByClass
from shapley_coop.credit.coalitions import BatchWorth, worth_table
from shapley_coop.credit.norms import EXACT_AGENTS

MAX_ENUMERATED = 16
"""The largest number of agents for which a norm evaluates all 2ⁿ coalitions."""

MOST_PER_AGENT = 1600
"""The most coalitions per agent that the sampler evaluates if it can stop early at a target."""

WITHIN = 0.1
"""The sampler's target: standard errors of at most WITHIN · max(|total|, range of worths) / n."""

Worth = Callable[[frozenset[str]], Fraction]


@dataclass(frozen=True)
class Characteristic:
    """A characteristic function, with faster ways of evaluating it where the game has any.

    Attributes:
        agents: the players, in order.
        worth: v, from a coalition to its worth in the game's unit.
        batch: v of many coalitions (rows of an array) at once; if None, `worth` is called for each.
        table: returns all 2ⁿ exact worths at once; if None, `worth` is called for each.
        at_baseline: agent → W_i(∅), its reward if no agent takes part. None if worths and payoffs
            have different units, or if worths are not gains over the reward without any agent.
        exact_agents: the largest number of agents for which all coalitions are evaluated.
        parts: each agent's contribution in an additive game; None in other games.
        classes: games whose sum is v, each with classes of symmetric agents; None if unknown.
        given: the random draws on which worths depend, in words, or "".
        target: the standard error to reach, in max(|total|, range of worths) / n, or None.
    """

    agents: Sequence[str]
    worth: Worth
    batch: BatchWorth | None = None
    table: Callable[[], list[Fraction]] | None = None
    at_baseline: dict[str, Fraction] | None = None
    exact_agents: int = EXACT_AGENTS
    parts: Sequence[Fraction] | None = None
    classes: Sequence[ByClass] | None = None
    given: str = ""
    target: float | None = WITHIN

    @property
    def counts_classes(self) -> bool:
        """Whether values are computed from class counts, not from samples or tables."""
        return self.classes is not None and len(self.agents) > MAX_ENUMERATED

    @property
    def exactly(self) -> str:
        """The name of the method that samples no coalitions."""
        return f"exact given {self.given}" if self.given else "exact"

    def worths(self) -> list[Fraction]:
        """Return the exact worths of all 2ⁿ coalitions by mask, from v(∅) to v(N).

        Raises:
            ValueError: there are too many agents for a table (`coalitions.MAX_AGENTS`).
        """
        return self.table() if self.table else worth_table(self.agents, self.worth)

    def attribution(
        self,
        norm: str,
        method: str,
        total: Fraction,
        marginal: Sequence[Fraction],
        values: Sequence[Fraction],
        errors: Iterable[float] | None = None,
    ) -> "Attribution":
        """Return an `Attribution`, with a norm's values, contributions and errors by agent."""
        named = partial(by_agent, self.agents)
        told = None if errors is None else dict(zip(self.agents, map(float, errors), strict=True))
        return Attribution(
            norm, method, total, named(marginal), named(values), told, self.at_baseline
        )


@dataclass(frozen=True)
class Attribution:
    """Each agent's credit for a record (Shapley-Coop, Eqs. 7-9).

    Attributes:
        norm: the name of the norm that gives the values.
        method: "exact", or the sampler that estimated the values and its number of evaluations.
        total: v(N), in the game's unit; for a record, the gain over play without any agent.
        marginal: agent → v(N) − v(N∖{i}).
        values: agent → its value.
        standard_error: agent → the value's standard error; None if the values are exact.
        at_baseline: agent → its reward if no agent takes part; None if payoffs do not include it.
    """

    norm: str
    method: str
    total: Fraction
    marginal: dict[str, Fraction]
    values: dict[str, Fraction]
    standard_error: dict[str, float] | None = None
    at_baseline: dict[str, Fraction] | None = None

    def payoffs(self, total: Fraction) -> dict[str, Fraction]:
        """Return each agent's payoff if the norm splits `total`: W_i(∅) plus a part of the gain."""
        values = list(self.values.values())
        if self.at_baseline is None:
            return by_agent(list(self.values), normalise(total, values))
        gained = normalise(total - sum(self.at_baseline.values(), Fraction(0)), values)
        return {a: self.at_baseline[a] + x for a, x in zip(self.values, gained, strict=True)}

    def shares(self) -> dict[str, Fraction] | None:
        """Return agent → its fraction of v(N), or None if v(N) is not positive."""
        values = list(self.values.values())
        if self.total <= 0:
            return None
        parts = normalise(self.total, values)
        return by_agent(list(self.values), [part / self.total for part in parts])


def by_agent(agents: Sequence[str], values: Sequence[Fraction]) -> dict[str, Fraction]:
    """Return agent → value."""
    return dict(zip(agents, values, strict=True))
