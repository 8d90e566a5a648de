"""What `coop credit RUN` reports: values of an ended run, by its own or another baseline."""

import asyncio
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from shapley_coop.credit import can_settle
from shapley_coop.graphs.threads import table_of
from shapley_coop.state import EvaluatedTable, Table, home

COMPARED = ("shapley", "banzhaf_normalised", "nucleolus", "leave_one_out", "proportional")
"""The norms whose rankings of the agents are compared; an equal split ranks nobody."""

BASELINES = ("away", "idle")
"""Baselines that every game has; a game's own is compared with them."""

MOST_AGENTS = 8
"""Up to here rankings are compared."""


async def credit_of_run(run: str, by: str, absent: str = "") -> dict[str, Any]:
    """Return each agent's baseline, value, and what they come to.

    Args:
        run: the name of an ended run.
        by: a norm.
        absent: another baseline than the run's; it reports, and settles nothing.

    Raises:
        ValueError: there is no such run, it has not ended, or the norm or baseline is wrong.
    """
    known = await asyncio.to_thread(home().runs.get, run)
    if known.result is None:
        raise ValueError(f"{run} has not ended: coop resume {run}")
    table = await table_of(known)
    return await asyncio.to_thread(_report, table, known.result, by, absent)


def _report(table: Table, result: Mapping[str, Any], by: str, absent: str) -> dict[str, Any]:
    evaluated = _compared_with(table, absent)
    found = evaluated.attribution(by)
    return {
        "agents": list(evaluated.agents),
        "norm": by,
        "rule": evaluated.game.credit_rule,
        "method": found.method,
        "baseline": evaluated.game.baseline.words,
        "improvement": float(found.total),
        "alone": _numbers(found.alone) if found.alone else None,
        "values": _numbers(found.values),
        "standard_error": found.standard_error,
        "marginal": _numbers(found.marginal),
        "due": _numbers(found.payoffs(evaluated.total)),
        "payoff": result["payoffs"],
        "sensitivity": _sensitivity(table, evaluated, by),
    }


def _compared_with(table: Table, absent: str) -> EvaluatedTable:
    """Return the table under another baseline, or as it is."""
    if not absent:
        return EvaluatedTable(table)
    settings = {**table["settings"], "absent": absent}
    return EvaluatedTable(
        {**table, "episode": f"{table['episode']}/{absent}", "settings": settings}
    )


def _sensitivity(table: Table, evaluated: EvaluatedTable, by: str) -> list[str]:
    """Say where the ranking of the agents depends on the norm or on the baseline."""
    if len(evaluated.agents) > MOST_AGENTS:
        return []
    own = _ranking(evaluated, by)
    norms = [n for n in COMPARED if n != by and can_settle(n, len(evaluated.agents))]
    other = [n for n in norms if _ranking(evaluated, n) != own]
    said = [f"the ranking of the agents is another by {', '.join(other)}"] if other else []
    if evaluated.game.credit_rule != "record" or evaluated.game.baseline.kind == "nothing":
        return said
    kinds = [k for k in BASELINES if k != evaluated.game.baseline.kind]
    moved = [k for k in kinds if _ranking(_compared_with(table, k), by) != own]
    if moved:
        said.append(f"the ranking of the agents is another with the baseline {', '.join(moved)}")
    return said or ["the ranking of the agents is the same by the other norms and baselines"]


def _ranking(evaluated: EvaluatedTable, by: str) -> list[list[str]]:
    """Return the agents by falling value; of equal values together."""
    values = evaluated.attribution(by).values
    levels = sorted({round(x, 6) for x in values.values()}, reverse=True)
    return [sorted(a for a, x in values.items() if round(x, 6) == level) for level in levels]


def _numbers(amounts: Mapping[str, Fraction]) -> dict[str, float]:
    return {agent: float(x) for agent, x in amounts.items()}
