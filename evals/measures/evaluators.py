"""Evaluators: what a run is measured by, each a number computed by code from the run's row.

`score(row, "payoff:Alice")` reads one; those with a colon take an argument. A measure that a run
does not have (no contract was signed, the best total is unknown) is None and counts nowhere.
A workflow may measure itself: what its result holds under `measures` goes before what is here.

>>> from shapley_coop.evals.measures.evaluators import EVALUATORS
>>> EVALUATORS["adherence"].about
'part of all duties that fell due and were kept'
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from statistics import fmean
from typing import Any, Literal

from shapley_coop.credit.attribution import Attribution
from shapley_coop.evals.measures import arbiters, conduct
from shapley_coop.evals.measures.reference_points import yardstick
from shapley_coop.evals.sweeps.stored import Row
from shapley_coop.files import no_such
from shapley_coop.state import EvaluatedTable

Kind = Literal["rate", "mean"]
Read = Callable[[Row, str], float | None]
EPSILON = 1e-6
"""Half a millionth decides nothing: amounts are whole millionths."""


@dataclass(frozen=True)
class Evaluator:
    """One measure.

    Attributes:
        about: what it is, in the game's unit unless it says otherwise.
        read: from a row, and the argument after the colon, to the number; None where only the
            workflow or a price list gives it, under `measures` of the run's result.
        kind: a rate is 0 or 1 in each run; its interval is binomial.
        better: which direction is wanted; empty where neither is.
    """

    about: str
    read: Read | None = None
    kind: Kind = "mean"
    better: Literal["more", "less", ""] = ""


def score(row: Row, column: str) -> float | None:
    """A measure of a run by its key, with an argument after a colon where it takes one.

    Raises:
        ValueError: there is no such measure.
    """
    evaluator, argument = find(column)
    own = row["result"].get("measures", {})
    if column in own:
        return None if own[column] is None else float(own[column])
    found = evaluator.read(row, argument) if evaluator.read else None
    # Amounts are whole millionths; adding them up as floats leaves dust below that.
    return None if found is None else round(float(found), 9)


def find(column: str) -> tuple[Evaluator, str]:
    """A measure and the argument that its column gives it.

    Raises:
        ValueError: there is no such measure, or it needs an argument, or it takes none.
    """
    key, colon, argument = column.partition(":")
    if key in EVALUATORS and not colon:
        return EVALUATORS[key], ""
    if key in WITH_ARGUMENT and argument:
        return WITH_ARGUMENT[key], argument
    known = [*EVALUATORS, *(f"{key}:…" for key in WITH_ARGUMENT)]
    raise ValueError(no_such("measure", column, known))


def scores(row: Row) -> dict[str, float | None]:
    """Every measure without an argument."""
    return {key: score(row, key) for key in EVALUATORS}


def _agreement(row: Row, _: str) -> float | None:
    status = row["result"]["status"]
    return None if status == "error" else status == "agreed"


def _ended(status: str) -> Read:
    return lambda row, _: row["result"]["status"] == status


def _welfare(row: Row, _: str) -> float:
    return float(sum(row["result"]["payoffs"].values()))


def _efficiency(row: Row, _: str) -> float | None:
    best = yardstick(row["room"]).best
    return _welfare(row, "") / best if best and best > 0 else None


def _cooperation(row: Row, _: str) -> float | None:
    best = yardstick(row["room"]).best
    return None if best is None else _welfare(row, "") >= best - EPSILON


def _won(row: Row, _: str) -> float | None:
    ends = [conduct.effects(row, "won"), conduct.effects(row, "lost")]
    return ends[0] if any(ends) else None


def _pareto(row: Row, _: str) -> float | None:
    return yardstick(row["room"]).pareto(row["result"]["payoffs"], row["record"])


def _nash(row: Row, _: str) -> float | None:
    return yardstick(row["room"]).nash(row["result"]["payoffs"], row["record"])


def _rational(row: Row, _: str) -> float:
    """Against W_i(∅); by a rule without a baseline, against what the rules alone secure."""
    payoffs, credit = row["result"]["payoffs"], row["result"]["credit"]
    alone = credit.get("alone") or yardstick(row["room"]).alone(row["record"])
    return fmean(payoffs[agent] >= alone[agent] - EPSILON for agent in payoffs)


def _shapley_distance(row: Row, _: str) -> float:
    """From baseline and value; by another rule, from the value alone."""
    return mean_distance(row["result"]["payoffs"], due_by_shapley(row))


def due_by_shapley(row: Row) -> dict[str, float]:
    """Baseline and Shapley value; by another rule, the value alone."""
    credit = row["result"]["credit"]
    alone = credit.get("alone") or {}
    return {agent: value + alone.get(agent, 0.0) for agent, value in credit["shapley"].items()}


def _baseline(row: Row, agent: str) -> float | None:
    amounts: Mapping[str, float] = row["result"]["credit"].get("alone") or {}
    return amounts.get(agent)


def _share_distance(row: Row, _: str) -> float | None:
    paid, due = (_parts(x) for x in (row["result"]["payoffs"], due_by_shapley(row)))
    return mean_distance(paid, due) if paid and due else None


def _norm_distance(row: Row, _: str) -> float:
    return mean_distance(row["result"]["payoffs"], _by_norm(row))


def _by_norm(row: Row) -> dict[str, float]:
    """What the run's own norm makes of the same total, computed from the record."""
    total = Fraction(str(sum(row["result"]["payoffs"].values())))
    if (norm := row["room"]["norm"]) == "shapley":
        due = _settled_by_shapley(row["result"]["credit"]).payoffs(total)
    else:
        evaluated = EvaluatedTable({"settings": row["room"], "record": row["record"]})
        due = evaluated.attribution(norm).payoffs(total)
    return {agent: float(amount) for agent, amount in due.items()}


