"""Evaluators: the measures of a run, each a number computed from the run's row.

`score(row, "payoff:Alice")` computes one measure, here with an argument after the colon. A measure
that a run does not have, such as adherence without a contract, is None. Statistics skip such runs.
A workflow may compute measures itself: its result's `measures` override the values computed here.

>>> from shapley_coop.evals.measures.evaluators import EVALUATORS
>>> EVALUATORS["adherence"].about
'part of all duties that fell due and were kept'
"""

from dataclasses import dataclass
from typing import Literal

from shapley_coop import extension
from shapley_coop.evals.cell import Row
from shapley_coop.evals.measures import conduct, payoffs
from shapley_coop.evals.measures.payoffs import Read, amount_of, value_of
from shapley_coop.files import no_such

Kind = Literal["rate", "mean"]


@dataclass(frozen=True)
class Evaluator:
    """A measure that is computed for each run.

    Attributes:
        about: the definition in words; amounts are in the game's unit unless stated otherwise.
        read: computes the number from a row and the argument after the colon; None if only the
            workflow or a price list provides the number, in the result's `measures`.
        kind: "rate" if each run has 0 or 1, with a binomial interval; else "mean".
        better: "more" if larger values are better, "less" if smaller ones are, "" if neither.
    """

    about: str
    read: Read | None = None
    kind: Kind = "mean"
    better: Literal["more", "less", ""] = ""


def score(row: Row, column: str) -> float | None:
    """Return a run's value of the measure that a column names: `key` or `key:argument`.

    Raises:
        ValueError: the measure does not exist.
    """
    evaluator, argument = find(column)
    own = row["result"].get("measures", {})
    if column in own:
        return None if own[column] is None else float(own[column])
    found = evaluator.read(row, argument) if evaluator.read else None
    # Amounts are whole millionths; rounding removes the floating-point error of their sums.
    return None if found is None else round(float(found), 9)


def find(column: str) -> tuple[Evaluator, str]:
    """Return the measure that a column names, and its argument or "".

    Raises:
        ValueError: the measure does not exist, or its argument is missing or superfluous.
    """
    key, colon, argument = column.partition(":")
    if key in EVALUATORS and not colon:
        return EVALUATORS[key], ""
    if key in WITH_ARGUMENT and argument:
        return WITH_ARGUMENT[key], argument
    known = [*EVALUATORS, *(f"{key}:…" for key in WITH_ARGUMENT)]
    raise ValueError(no_such("measure", column, known))


def scores(row: Row) -> dict[str, float | None]:
    """Return the values of all measures without an argument, by key."""
    return {key: score(row, key) for key in EVALUATORS}


def _agreement(row: Row, _: str) -> float | None:
    status = row["result"]["status"]
    return None if status == "error" else status == "agreed"


def _read_status(status: str) -> Read:
    return lambda row, _: row["result"]["status"] == status


def _read_extension(key: str) -> Read:
    """Return a function that gives an extension's measure, or None if it is not installed."""

    def read(row: Row, argument: str) -> float | None:
        if key not in extension.offered("measures"):
            return None
        found: float | None = extension.load("measures", key)(row, argument)
        return found

    return read


def _read_win(row: Row, _: str) -> float | None:
    ends = [conduct.effects(row, "won"), conduct.effects(row, "lost")]
    return ends[0] if any(ends) else None


def _format_errors(row: Row, _: str) -> float | None:
    calls = _calls(row, "")
    return sum(row["refused"].values()) / calls if calls else None


def _calls(row: Row, _: str) -> float:
    return float(row["result"]["usage"]["calls"])


def _tokens(row: Row, _: str) -> float:
    return float(sum(row["result"]["usage"][key] for key in ("input_tokens", "output_tokens")))


