"""The long-term steps of Shapley-Coop in code: outcome, marginal contributions, values."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, partial
from itertools import compress

import numpy as np

from shapley_coop.amounts import MICRO, from_micro, normalise
from shapley_coop.credit.coalitions import Floats, worth_table
from shapley_coop.credit.norms import EXACT_AGENTS, norm
from shapley_coop.credit.values.banzhaf_sampling import sample_banzhaf
from shapley_coop.credit.values.classes import (
    ClassGame,
    alone_by_class,
    banzhaf_by_class,
    leave_one_out_by_class,
    shapley_by_class,
    sum_games,
)
from shapley_coop.credit.values.nucleolus import MAX_NUCLEOLUS
from shapley_coop.credit.values.sampling import BatchWorth, Coalitions, Estimate, sample_shapley
from shapley_coop.credit.values.shapley import marginal_contributions

EVALUATIONS_PER_AGENT = 400
"""The sampler's budget without a target: coalitions evaluated per agent."""

MOST_PER_AGENT = 1600
"""The sampler's budget if it can stop early at a target: coalitions evaluated per agent."""

MOST_MEMBERSHIPS = 200_000_000
"""The sampler's limit of coalitions × agents. With many agents, each agent gets fewer samples."""

LEAST_PER_AGENT = 16
"""The smallest budget of coalitions per agent: eight orders and their reverses."""

WITHIN = 0.1
"""The sampler's target: standard errors of at most WITHIN · max(|total|, range of worths) / n."""

MAX_ENUMERATED = 16
"""The largest number of agents for which a norm evaluates all 2ⁿ coalitions."""

SAMPLED = {
    "shapley": sample_shapley,
    "banzhaf": sample_banzhaf,
    "banzhaf_normalised": sample_banzhaf,
}
"""The norms that can be estimated for any number of agents."""

FEW = ("equal", "leave_one_out", "proportional")
"""The norms that need only about n coalitions."""

BY_CLASS = (*SAMPLED, *FEW)
"""The norms that can be computed from class counts, if the classes are known."""

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
            return _by_agent(list(self.values), normalise(total, values))
        gained = normalise(total - sum(self.alone.values(), Fraction(0)), values)
        return {a: self.alone[a] + x for a, x in zip(self.values, gained, strict=True)}

    def shares(self) -> dict[str, Fraction] | None:
        """Return agent → its fraction of v(N), or None if v(N) is not positive."""
        values = list(self.values.values())
        if self.total <= 0:
            return None
        parts = normalise(self.total, values)
        return _by_agent(list(self.values), [part / self.total for part in parts])


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
        return _by_class(of, of.classes, by)
    if n <= min(of.exact_agents, MAX_ENUMERATED) or (
        n <= MAX_ENUMERATED and by not in (*SAMPLED, *FEW)
    ):
        table = of.worths()
        return Attribution(
            norm=by,
            method="exact",
            total=Fraction(table[-1]),
            marginal=_by_agent(of.agents, [Fraction(x) for x in marginal_contributions(table)]),
            values=_by_agent(of.agents, rule(table)),
            alone=of.alone,
        )
    return _sample(of, by) if by in SAMPLED else _by_few_coalitions(of, by)


def can_settle(by: str, n: int) -> bool:
    """Return whether a norm can be computed for every record of n agents."""
    if by == "nucleolus":
        return n <= MAX_NUCLEOLUS
    return by != "deegan_packel" and (n <= MAX_ENUMERATED or by in SAMPLED or by in FEW)


def payoffs_by_norm(of: Characteristic) -> Callable[[str, Fraction], dict[str, Fraction]]:
    """Return a function from a norm's name and a total to payoffs; each norm is computed once."""
    found = cache(partial(attribute_by, of))
    return lambda name, total: found(name).payoffs(total)