def _settled_by_shapley(credit: Mapping[str, Any]) -> Attribution:
    """What the settlement computed from the record, as far as it says what is due."""
    values, alone = _exact(credit["shapley"]), credit.get("alone")
    total = sum(values.values(), Fraction(0))
    return Attribution("shapley", "", total, {}, values, alone=_exact(alone) if alone else None)


def _exact(amounts: Mapping[str, float]) -> dict[str, Fraction]:
    return {agent: Fraction(str(amount)) for agent, amount in amounts.items()}


def _over_claim(row: Row, _: str) -> float | None:
    claims = row["result"]["credit"]["claims"].values()
    over = [x for claim in claims if (x := claim["over_claim"]) is not None]
    return fmean(max(0.0, x) for x in over) if over else None


def _balance(row: Row, _: str) -> float:
    """What was paid out over what was earned: zero, or money was made or lost."""
    return _welfare(row, "") - float(sum(row["result"]["rewards"].values()))


def _format_errors(row: Row, _: str) -> float | None:
    calls = _calls(row, "")
    return sum(row["refused"].values()) / calls if calls else None


def _calls(row: Row, _: str) -> float:
    return float(row["result"]["usage"]["calls"])


def _tokens(row: Row, _: str) -> float:
    return float(sum(row["result"]["usage"][key] for key in ("input_tokens", "output_tokens")))


def _first_advantage(row: Row, _: str) -> float:
    payoffs, (first, *others) = row["result"]["payoffs"], row["result"]["agents"]
    rest = [float(payoffs[agent]) for agent in others]
    return float(payoffs[first]) - fmean(rest)


def _parts(amounts: Mapping[str, float]) -> dict[str, float]:
    """Everybody's part of the sum; empty where it is not above zero."""
    total = sum(amounts.values())
    return {agent: x / total for agent, x in amounts.items()} if total > EPSILON else {}


def mean_distance(first: Mapping[str, float], second: Mapping[str, float]) -> float:
    """The mean absolute difference between what each agent has in both."""
    return fmean(abs(first[agent] - second[agent]) for agent in first)


def _of(*path: str, part: bool = False) -> Read:
    """An agent's amount in the result, or its part of the sum of all."""

    def read(row: Row, agent: str) -> float | None:
        found: Any = row["result"]
        for key in path:
            found = found[key]
        amounts: Mapping[str, float] = _parts(found) if part else found
        return amounts.get(agent)

    return read


