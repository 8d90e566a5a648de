"""What a run's payoffs are measured by: welfare, distances to solutions, and what is due.

Each is computed from a run's row; None where the run does not have it.
"""

from collections.abc import Callable, Mapping
from fractions import Fraction
from statistics import fmean
from typing import Any

from shapley_coop.credit.attribution import Attribution
from shapley_coop.evals.measures.reference_points import yardstick
from shapley_coop.evals.sweeps.stored import Row
from shapley_coop.state.evaluated import EvaluatedTable
from shapley_coop.state.outcome import no_value, values_of

Read = Callable[[Row, str], float | None]
"""A measure: (row, the argument after the colon, or nothing) → the number."""
EPSILON = 1e-6
"""Half a millionth decides nothing: amounts are whole millionths."""


def welfare(row: Row, _: str) -> float:
    """Return the sum of all payoffs."""
    return float(sum(row["result"]["payoffs"].values()))


def efficiency(row: Row, _: str) -> float | None:
    """Welfare as a part of the best total."""
    best = yardstick(row["room"], row["graph"]).best
    return welfare(row, "") / best if best and best > 0 else None


def cooperation(row: Row, _: str) -> float | None:
    """Return whether the best total was reached."""
    best = yardstick(row["room"], row["graph"]).best
    return None if best is None else welfare(row, "") >= best - EPSILON


def pareto(row: Row, _: str) -> float | None:
    """How far the payoffs are from the nearest efficient ones; None where these are unknown."""
    return yardstick(row["room"], row["graph"]).pareto(row["result"]["payoffs"], row["record"])


def nash(row: Row, _: str) -> float | None:
    """Return how far they are from the Nash bargaining solution; None where it is unknown."""
    return yardstick(row["room"], row["graph"]).nash(row["result"]["payoffs"], row["record"])


def rational(row: Row, _: str) -> float:
    """Against W_i(∅); by a rule without a baseline, against what the rules alone secure."""
    payoffs, credit = row["result"]["payoffs"], row["result"]["credit"]
    alone = credit.get("alone") or yardstick(row["room"], row["graph"]).alone(row["record"])
    return fmean(payoffs[agent] >= alone[agent] - EPSILON for agent in payoffs)


def shapley_distance(row: Row, _: str) -> float | None:
    """From baseline and value; by another rule, from the value alone."""
    if no_value(row["result"]["credit"]):
        return None
    return mean_distance(row["result"]["payoffs"], due_by_shapley(row))


def due_by_shapley(row: Row) -> dict[str, float]:
    """Baseline and Shapley value; by another rule, the value alone."""
    credit = row["result"]["credit"]
    alone = credit.get("alone") or {}
    return {agent: value + alone.get(agent, 0.0) for agent, value in credit["shapley"].items()}


def baseline(row: Row, agent: str) -> float | None:
    """W_i(∅) of one agent."""
    amounts: Mapping[str, float] = row["result"]["credit"].get("alone") or {}
    return amounts.get(agent)


def share_distance(row: Row, _: str) -> float | None:
    """Between parts of the payoffs and of what is due; None where a sum is not above zero."""
    paid, due = (_parts(x) for x in (row["result"]["payoffs"], due_by_shapley(row)))
    return mean_distance(paid, due) if paid and due else None


def norm_distance(row: Row, _: str) -> float:
    """Between payoffs and what the run's own norm gives."""
    return mean_distance(row["result"]["payoffs"], by_norm(row))


def by_norm(row: Row) -> dict[str, float]:
    """Return what the run's own norm makes of the same total, computed from the record."""
    total = Fraction(str(sum(row["result"]["payoffs"].values())))
    if (norm := row["room"]["norm"]) == "shapley":
        due = _settled_by_shapley(row["result"]["credit"]).payoffs(total)
    else:
        evaluated = EvaluatedTable({"settings": row["room"], "record": row["record"]})
        due = evaluated.attribution(norm).payoffs(total)
    return {agent: float(amount) for agent, amount in due.items()}


def _settled_by_shapley(credit: Mapping[str, Any]) -> Attribution:
    """Return what the settlement computed from the record, as far as it says what is due."""
    values, alone = _exact(credit["shapley"]), credit.get("alone")
    total = sum(values.values(), Fraction(0))
    return Attribution("shapley", "", total, {}, values, alone=_exact(alone) if alone else None)


def _exact(amounts: Mapping[str, float]) -> dict[str, Fraction]:
    return {agent: Fraction(str(amount)) for agent, amount in amounts.items()}


def over_claim(row: Row, _: str) -> float | None:
    """Return the mean part of the improvement claimed beyond what the record shows."""
    claims = row["result"]["credit"]["claims"].values()
    over = [x for claim in claims if (x := claim["over_claim"]) is not None]
    return fmean(max(0.0, x) for x in over) if over else None


def balance(row: Row, _: str) -> float:
    """Return what was paid out over what was earned: zero, or money was made or lost."""
    return welfare(row, "") - float(sum(row["result"]["rewards"].values()))


def first_advantage(row: Row, _: str) -> float:
    """Return the first speaker's payoff minus the mean of the others'."""
    payoffs, (first, *others) = row["result"]["payoffs"], row["result"]["agents"]
    rest = [float(payoffs[agent]) for agent in others]
    return float(payoffs[first]) - fmean(rest)


def _parts(amounts: Mapping[str, float]) -> dict[str, float]:
    """Everybody's part of the sum; empty where it is not above zero."""
    total = sum(amounts.values())
    return {agent: x / total for agent, x in amounts.items()} if total > EPSILON else {}


def mean_distance(first: Mapping[str, float], second: Mapping[str, float]) -> float:
    """Return the mean absolute difference between what each agent has in both."""
    return fmean(abs(first[agent] - second[agent]) for agent in first)


def amount_of(*path: str, part: bool = False) -> Read:
    """Return an agent's amount in the result, or its part of the sum of all."""

    def read(row: Row, agent: str) -> float | None:
        found: Any = row["result"]
        for key in path:
            found = found[key]
        amounts: Mapping[str, float] = _parts(found) if part else found
        return amounts.get(agent)

    return read


def value_of(part: bool = False) -> Read:
    """Return an agent's Shapley value, or its part of all; None where no value is defined."""

    def read(row: Row, agent: str) -> float | None:
        values = values_of(row["result"]["credit"])
        return (_parts(values) if part else values).get(agent)

    return read
