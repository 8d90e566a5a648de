"""The long-term steps of Shapley-Coop in code: outcome, marginal contributions, values."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, partial
from typing import cast

from shapley_coop.amounts import normalise
from shapley_coop.credit.coalitions import MAX_NUCLEOLUS, BatchWorth, ClassGame, worth_table
from shapley_coop.credit.norms import EXACT_AGENTS, norm
from shapley_coop.credit.values.shapley import marginal_contributions
from shapley_coop.extension import import_place

MOST_PER_AGENT = 1600
"""The sampler's budget if it can stop early at a target: coalitions evaluated per agent."""

WITHIN = 0.1
"""The sampler's target: standard errors of at most WITHIN · max(|total|, range of worths) / n."""

MAX_ENUMERATED = 16
"""The largest number of agents for which a norm evaluates all 2ⁿ coalitions."""

SAMPLED = ("shapley", "banzhaf", "banzhaf_normalised")
"""The norms that can be estimated for any number of agents."""

FEW = ("equal", "leave_one_out", "proportional")
"""The norms that need only about n coalitions."""

BY_CLASS = (*SAMPLED, *FEW)
"""The norms that can be computed from class counts, if the classes are known."""

METHODS = {
    "classes": "shapley_coop.credit.values.classes:attribute_by_classes",
    "sampling": "shapley_coop.credit.values.sampled:attribute_by_sampling",
}
"""The methods for many agents: name → the `module:name` of a function of (characteristic, norm)."""

Worth = Callable[[frozenset[str]], Fraction]


@dataclass(frozen=True)
class Characteristic:
    """A characteristic function, with faster ways of evaluating it where the game has any.

    Attributes:
        agents: the players, in order.
        worth: v, from a coalition to its worth in the game's unit.
        batch: v of many coalitions at once, shape (m, n) → (m,); None calls `worth` for each.
        table: returns all 2ⁿ exact worths at once; None calls `worth` for each.
        alone: agent → W_i(∅), its reward if no agent takes part. None if worths and payoffs have
            different units, or if worths are not gains over the reward without any agent.
        exact_agents: the largest number of agents for which all coalitions are evaluated.
        parts: each agent's contribution in an additive game; None in other games.
        classes: games whose sum is v, each with classes of symmetric agents; None if unknown.
        target: the sampler's target, in units of max(|total|, range of worths) / n, or None.
    """

    agents: Sequence[str]
    worth: Worth
    batch: BatchWorth | None = None
    table: Callable[[], list[Fraction]] | None = None
    alone: dict[str, Fraction] | None = None
    exact_agents: int = EXACT_AGENTS
    parts: Sequence[Fraction] | None = None
    classes: Sequence[ClassGame] | None = None
    target: float | None = WITHIN

    def worths(self) -> list[Fraction]:
        """Return the exact worths of all 2ⁿ coalitions by mask, from v(∅) to v(N).

        Raises:
            ValueError: there are too many agents for a table (`coalitions.MAX_AGENTS`).
        """
        return self.table() if self.table else worth_table(self.agents, self.worth)


@dataclass(frozen=True)
class Attribution:
    """Each agent's credit for a record (Shapley-Coop, Eqs. 7-9).

    Attributes:
        norm: the norm of the values.
        method: how the values were computed: "exact", or the sampler with its evaluations.
        total: v(N), in the game's unit; for a record, the gain over play without any agent.
        marginal: agent → v(N) − v(N∖{i}).
        values: agent → its value.
        standard_error: agent → the value's standard error; None if the values are exact.
        alone: agent → its reward if no agent takes part; None if payoffs do not include it.
    """

    norm: str
    method: str
    total: Fraction
    marginal: dict[str, Fraction]
    values: dict[str, Fraction]
    standard_error: dict[str, float] | None = None
    alone: dict[str, Fraction] | None = None

    def payoffs(self, total: Fraction) -> dict[str, Fraction]:
        """Return each agent's payoff if the norm splits `total`: W_i(∅) plus a part of the gain."""
        values = list(self.values.values())
        if self.alone is None:
            return by_agent(list(self.values), normalise(total, values))
        gained = normalise(total - sum(self.alone.values(), Fraction(0)), values)
        return {a: self.alone[a] + x for a, x in zip(self.values, gained, strict=True)}

    def shares(self) -> dict[str, Fraction] | None:
        """Return agent → its fraction of v(N), or None if v(N) is not positive."""
        values = list(self.values.values())
        if self.total <= 0:
            return None
        parts = normalise(self.total, values)
        return by_agent(list(self.values), [part / self.total for part in parts])


