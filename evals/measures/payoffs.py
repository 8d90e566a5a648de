"""Measures of a run's payoffs: welfare, distances to solutions and to the payoffs due.

Each measure is computed from a run's row, and is None if the run does not have it.
"""

from collections.abc import Callable, Mapping
from fractions import Fraction
from statistics import fmean
from typing import Any

from shapley_coop.credit.characteristic import Attribution
from shapley_coop.evals.cell import Row
from shapley_coop.evals.measures.reference_points import yardstick
from shapley_coop.state.evaluated import EvaluatedTable
from shapley_coop.state.outcome import no_value, values_of

Read = Callable[[Row, str], float | None]
"""A measure: (row, the argument after the colon or "") → the number."""
EPSILON = 1e-6
"""The tolerance for comparing amounts, which floating-point rounding may change slightly."""


def welfare(row: Row, _: str) -> float:
    """Return the sum of all payoffs."""
    return float(sum(row["result"]["payoffs"].values()))


def efficiency(row: Row, _: str) -> float | None:
    """Return the payoffs' sum divided by the best total; None unless that is known and > 0."""
    best = yardstick(row["room"], row["graph"]).best
    return welfare(row, "") / best if best and best > 0 else None


def cooperation(row: Row, _: str) -> float | None:
    """Return whether the payoffs' sum reached the best total; None if this total is unknown."""
    best = yardstick(row["room"], row["graph"]).best
    return None if best is None else welfare(row, "") >= best - EPSILON


def pareto(row: Row, _: str) -> float | None:
    """Return the distance from the payoffs to the nearest efficient payoffs; None if unknown."""
    return yardstick(row["room"], row["graph"]).pareto(row["result"]["payoffs"], row["record"])


def nash(row: Row, _: str) -> float | None:
    """Return the distance from the payoffs to the Nash bargaining solution; None if unknown."""
    return yardstick(row["room"], row["graph"]).nash(row["result"]["payoffs"], row["record"])


def rational(row: Row, _: str) -> float:
    """Return the fraction of agents paid no less than they would earn at the baseline or alone."""
    payoffs, credit = row["result"]["payoffs"], row["result"]["credit"]
    alone = credit.get("alone") or yardstick(row["room"], row["graph"]).disagreement(row["record"])
    return fmean(payoffs[agent] >= alone[agent] - EPSILON for agent in payoffs)


def shapley_distance(row: Row, _: str) -> float | None:
    """Return the mean distance of the payoffs from Shapley payoffs; None if these are unknown."""
    if no_value(row["result"]["credit"]):
        return None
    return mean_distance(row["result"]["payoffs"], due_by_shapley(row))


def due_by_shapley(row: Row) -> dict[str, float]:
    """Return agent → Shapley value plus baseline payoff; an unknown baseline payoff counts as 0."""
    credit = row["result"]["credit"]
    alone = credit.get("alone") or {}
    return {agent: value + alone.get(agent, 0.0) for agent, value in credit["shapley"].items()}


def baseline(row: Row, agent: str) -> float | None:
    """Return W_i(∅), one agent's payoff if all follow their baselines; None if unknown."""
    amounts: Mapping[str, float] = row["result"]["credit"].get("alone") or {}
    return amounts.get(agent)


def share_distance(row: Row, _: str) -> float | None:
    """Return the mean distance of payoff shares from Shapley shares; None if either sum is ≤ 0."""
    paid, due = (_parts(x) for x in (row["result"]["payoffs"], due_by_shapley(row)))
    return mean_distance(paid, due) if paid and due else None


def norm_distance(row: Row, _: str) -> float:
    """Return the mean distance of payoffs from the payoffs due under the run's own norm."""
    return mean_distance(row["result"]["payoffs"], by_norm(row))


def by_norm(row: Row) -> dict[str, float]:
    """Return agent → the agent's amount if the run's norm divides the run's total payoff."""
    total = Fraction(str(sum(row["result"]["payoffs"].values())))
    if (norm := row["room"]["norm"]) == "shapley":
        due = _settled_by_shapley(row["result"]["credit"]).payoffs(total)
    else:
        evaluated = EvaluatedTable({"settings": row["room"], "record": row["record"]})
        due = evaluated.attribution(norm).payoffs(total)
    return {agent: float(amount) for agent, amount in due.items()}


def _settled_by_shapley(credit: Mapping[str, Any]) -> Attribution:
    """Return an attribution of the recorded Shapley values, by which a total can be divided."""
    values, alone = _exact(credit["shapley"]), credit.get("alone")
    total = sum(values.values(), Fraction(0))
    return Attribution(
        "shapley", "", total, {}, values, at_baseline=_exact(alone) if alone else None
    )


def _exact(amounts: Mapping[str, float]) -> dict[str, Fraction]:
    return {agent: Fraction(str(amount)) for agent, amount in amounts.items()}


def over_claim(row: Row, _: str) -> float | None:
    """Return the mean amount by which claims exceed recorded shares; a lower claim counts as 0."""
    claims = row["result"]["credit"]["claims"].values()
    over = [x for claim in claims if (x := claim["over_claim"]) is not None]
    return fmean(max(0.0, x) for x in over) if over else None


def balance(row: Row, _: str) -> float:
    """Return total payoffs minus total rewards: zero unless payments created or lost money."""
    return welfare(row, "") - float(sum(row["result"]["rewards"].values()))


def first_advantage(row: Row, _: str) -> float:
    """Return the first speaker's payoff minus the mean payoff of the other agents."""
    payoffs, (first, *others) = row["result"]["payoffs"], row["result"]["agents"]
    rest = [float(payoffs[agent]) for agent in others]
    return float(payoffs[first]) - fmean(rest)


def _parts(amounts: Mapping[str, float]) -> dict[str, float]:
    """Return each agent's fraction of the sum; empty unless the sum is positive."""
    total = sum(amounts.values())
    return {agent: x / total for agent, x in amounts.items()} if total > EPSILON else {}


def mean_distance(first: Mapping[str, float], second: Mapping[str, float]) -> float:
    """Return the mean over agents of the absolute difference between two amounts."""
    return fmean(abs(first[agent] - second[agent]) for agent in first)


def amount_of(*path: str, part: bool = False) -> Read:
    """Return a measure: an agent's amount at `path` in the result, or its fraction of the sum."""

    def read(row: Row, agent: str) -> float | None:
        found: Any = row["result"]
        for key in path:
            found = found[key]
        amounts: Mapping[str, float] = _parts(found) if part else found
        return amounts.get(agent)

    return read


def value_of(part: bool = False) -> Read:
    """Return a measure: an agent's Shapley value, or its fraction of the sum of values."""

    def read(row: Row, agent: str) -> float | None:
        values = values_of(row["result"]["credit"])
        return (_parts(values) if part else values).get(agent)

    return read