def _of_parts(of: Characteristic, parts: Sequence[Fraction], by: str) -> Attribution:
    """Return values of an additive game: each agent's part, except under the equal split."""
    total = sum(parts, Fraction(0))
    values = [total / len(parts)] * len(parts) if by == "equal" else list(parts)
    named = partial(_by_agent, of.agents)
    return Attribution(by, "exact (additive)", total, named(parts), named(values), None, of.alone)


def _by_class(of: Characteristic, classes: Sequence[ClassGame], by: str) -> Attribution:
    """Return values of a sum of games with symmetric classes, computed from class counts."""
    n, named = len(of.agents), partial(_by_agent, of.agents)
    marginal = sum_games(classes, leave_one_out_by_class, n)
    alone = sum_games(classes, alone_by_class, n)
    total = sum((one.gain for one in classes), Fraction(0))
    match by:
        case "equal":
            values = [total / n] * n
        case "leave_one_out":
            values = marginal
        case "proportional":
            values = normalise(total, alone)
        case "shapley":
            values = sum_games(classes, shapley_by_class, n)
        case _:
            values = sum_games(classes, banzhaf_by_class, n)
            values = normalise(total, values) if by == "banzhaf_normalised" else values
    exactly = "exact (by class counts)"
    return Attribution(by, exactly, total, named(marginal), named(values), None, of.alone)


def _sample(of: Characteristic, by: str) -> Attribution:
    n, batch = len(of.agents), of.batch or partial(_one_by_one, of.agents, of.worth)
    ends = np.concatenate([~np.eye(n + 1, n, dtype=bool), np.eye(n + 1, n, dtype=bool)])
    worths = batch(ends)
    scale = max(abs(float(worths[n])), float(np.ptp(worths)))
    each = MOST_PER_AGENT if of.target else EVALUATIONS_PER_AGENT
    found = SAMPLED[by](
        n,
        batch,
        target_error=(of.target or 0) * scale / n or None,
        budget=n * min(each, max(LEAST_PER_AGENT, MOST_MEMBERSHIPS // n**2)),
    )
    exactly = [_millionths(x) for x in worths[: n + 1]]
    raw = Attribution(
        norm=by,
        method=_how(found),
        total=exactly[-1],
        marginal=_by_agent(of.agents, [exactly[-1] - x for x in exactly[:-1]]),
        values=_by_agent(of.agents, [_millionths(x) for x in found.values]),
        standard_error={a: float(x) for a, x in zip(of.agents, found.standard_error, strict=True)},
        alone=of.alone,
    )
    return _scale(raw) if by == "banzhaf_normalised" else raw


def _scale(raw: Attribution) -> Attribution:
    """Return values scaled to the total by `normalise`, and errors scaled by the same factors."""
    values = list(raw.values.values())
    scaled = normalise(raw.total, values)
    moved = [float(new / old) if old else 1.0 for new, old in zip(scaled, values, strict=True)]
    errors = raw.standard_error or {}
    return replace(
        raw,
        values=_by_agent(list(raw.values), scaled),
        standard_error={a: abs(by) * errors[a] for a, by in zip(raw.values, moved, strict=True)},
    )


def _how(found: Estimate) -> str:
    missed = "" if found.reached is not False else ", errors above the target"
    return f"sampled ({found.method}, {found.evaluations} coalitions{missed})"


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
        by, "exact", total, _by_agent(agents, marginal), _by_agent(agents, values), alone=of.alone
    )


def _one_by_one(agents: Sequence[str], worth: Worth, coalitions: Coalitions) -> Floats:
    """Return the worths of many coalitions by one call of `worth` for each."""
    return np.array([float(worth(frozenset(compress(agents, row)))) for row in coalitions])


def _millionths(x: float) -> Fraction:
    return from_micro(round(float(x) * MICRO))


def _by_agent(agents: Sequence[str], values: Sequence[Fraction]) -> dict[str, Fraction]:
    return dict(zip(agents, values, strict=True))
