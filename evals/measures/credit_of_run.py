"""The report of `coop credit RUN`: values of an ended run, under its own or another baseline."""

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

from shapley_coop.evals.measures.credit import credit_by, with_baseline
from shapley_coop.extension import load, offered, only
from shapley_coop.graphs.finding import run_of
from shapley_coop.graphs.threads import table_of
from shapley_coop.state.evaluated import EvaluatedTable
from shapley_coop.state.resuming import result_of
from shapley_coop.state.table import Table


async def credit_of_run(
    run: str,
    by: str,
    absent: str = "",
    dice: int = 0,
    replay: str = "",
    done: Callable[[], Any] = lambda: None,
) -> dict[str, Any]:
    """Return each agent's baseline payoff, its value, and their sum, the payoff due.

    Args:
        run: the name of an ended run.
        by: the norm that computes the values.
        absent: a baseline that replaces the run's baseline in this report, not in its settlement.
        dice: on how many other seeds the recorded actions are replayed.
        replay: the name of another way to replay coalitions (`Extension.replays`), or "".
        done: a function called after each replay, to show the progress.

    Raises:
        ValueError: the run does not exist, it has not ended, no baseline is declared, or the
            norm or baseline is wrong.
    """
    known = await run_of(run)
    result = result_of(known)
    table = await table_of(known)
    evaluated = with_baseline(table, absent) if absent else EvaluatedTable(table)
    report = await asyncio.to_thread(_report, table, evaluated, result, by)
    if dice:
        on_others = only("dice", "--dice: no extension that replays on other dice is installed")
        report["dice"] = await asyncio.to_thread(on_others, evaluated, by, dice, done)
    if replay:
        again = load("replays", replay)
        report[replay] = await asyncio.to_thread(again, evaluated, by, done)
    return report


def _report(
    table: Table,
    evaluated: EvaluatedTable,
    result: Mapping[str, Any],
    by: str,
) -> dict[str, Any]:
    beside = {name: load("credits", name)(evaluated, by) for name in offered("credits")}
    return {
        **credit_by(evaluated, result["payoffs"], by),
        "passed": _count_passes(table),
        **beside,
    }


def _count_passes(table: Table) -> dict[str, int]:
    """Return agent → the number of its passes, for the agents that passed."""
    effects = [e for turn in table.get("record", []) for e in turn.get("effects", [])]
    who = [e["agent"] for e in effects if e["effect"] == "pass"]
    return {agent: who.count(agent) for agent in table["agents"] if agent in who}
