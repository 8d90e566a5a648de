"""Credit computed from a run's record: each agent's baseline payoff, value, and payoff due."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from shapley_coop.state.evaluated import EvaluatedTable
from shapley_coop.state.table import Table


def credit_by(evaluated: EvaluatedTable, payoffs: Mapping[str, float], norm: str) -> dict[str, Any]:
    """Return each agent's credit in a finished run, in the game's unit, as JSON.

    Args:
        evaluated: the last state of the run.
        payoffs: agent → the agent's payoff in the run.
        norm: the norm that computes the values.

    Raises:
        ValueError: no baseline is declared, or the norm does not exist.
    """
    baseline = evaluated.game.baseline
    if evaluated.game.analysis.credit_rule == "record" and baseline.no_value:
        raise ValueError(baseline.no_value)
    found = evaluated.attribution(norm)
    return {
        "agents": list(evaluated.agents),
        "norm": norm,
        "rule": evaluated.game.analysis.credit_rule,
        "method": found.method,
        "baseline": baseline.words,
        "warning": baseline.warning,
        "improvement": float(found.total),
        "alone": _numbers(found.at_baseline) if found.at_baseline else None,
        "values": _numbers(found.values),
        "standard_error": found.standard_error,
        "marginal": _numbers(found.marginal),
        "due": _numbers(found.payoffs(evaluated.total)),
        "payoff": dict(payoffs),
    }


def with_baseline(table: Table, absent: str | Mapping[str, str]) -> EvaluatedTable:
    """Return the table with another baseline (a word, or agent → action) in its settings."""
    settings = dict(table["settings"])
    if isinstance(absent, str):
        settings["absent"] = absent
    else:
        params = {**settings["params"], "absent": dict(absent)}
        settings |= {"absent": "", "params": params}
    episode = f"{table.get('episode', '')}/{absent}"
    return EvaluatedTable({**table, "episode": episode, "settings": settings})


def _numbers(amounts: Mapping[str, Fraction]) -> dict[str, float]:
    return {agent: float(x) for agent, x in amounts.items()}
