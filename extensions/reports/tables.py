"""Tidy tables of a sweep: one line per observation, one table per kind of observation.

============  ====================================================================================
runs          a run: its condition, its status, every measure of `evaluators`, and measures with
              an argument that the suites' tables and figures show
offers        a public message: author, time, the offer in words and its payoffs if it is kept
actions       an agent's turn: its action and reward
clauses       a signed clause: its turns in force, its terms, its duties and breaches
settlements   an agent in a run: reward, payoff, baseline, value, claim, shares, and its conduct:
              breaches, passes, and passes without a usable answer
calls         a call to a seat: model, act, attempt, tokens, and if known the cached and reasoning
              tokens (for a remote run: sums by agent and phase)
timings       a turn's phase: wall time in seconds; volatile: it differs between equal runs
============  ====================================================================================

Only `timings` needs more than the runs' rows. First columns: the cell's id, its suite and labels.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from shapley_coop.evals.cell import Row
from shapley_coop.evals.measures import conduct
from shapley_coop.evals.measures.evaluators import EVALUATORS, score, scores
from shapley_coop.evals.prices import NO_PRICES, Prices
from shapley_coop.extensions.sweeps.store import Store
from shapley_coop.extensions.sweeps.suite import Suite
from shapley_coop.extras import require_extra
from shapley_coop.state.outcome import values_of

with require_extra("reports", "a table of runs"):
    import polars as pl

Tables = dict[str, pl.DataFrame]
Line = dict[str, Any]

PART = 500
"""The number of runs whose tables are made at a time."""

_TYPES = {"text": pl.String, "int": pl.Int64, "float": pl.Float64, "bool": pl.Boolean}


def _columns(listed: str) -> dict[str, Any]:
    """Return column → type, from a list of `name:type`."""
    pairs = (column.split(":") for column in listed.split())
    return {name: _TYPES[kind] for name, kind in pairs}


COLUMNS = {
    "runs": _columns(
        "graph:text game:text seed:int repetition:int agents:int status:text simulated:bool "
        "cost:float"
    ),
    "offers": _columns(
        "message:text topic:text turn:int round:int by:text act:text revision:int about:int "
        "label:text text:text offer:text would_pay:text"
    ),
    "actions": _columns("turn:int agent:text action:text reward:float pot:float"),
    "clauses": _columns(
        "clause:text kind:text from_turn:int to_turn:int in_words:text duties:int breaches:int "
        "terms:text"
    ),
    "settlements": _columns(
        "agent:text model:text reward:float payoff:float value:float standard_error:float "
        "payoff_share:float recorded_share:float claimed_share:float refused:int baseline:float "
        "marginal:float leave_one_out:float breaches:int passes:int unusable:int"
    ),
    "calls": _columns(
        "agent:text act:text attempt:int model:text letter:text calls:int input_tokens:int "
        "output_tokens:int cached_tokens:int reasoning_tokens:int batched:bool cut:bool"
    ),
    "timings": _columns("turn:int phase:text seconds:float"),
}
"""Table → column → type; cell and labels precede these, and in `runs` the measures follow."""


@dataclass(frozen=True)
class Layout:
    """The columns that all parts of a sweep's tables share.

    Attributes:
        axes: the axes of the sweep's suites; each axis is a column.
        columns: the measures with an argument that are columns of the table `runs`.
    """

    axes: tuple[str, ...]
    columns: tuple[str, ...]

    @classmethod
    def of(cls, suites: Sequence[Suite]) -> "Layout":
        """Return the report layout of suites: the measures that their tables and figures name."""
        with_argument = (c for suite in suites for c in suite.columns if ":" in c)
        axes = (axis for suite in suites for axis in suite.axes)
        return cls(tuple(dict.fromkeys(axes)), tuple(dict.fromkeys(with_argument)))


def tables(
    folder: Path, prices: Prices = NO_PRICES, measured: Callable[[], Any] = lambda: None
) -> Iterator[Tables]:
    """Yield a sweep's tables for `PART` runs at a time, as memory may not hold all runs.

    Args:
        folder: the sweep's folder.
        prices: the prices for the runs' cost.
        measured: called after each run's measures are computed, the slowest step.
    """
    with Store(folder) as store:
        layout, runs = Layout.of(store.suites), store.rows().timed()
        first = True
        while (part := list(islice(runs, PART))) or first:
            rows = [row for row, _ in part]
            found = of_rows(rows, prices, layout, measured)
            volatile = {row["cell"]: times for row, times in part}
            yield {**found, "timings": timings(rows, volatile, layout)}
            first = False


def of_rows(
    rows: Sequence[Row],
    prices: Prices,
    layout: Layout,
    measured: Callable[[], Any] = lambda: None,
) -> Tables:
    """Return the tables that depend only on the rows, in the rows' order.

    Args:
        rows: the runs.
        prices: the prices for the runs' cost.
        layout: the layout of the sweep's tables.
        measured: called after each run's measures are computed.
    """
    makers: dict[str, Callable[[Row], Iterable[Line]]] = {
        "offers": _offers,
        "actions": _actions,
        "clauses": _clauses,
        "settlements": _settlements,
        "calls": lambda row: row["calls"],
    }
    made: dict[str, list[Line]] = {"runs": []}
    for row in rows:
        more = {column: score(row, column) for column in layout.columns}
        made["runs"].append({**_label_line(row), **_run(row, prices), **more})
        measured()
    for name, lines in makers.items():
        made[name] = [{**_label_line(row), **line} for row in rows for line in lines(row)]
    return {name: _frame(name, lines, layout) for name, lines in made.items()}


def timings(rows: Sequence[Row], volatile: Mapping[str, Row], layout: Layout) -> pl.DataFrame:
    """Return the wall time by turn and phase; turn 0 means a run without times by turn."""
    lines = []
    for row in rows:
        timed = volatile.get(row["cell"], {})
        lines += [
            {**_label_line(row), "turn": turn.get("turn", 0), "phase": phase, "seconds": seconds}
            for turn in timed.get("turns") or [timed.get("phases", {})]
            for phase, seconds in turn.items()
            if phase != "turn"
        ]
    return _frame("timings", lines, layout)


def whole(parts: Iterable[Tables]) -> Tables:
    """Return each table whole, concatenated in memory from the parts that `tables` yields."""
    found: dict[str, list[pl.DataFrame]] = {}
    for part in parts:
        for name, frame in part.items():
            found.setdefault(name, []).append(frame)
    return {name: pl.concat(frames) for name, frames in found.items()}


def _frame(name: str, lines: Sequence[Line], layout: Layout) -> pl.DataFrame:
    schema = _columns("cell:text suite:text")
    schema |= {f"axis_{axis}": pl.String for axis in layout.axes} | COLUMNS[name]
    if name == "runs":
        schema |= dict.fromkeys([*EVALUATORS, *layout.columns], pl.Float64)
    return pl.DataFrame(lines, schema=schema, orient="row")


def _label_line(row: Row) -> Line:
    labels = {f"axis_{axis}": label for axis, label in row["labels"].items()}
    return {"cell": row["cell"], "suite": row["suite"], **labels}


def _run(row: Row, prices: Prices) -> Line:
    outcome = row["result"]
    known = prices.know(call["model"] for call in row["calls"])
    return {
        "graph": row["graph"],
        "game": outcome["game"],
        "seed": row["seed"],
        "repetition": row["repetition"],
        "agents": len(outcome["agents"]),
        "status": outcome["status"],
        "simulated": outcome["simulated"],
        "cost": prices.cost(row["calls"]) if known else None,
        **scores(row),
    }


def _offers(row: Row) -> Iterator[Line]:
    for said in row["offers"]:
        pays = said.get("would_pay")
        yield {
            **said,
            "message": said["id"],
            "revision": said.get("puts"),
            "offer": said.get("in_words"),
            "would_pay": pays and json.dumps(pays, ensure_ascii=False),
        }


def _actions(row: Row) -> Iterator[Line]:
    for turn in row["record"]:
        for agent in row["result"]["agents"]:
            yield {
                "turn": turn["turn"],
                "agent": agent,
                "action": turn["actions"].get(agent),
                "reward": turn["rewards"].get(agent, 0),
                "pot": turn.get("pot", 0),
            }


def _clauses(row: Row) -> Iterator[Line]:
    for term in row["clauses"]:
        terms = json.dumps(term["clause"], ensure_ascii=False, sort_keys=True)
        yield {**term, "clause": term["id"], "kind": term["clause"]["kind"], "terms": terms}


def _settlements(row: Row) -> Iterator[Line]:
    outcome, credit = row["result"], row["result"]["credit"]
    total = sum(outcome["payoffs"].values())
    errors = credit["standard_error"] or {}
    own, known = outcome.get("measures", {}), conduct.of_row(row)
    for agent in outcome["agents"]:
        payoff, claim = outcome["payoffs"][agent], credit["claims"].get(agent, {})
        yield {
            "agent": agent,
            "model": outcome["seats"][agent],
            "reward": outcome["rewards"][agent],
            "payoff": payoff,
            "value": values_of(credit).get(agent),
            "standard_error": errors.get(agent),
            "payoff_share": payoff / total if total > 0 else None,
            "recorded_share": claim.get("recorded"),
            "claimed_share": claim.get("claimed"),
            "refused": row["refused"].get(agent, 0),
            "baseline": score(row, f"baseline:{agent}"),
            **{key: credit[key].get(agent) for key in ("marginal", "leave_one_out")},
            **{
                key: int(own.get(f"{key}:{agent}", count(known[agent])))
                for key, count in conduct.COUNTS.items()
            },
        }
