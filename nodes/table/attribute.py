"""The node that computes each agent's marginal contribution and value from the record."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from shapley_coop.amounts import plain
from shapley_coop.state.evaluated import EvaluatedTable
from shapley_coop.state.settlement import nothing_left
from shapley_coop.state.table import Table


def attribute(table: Table) -> dict[str, Any]:
    """Compute outcome, marginal contributions and values (Shapley-Coop, Eqs. 7-9, steps 1 to 3).

    Verdicts: `settled` (nothing is left to bargain over; `reckoning` says why) and `bargain`.
    """
    evaluated = EvaluatedTable(table)
    found = evaluated.attribution(evaluated.config.norm)
    reckoning: dict[str, Any] = {
        "norm": found.norm,
        "method": found.method,
        "total": plain(evaluated.total),
        "marginal": _plain(found.marginal),
        "values": _plain(found.values),
        "payoffs": _plain(found.payoffs(evaluated.total)),
    }
    if found.standard_error:
        reckoning["standard_error"] = found.standard_error
    if found.at_baseline is not None:
        reckoning["compares_with"] = evaluated.game.baseline.words
        reckoning["baseline"] = _plain(found.at_baseline)
        reckoning["improvement"] = plain(evaluated.total - sum(found.at_baseline.values()))
    if why := nothing_left(evaluated):
        reckoning["skipped"] = why
    return {"reckoning": reckoning, "verdict": "settled" if why else "bargain"}


def _plain(amounts: Mapping[str, Fraction]) -> dict[str, str]:
    return {agent: plain(x) for agent, x in amounts.items()}