EVALUATORS: dict[str, Evaluator] = {
    "agreement": Evaluator("agreed, of runs without error", _agreement, "rate", "more"),
    "error": Evaluator("ended as an error", _ended("error"), "rate", "less"),
    "budget": Evaluator("ended by a limit on its budget", _ended("budget"), "rate", "less"),
    "social_welfare": Evaluator("sum of all payoffs", _welfare, better="more"),
    "efficiency": Evaluator("social welfare, part of the best total", _efficiency, better="more"),
    "cooperation": Evaluator("reached the best total", _cooperation, "rate", "more"),
    "won": Evaluator("the game says that the team has won", _won, "rate", "more"),
    "pareto_distance": Evaluator("to the nearest efficient payoffs", _pareto, better="less"),
    "nash_distance": Evaluator("to the Nash bargaining solution", _nash, better="less"),
    "individual_rationality": Evaluator(
        "part of agents with no less than their baseline W_i(∅), or than they secure alone where "
        "credit has no baseline",
        _rational,
        better="more",
    ),
    "shapley_distance": Evaluator(
        "mean distance between payoff and what the Shapley value of the run's own record makes due",
        _shapley_distance,
        better="less",
    ),
    "share_distance": Evaluator(
        "mean distance between an agent's part of the payoffs and of what is due",
        _share_distance,
        better="less",
    ),
    "norm_distance": Evaluator(
        "mean distance between payoff and what the run's own norm gives",
        _norm_distance,
        better="less",
    ),
    "over_claim": Evaluator(
        "mean part of the improvement claimed beyond what the record shows",
        _over_claim,
        better="less",
    ),
    "adherence": Evaluator(
        "part of all duties that fell due and were kept", conduct.adherence, better="more"
    ),
    "breaches": Evaluator("duties not kept", conduct.breaches, better="less"),
    "bluff": Evaluator(
        "part of the offers turned down whose author then agreed to no more", conduct.bluff
    ),
    "passes": Evaluator("turns in which an agent was asked and took no action", conduct.passes),
    "unusable": Evaluator(
        "passes because no answer could be read or was legal", conduct.unusable, better="less"
    ),
    "budget_balance": Evaluator("payoffs minus rewards; must be 0", _balance),
    "format_errors": Evaluator("drafts sent back, per call", _format_errors, better="less"),
    "first_advantage": Evaluator("first speaker's payoff minus the others' mean", _first_advantage),
    "turns": Evaluator("turns played", lambda row, _: row["result"]["turns_played"]),
    "messages": Evaluator("public messages", lambda row, _: len(row["offers"])),
    "rounds_of_talk": Evaluator("rounds of talk", lambda row, _: row["result"]["rounds_of_talk"]),
    "calls": Evaluator("calls to seats", _calls, better="less"),
    "tokens": Evaluator("tokens in and out", _tokens, better="less"),
    "cost": Evaluator("USD, where the models have prices", better="less"),
    "guess_error": Evaluator("mean error of what agents think tasks are worth to others"),
    "payoff_estimate_error": Evaluator(
        "mean error of what agents reason all could earn, to the best total", better="less"
    ),
    "externality_right": Evaluator(
        "part of reasoned externalities whose sign the record shows", better="more"
    ),
    "price_error": Evaluator(
        "mean error of reasoned prices, to what the Shapley value makes due", better="less"
    ),
}
"""Every measure without an argument, by key."""

WITH_ARGUMENT: dict[str, Evaluator] = {
    "payoff": Evaluator("an agent's payoff", _of("payoffs")),
    "reward": Evaluator("what an agent earned before the settlement", _of("rewards")),
    "baseline": Evaluator("W_i(∅): what an agent has if nobody takes part", _baseline),
    "marginal": Evaluator("an agent's marginal contribution", _of("credit", "marginal")),
    "leave_one_out": Evaluator("the same, brought to the total", _of("credit", "leave_one_out")),
    "due": Evaluator(
        "what the run's own norm gives an agent", lambda row, agent: _by_norm(row).get(agent)
    ),
    "shapley": Evaluator("an agent's Shapley value", _of("credit", "shapley")),
    "share": Evaluator("an agent's part of all payoffs", _of("payoffs", part=True)),
    "shapley_share": Evaluator(
        "an agent's part of all values", _of("credit", "shapley", part=True)
    ),
    "breaches": Evaluator("an agent's breaches", conduct.breaches, better="less"),
    "bluff": Evaluator(
        "part of the offers an agent turned down before it agreed to no more", conduct.bluff
    ),
    "passes": Evaluator("turns in which an agent took no action", conduct.passes),
    "unusable": Evaluator("those without an answer of use", conduct.unusable, better="less"),
    "done": Evaluator("how often an action was taken", conduct.done),
    "refused": Evaluator("drafts sent back with a label", conduct.refusals, better="less"),
    "guess_error": Evaluator("mean error of what an agent thinks tasks are worth to others"),
    "distance": Evaluator(
        "of an exchange, to a solution: nash, kalai_smorodinsky, egalitarian, utilitarian; in a "
        "table of payoffs, to what an arbiter makes of W(∅): nash, kalai_smorodinsky, "
        "fixed_split, random_split",
        arbiters.distance,
        better="less",
    ),
    "effect": Evaluator("how often an effect is in the record", conduct.effects),
}
"""Measures of one agent, action or effect, by key."""
