"""The four variants of the exchange in the layouts of the paper's Tables 1 and 2.

Both tables are in Markdown and computed from a sweep of the suite `task_exchange_table`. As in the
paper, the spread of a rate is its binomial standard error. The spread of any other measure is the
sample standard deviation. Below each setting's line are the values printed in the paper. Table 2
counts the refusals and, in lines "strict", how the paper's validator, which repairs nothing, would
label each turn's first message.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from math import isfinite
from pathlib import Path
from typing import Any

from shapley_coop.evals.cell import Row
from shapley_coop.evals.measures.evaluators import find, score
from shapley_coop.extensions.exchange.measures import VARIANTS
from shapley_coop.extensions.reports.layout import UNKNOWN, digits, markdown, number, printed_value
from shapley_coop.extensions.reports.stats import Estimate
from shapley_coop.extensions.reports.summary import conditions, estimate
from shapley_coop.extensions.sweeps.suite import Suite, TableSpec, load_suite

SUITE = "task_exchange_table"
SCENARIO, GRAPH = "scenario", "graph"
REFUSED, STRICT = "refused:", "strict:"

PAPER_LABELS = ("UNK", "MAT", "OVL", "MPT", "MET", "MDA", "EMP")
"""The labels of refusals, in the order of the paper's Table 2."""

Cells = Callable[[Sequence[Row]], list[str]]


def exchange_suite(
    scenarios: Sequence[str], seats: Mapping[str, Any], seeds: Sequence[int], preset: str = "none"
) -> Suite:
    """Return the suite `task_exchange_table` with only the workflows in `VARIANTS`.

    Args:
        scenarios: names or files of scenarios; empty for the two scenarios of the paper.
        seats: the key `seats` of the runs' configuration.
        seeds: the seeds; each condition has one run per seed.
        preset: the preset of every run, or "none".
    """
    shipped = load_suite(SUITE)
    vary = {**shipped.vary, GRAPH: list(VARIANTS)}
    if scenarios:
        vary[f"params.{SCENARIO}"] = list(scenarios)
    base = {**shipped.base, "seats": dict(seats)}
    if preset != "none":  # the key would change the hash of tables begun without a preset
        base["preset"] = preset
    own = {"base": base, "vary": vary, "seeds": list(seeds)}
    # The suite's figures show the paper's scenarios and are no part of these tables.
    return Suite.model_validate({**shipped.model_dump(), **own, "compare": "", "figures": []})


def played_as(suite: Suite) -> str:
    """Return a name for a suite's runs: a hash of the suite (without its seeds) and its files."""
    files = [(name, Path(name)) for name in suite.axes[SCENARIO]]
    contents = [sha256(p.read_bytes()).hexdigest() if p.is_file() else name for name, p in files]
    played = [suite.base, suite.vary, *contents]
    return f"{SUITE}_{sha256(json.dumps(played).encode()).hexdigest()[:8]}"


def table_1(rows: Sequence[Row], suite: Suite) -> str:
    """Return the table of outcomes. Guess errors and tokens per agreement are not in the paper.

    Args:
        rows: the rows of the suite's runs.
        suite: the suite, whose first `printed` table has the paper's values.
    """
    agents = dict.fromkeys(agent for row in rows for agent in row["result"]["agents"])
    columns = {
        "agreement": "Agreement",
        "error": "Error",
        "turns": "Turns",
        **{f"payoff:{agent}": agent for agent in agents},
        "social_welfare": "SW",
        "pareto_distance": "L2",
        **{f"guess_error:{agent}": f"{agent}'s guess" for agent in agents},
    }

    def cells(runs: Sequence[Row]) -> list[str]:
        agreed = sum(_values(runs, "agreement"))
        tokens = sum(_values(runs, "tokens"))
        measured = [plus_minus(column, estimate(runs, column)) for column in columns]
        return [str(len(runs)), *measured, f"{tokens / agreed:.0f}" if agreed else UNKNOWN]

    heads = ["n", *columns.values(), "Tokens per agreement"]
    return _table(rows, suite.tables[0], heads, cells, [*columns, ""])


def table_2(rows: Sequence[Row], suite: Suite) -> str:
    """Return the table of refused proposals by label; labels that the paper lacks come last.

    Lines "strict" count the turns' first messages by the label of the paper's validator.

    Args:
        rows: the rows of the suite's runs.
        suite: the suite, whose second `printed` table has the paper's values.
    """
    measured = {key for row in rows for key in row["result"]["measures"]}
    found = {k.split(":")[1] for k in measured if k.startswith((REFUSED, STRICT))}
    labels = [*PAPER_LABELS, *sorted(found - {*PAPER_LABELS})]

    def count(runs: Sequence[Row], of: str, kind: str) -> list[str]:
        told = [row["result"]["measures"] for row in runs]
        n = sum(own.get(of, 0) for own in told)
        if not n:
            return [UNKNOWN] * (1 + len(labels))
        counts = [sum(own.get(f"{kind}{label}", 0) for own in told) for label in labels]
        return [f"{n:.0f}", *(f"{k:.0f} ({100 * k / n:.2f} %)" for k in counts)]

    return _table(
        rows,
        suite.tables[1],
        ["Attempts", *labels],
        lambda runs: count(runs, "attempts", REFUSED),
        [f"{REFUSED}{label}" for label in labels],
        strict=lambda runs: count(runs, "first_messages", STRICT),
    )


def plus_minus(column: str, found: Estimate) -> str:
    """Return a measure in the paper's format: value ± spread, or a dash without runs."""
    if not found.n:
        return UNKNOWN
    rate = find(column)[0].kind == "rate"
    unit, scale, places = (" %", 100, 1) if rate else ("", 1, digits(column))
    places = 3 if column == "pareto_distance" else places
    spread = f" ± {number(scale * found.spread, places)}" if isfinite(found.spread) else ""
    return f"{number(scale * found.value, places)}{spread}{unit}"


def _table(
    rows: Sequence[Row],
    spec: TableSpec,
    heads: Sequence[str],
    cells: Cells,
    columns: Sequence[str],
    strict: Cells | None = None,
) -> str:
    """Return a Markdown table with a line per scenario and setting, and lines of printed values."""
    lines = []
    for group in conditions(rows, [SCENARIO, GRAPH]):
        scenario, setting = group.labels[SCENARIO], VARIANTS[group.labels[GRAPH]]
        lines.append([scenario, setting, *cells(group.rows)])
        if strict:
            lines.append([scenario, f"{setting}, strict", *strict(group.rows)])
        values = [printed_value(spec, group.labels, column) for column in columns]
        if any(values):
            lines.append([scenario, f"{setting}, printed", "", *values])
    return markdown(["Scenario", "Setting", *heads], lines)


def _values(rows: Sequence[Row], column: str) -> list[float]:
    return [x for row in rows if (x := score(row, column)) is not None]