def attribute_by(of: Characteristic, by: str = "shapley") -> Attribution:
    """Return each agent's value by a norm.

    Values are exact if all coalitions can be evaluated, which needs at most MAX_ENUMERATED agents.
    For more agents, norms in FEW and games with parts or classes still give exact values. Other
    Shapley and Banzhaf values are sampled, each with a standard error.

    Raises:
        ValueError: the norm is unknown, or needs all 2ⁿ coalitions of too many agents.

    Cost in evaluations of v: 2ⁿ for all coalitions, MOST_PER_AGENT · n if sampled, else about n.
    """
    rule, n = norm(by), len(of.agents)
    if of.parts is not None and by != "deegan_packel":
        return _of_parts(of, of.parts, by)
    if of.classes is not None and by in BY_CLASS and n > MAX_ENUMERATED:
        return _by_method("classes", of, by)
    if n <= min(of.exact_agents, MAX_ENUMERATED) or (
        n <= MAX_ENUMERATED and by not in (*SAMPLED, *FEW)
    ):
        table = of.worths()
        return Attribution(
            norm=by,
            method="exact",
            total=Fraction(table[-1]),
            marginal=by_agent(of.agents, [Fraction(x) for x in marginal_contributions(table)]),
            values=by_agent(of.agents, rule(table)),
            alone=of.alone,
        )
    return _by_method("sampling", of, by) if by in SAMPLED else _by_few_coalitions(of, by)


def can_settle(by: str, n: int) -> bool:
    """Return whether a norm can be computed for every record of n agents."""
    if by == "nucleolus":
        return n <= MAX_NUCLEOLUS
    return by != "deegan_packel" and (n <= MAX_ENUMERATED or by in SAMPLED or by in FEW)


def payoffs_by_norm(of: Characteristic) -> Callable[[str, Fraction], dict[str, Fraction]]:
    """Return a function from a norm's name and a total to payoffs; each norm is computed once."""
    found = cache(partial(attribute_by, of))
    return lambda name, total: found(name).payoffs(total)


def _by_method(name: str, of: Characteristic, by: str) -> Attribution:
    return cast(Attribution, import_place(METHODS[name])(of, by))


def _of_parts(of: Characteristic, parts: Sequence[Fraction], by: str) -> Attribution:
    """Return values of an additive game: each agent's part, except under the equal split."""
    total = sum(parts, Fraction(0))
    values = [total / len(parts)] * len(parts) if by == "equal" else list(parts)
    named = partial(by_agent, of.agents)
    return Attribution(by, "exact (additive)", total, named(parts), named(values), None, of.alone)


def _by_few_coalitions(of: Characteristic, by: str) -> Attribution:
    """Return values by a norm that needs only v(∅), v(N), each v({i}) and each v(N∖{i})."""
    agents, worth, everyone = of.agents, of.worth, frozenset(of.agents)
    total, nothing = worth(everyone), worth(frozenset())
    marginal = [total - worth(everyone - {agent}) for agent in agents]
    match by:
        case "equal":
            values = [(total - nothing) / len(agents)] * len(agents)
        case "leave_one_out":
            values = marginal
        case "proportional":
            alone = [worth(frozenset({agent})) - nothing for agent in agents]
            values = normalise(total - nothing, alone)
        case _:
            raise ValueError(
                f"the norm {by} needs all 2**{len(agents)} coalitions of {len(agents)} agents: "
                f"choose {', '.join((*SAMPLED, *FEW))}"
            )
    return Attribution(
        by, "exact", total, by_agent(agents, marginal), by_agent(agents, values), alone=of.alone
    )


def by_agent(agents: Sequence[str], values: Sequence[Fraction]) -> dict[str, Fraction]:
    """Return agent → value."""
    return dict(zip(agents, values, strict=True))
