"""Tidy tables of a sweep: one observation a line, one kind of observation a table.

============  ====================================================================================
runs          a run: its condition, how it ended, every measure of `evaluators`, and those with an
              argument that the suites' tables and figures show
offers        a public message: who, when, the offer in words and what it would pay if kept
actions       an agent's turn: what it did and what it earned
clauses       a clause that was signed: when it stood, what it asked, how often it was broken
settlements   an agent in a run: reward, payoff, baseline, value, claim, shares, and its conduct:
              breaches, passes, and those because no answer could be used
calls         a call to a seat: model, act, attempt, tokens (of a remote run, by agent and phase)
timings       a turn's phase: wall time in seconds. Volatile: it differs between equal runs
============  ====================================================================================

Every table but `timings` is a function of the rows alone. All begin with the cell and its labels.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from shapley_coop.escaping import in_cell
from shapley_coop.evals.measures.evaluators import score, scores
from shapley_coop.evals.sweeps.prices import NO_PRICES, Prices
from shapley_coop.evals.sweeps.store import Row, make_folder, read_rows, read_volatile, suites_of


def _write_csv(frame: pl.DataFrame, path: Path) -> None:
    """Spreadsheets open it, so no text in it is a formula."""
    texts = pl.col(pl.String)
    frame.with_columns(texts.map_elements(in_cell, return_dtype=pl.String)).write_csv(path)


FORMATS: dict[str, Any] = {
    "csv": _write_csv,
    "jsonl": pl.DataFrame.write_ndjson,
    "parquet": pl.DataFrame.write_parquet,
}
Tables = dict[str, pl.DataFrame]
Line = dict[str, Any]

CONDUCT = ("breaches", "passes", "unusable")
"""Measures of an agent's conduct, told beside what it is due."""

_TYPES = {"text": pl.String, "int": pl.Int64, "float": pl.Float64, "bool": pl.Boolean}


def _columns(listed: str) -> dict[str, Any]:
    """Column → type, of a list of `name:type`."""
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
        "output_tokens:int cut:bool"
    ),
    "timings": _columns("turn:int phase:text seconds:float"),
}
"""Table → column → type, after the cell and its labels; `runs` goes on with its measures."""


def tables(
    folder: Path, prices: Prices = NO_PRICES, measured: Callable[[], Any] = lambda: None
) -> Tables:
    """All tables of a sweep's folder.

    Args:
        folder: of the sweep.
        prices: for the cost.
        measured: called after each run is measured, which takes longest.
    """
    rows = read_rows(folder)
    suites = suites_of(folder)
    specs = [spec.columns for s in suites for spec in s.tables]
    specs += [spec.columns for s in suites for spec in s.figures]
    more = list(dict.fromkeys(c for columns in specs for c in columns if ":" in c))
    found = of_rows(rows, prices, more, measured)
    return {**found, "timings": timings(rows, read_volatile(folder))}


def of_rows(
    rows: Sequence[Row],
    prices: Prices = NO_PRICES,
    columns: Sequence[str] = (),
    measured: Callable[[], Any] = lambda: None,
) -> Tables:
    """The tables that depend on nothing but the rows, in the rows' order.

    Args:
        rows: the runs.
        prices: for the cost.
        columns: measures with an argument, for `runs`.
        measured: called after each run is measured.
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
        more = {column: score(row, column) for column in columns}
        made["runs"].append({**_named(row), **_run(row, prices), **more})
        measured()
    for name, lines in makers.items():
        made[name] = [{**_named(row), **line} for row in rows for line in lines(row)]
    return {
        name: _frame(name, lines, rows, columns if name == "runs" else ())
        for name, lines in made.items()
    }


def timings(rows: Sequence[Row], volatile: Mapping[str, Row]) -> pl.DataFrame:
    """Wall time by turn and phase; turn 0 is a run whose turns nobody timed."""
    lines = []
    for row in rows:
        timed = volatile.get(row["cell"], {})
        lines += [
            {**_named(row), "turn": turn.get("turn", 0), "phase": phase, "seconds": seconds}
            for turn in timed.get("turns") or [timed.get("phases", {})]
            for phase, seconds in turn.items()
            if phase != "turn"
        ]
    return _frame("timings", lines, rows)


def write(made: Tables, folder: Path, format_: str) -> list[Path]:
    """Write every table as one file.

    Raises:
        ValueError: there is no such format, or no folder can be made.
    """
    if format_ not in FORMATS:
        raise ValueError(f"no format {format_!r}: there are {', '.join(FORMATS)}")
    make_folder(folder)
    paths = []
    for name, frame in made.items():
        path = folder / f"{name}.{format_}"
        FORMATS[format_](frame, path)
        paths.append(path)
    return paths


def _frame(
    name: str, lines: Sequence[Line], rows: Sequence[Row], columns: Sequence[str] = ()
) -> pl.DataFrame:
    axes = dict.fromkeys(axis for row in rows for axis in row["labels"])
    schema = _columns("cell:text suite:text")
    schema |= {f"axis_{axis}": pl.String for axis in axes} | COLUMNS[name]
    if name == "runs":
        schema |= dict.fromkeys([*(scores(rows[0]) if rows else ()), *columns], pl.Float64)
    return pl.DataFrame(lines, schema=schema, orient="row")


def _named(row: Row) -> Line:
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
    for agent in outcome["agents"]:
        payoff, claim = outcome["payoffs"][agent], credit["claims"].get(agent, {})
        yield {
            "agent": agent,
            "model": outcome["seats"][agent],
            "reward": outcome["rewards"][agent],
            "payoff": payoff,
            "value": credit["shapley"][agent],
            "standard_error": errors.get(agent),
            "payoff_share": payoff / total if total > 0 else None,
            "recorded_share": claim.get("recorded"),
            "claimed_share": claim.get("claimed"),
            "refused": row["refused"].get(agent, 0),
            "baseline": score(row, f"baseline:{agent}"),
            **{key: credit[key].get(agent) for key in ("marginal", "leave_one_out")},
            **{key: _whole(score(row, f"{key}:{agent}")) for key in CONDUCT},
        }


def _whole(count: float | None) -> int | None:
    return None if count is None else int(count)