EVALUATORS: dict[str, Evaluator] = {
    "agreement": Evaluator(
        "part of the runs without error that ended in agreement", _agreement, "rate", "more"
    ),
    "error": Evaluator("the run ended with an error", _read_status("error"), "rate", "less"),
    "budget": Evaluator(
        "a limit of the budget ended the run", _read_status("budget"), "rate", "less"
    ),
    "social_welfare": Evaluator("sum of all payoffs", payoffs.welfare, better="more"),
    "efficiency": Evaluator(
        "social welfare as a part of the best total", payoffs.efficiency, better="more"
    ),
    "cooperation": Evaluator(
        "the payoffs sum to the best total", payoffs.cooperation, "rate", "more"
    ),
    "won": Evaluator("the team won the game", _read_win, "rate", "more"),
    "pareto_distance": Evaluator(
        "distance to the nearest efficient payoffs, if known", payoffs.pareto, better="less"
    ),
    "nash_distance": Evaluator(
        "distance to the Nash bargaining solution, if known", payoffs.nash, better="less"
    ),
    "individual_rationality": Evaluator(
        "part of agents i with payoff_i ≥ W_i(∅), i's payoff if all follow the baseline; without a "
        "baseline, with payoff_i ≥ what i secures alone",
        payoffs.rational,
        better="more",
    ),
    "shapley_distance": Evaluator(
        "mean distance of the payoffs from the Shapley payoffs by the run's record",
        payoffs.shapley_distance,
        better="less",
    ),
    "share_distance": Evaluator(
        "mean distance between an agent's parts of the payoffs and of the Shapley payoffs",
        payoffs.share_distance,
        better="less",
    ),
    "norm_distance": Evaluator(
        "mean distance of the payoffs from those by the run's norm",
        payoffs.norm_distance,
        better="less",
    ),
    "over_claim": Evaluator(
        "mean part of the improvement that is claimed beyond an agent's value",
        payoffs.over_claim,
        better="less",
    ),
    "adherence": Evaluator(
        "part of all duties that fell due and were kept", conduct.adherence, better="more"
    ),
    "breaches": Evaluator("duties that were broken", conduct.breaches, better="less"),
    "bluff": Evaluator(
        "part of refused offers after which the refuser agreed to nothing better", conduct.bluff
    ),
    "passes": Evaluator("turns in which an agent was asked and took no action", conduct.passes),
    "unusable": Evaluator(
        "passes for lack of a readable and legal answer", conduct.unusable, better="less"
    ),
    "budget_balance": Evaluator("payoffs minus rewards; must be 0", payoffs.balance),
    "format_errors": Evaluator("refused drafts per call", _format_errors, better="less"),
    "first_advantage": Evaluator(
        "first speaker's payoff minus the others' mean", payoffs.first_advantage
    ),
    "turns": Evaluator("turns played", lambda row, _: row["result"]["turns_played"]),
    "messages": Evaluator("public messages", lambda row, _: len(row["offers"])),
    "rounds_of_talk": Evaluator("rounds of talk", lambda row, _: row["result"]["rounds_of_talk"]),
    "calls": Evaluator("calls to seats", _calls, better="less"),
    "tokens": Evaluator("input and output tokens", _tokens, better="less"),
    "cost": Evaluator("cost in USD, if all models have prices", better="less"),
    "guess_error": Evaluator("mean error of agents' guesses of others' utilities"),
    "payoff_estimate_error": Evaluator(
        "mean error of agents' estimates of the best total", better="less"
    ),
    "externality_right": Evaluator(
        "part of the estimated externalities with the right sign by the record", better="more"
    ),
    "price_error": Evaluator(
        "mean error of agents' prices, compared with the Shapley payoffs", better="less"
    ),
}
"""Key → measure, for all measures without an argument."""

WITH_ARGUMENT: dict[str, Evaluator] = {
    "payoff": Evaluator("an agent's payoff", amount_of("payoffs")),
    "reward": Evaluator("an agent's earnings before the settlement", amount_of("rewards")),
    "baseline": Evaluator("W_i(∅): an agent's payoff if nobody takes part", payoffs.baseline),
    "marginal": Evaluator("an agent's marginal contribution", amount_of("credit", "marginal")),
    "leave_one_out": Evaluator(
        "an agent's marginal contribution, scaled so that all sum to the total",
        amount_of("credit", "leave_one_out"),
    ),
    "due": Evaluator(
        "an agent's payoff by the run's norm", lambda row, agent: payoffs.by_norm(row).get(agent)
    ),
    "shapley": Evaluator("an agent's Shapley value", value_of()),
    "share": Evaluator("an agent's part of all payoffs", amount_of("payoffs", part=True)),
    "shapley_share": Evaluator("an agent's part of all values", value_of(part=True)),
    "breaches": Evaluator("an agent's breaches", conduct.breaches, better="less"),
    "bluff": Evaluator(
        "part of an agent's refused offers after which it agreed to nothing better", conduct.bluff
    ),
    "passes": Evaluator("turns in which an agent took no action", conduct.passes),
    "unusable": Evaluator(
        "an agent's passes for lack of a readable and legal answer", conduct.unusable, better="less"
    ),
    "done": Evaluator("how often an action was taken", conduct.action_rate),
    "refused": Evaluator("drafts refused with a label", conduct.refusals, better="less"),
    "guess_error": Evaluator("mean error of an agent's guesses of others' utilities"),
    "distance": Evaluator(
        "distance of an exchange from a solution (nash, kalai_smorodinsky, egalitarian, "
        "utilitarian), or of a table game's payoffs from an arbiter's decision (nash, "
        "kalai_smorodinsky; if agents can pay, fixed_split, random_split)",
        _read_extension("distance"),
        better="less",
    ),
    "effect": Evaluator("how often an effect is in the record", conduct.effects),
}
"""Key → measure, for the measures with an argument, such as an agent, action or effect."""
