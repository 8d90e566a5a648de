"""The four variants of the exchange in the layouts of the paper's Tables 1 and 2.

Both are made from the rows of a sweep of the suite `task_exchange_table`, in Markdown. As in the
paper, rates come with their binomial standard error and everything else with the sample standard
deviation. What the paper prints stands under the setting that it is about.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from math import isfinite
from pathlib import Path
from typing import Any

from shapley_coop.evals.measures.evaluators import find, score
from shapley_coop.evals.measures.exchange import VARIANTS
from shapley_coop.evals.measures.stats import Estimate
from shapley_coop.evals.measures.summary import conditions, estimate
from shapley_coop.evals.reports.layout import UNKNOWN, digits, markdown, number, printed_value
from shapley_coop.evals.sweeps.stored import Row
from shapley_coop.evals.sweeps.suite import Suite, TableSpec, load_suite

SUITE = "task_exchange_table"
SCENARIO, GRAPH = "scenario", "graph"
REFUSED = "refused:"

PAPER_LABELS = ("UNK", "MAT", "OVL", "MPT", "MET", "MDA", "EMP")
"""In the order of the paper's Table 2."""

Cells = Callable[[Sequence[Row]], list[str]]


def exchange_suite(
    scenarios: Sequence[str], seats: Mapping[str, Any], seeds: Sequence[int]
) -> Suite:
    """Return the shipped suite with the four variants alone.

    Args:
        scenarios: names or files; empty takes the paper's two.
        seats: who answers.
        seeds: one run of each condition for each.
    """
    shipped = load_suite(SUITE)
    vary = {**shipped.vary, GRAPH: list(VARIANTS)}
    if scenarios:
        vary[f"params.{SCENARIO}"] = list(scenarios)
    own = {"base": {**shipped.base, "seats": dict(seats)}, "vary": vary, "seeds": list(seeds)}
    # Its figures are of the paper's scenarios, and no part of these tables.
    return Suite.model_validate({**shipped.model_dump(), **own, "compare": "", "figures": []})


def played_as(suite: Suite) -> str:
    """A name for what a suite plays, whatever the seeds; a changed file gives another one."""
    files = [(name, Path(name)) for name in suite.axes[SCENARIO]]
    contents = [sha256(p.read_bytes()).hexdigest() if p.is_file() else name for name, p in files]
    played = [suite.base, suite.vary, *contents]
    return f"{SUITE}_{sha256(json.dumps(played).encode()).hexdigest()[:8]}"


def table_1(rows: Sequence[Row], suite: Suite) -> str:
    """Outcomes; beyond the paper, each agent's error about the others, and tokens an agreement.

    Args:
        rows: of the suite's runs.
        suite: what the paper prints is in its first table.
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
    """Refused proposals, part of all that were tried; labels that the paper does not have are last.

    Args:
        rows: of the suite's runs.
        suite: what the paper prints is in its second table.
    """
    counted = {key for row in rows for key in row["result"]["measures"] if key.startswith(REFUSED)}
    ours = sorted(counted - {f"{REFUSED}{label}" for label in PAPER_LABELS})
    columns = [*(f"{REFUSED}{label}" for label in PAPER_LABELS), *ours]

    def cells(runs: Sequence[Row]) -> list[str]:
        attempts = sum(row["result"]["measures"]["attempts"] for row in runs)
        counts = [sum(_values(runs, column)) for column in columns]
        shares = [f"{n:.0f} ({100 * n / max(1, attempts):.2f} %)" for n in counts]
        return [f"{attempts:.0f}", *shares]

    heads = ["Attempts", *(column.removeprefix(REFUSED) for column in columns)]
    return _table(rows, suite.tables[1], heads, cells, columns)


def plus_minus(column: str, found: Estimate) -> str:
    """A measure as the paper prints it; a dash without runs, no spread where there is none."""
    if not found.n:
        return UNKNOWN
    rate = find(column)[0].kind == "rate"
    unit, scale, places = (" %", 100, 1) if rate else ("", 1, digits(column))
    places = 3 if column == "pareto_distance" else places
    spread = f" ± {number(scale * found.spread, places)}" if isfinite(found.spread) else ""
    return f"{number(scale * found.value, places)}{spread}{unit}"


def _table(
    rows: Sequence[Row], spec: TableSpec, heads: Sequence[str], cells: Cells, columns: Sequence[str]
) -> str:
    """A line for each scenario and setting, and one more for what the paper prints about it."""
    lines = []
    for group in conditions(rows, [SCENARIO, GRAPH]):
        scenario, setting = group.labels[SCENARIO], VARIANTS[group.labels[GRAPH]]
        lines.append([scenario, setting, *cells(group.rows)])
        values = [printed_value(spec, group.labels, column) for column in columns]
        if any(values):
            lines.append([scenario, f"{setting}, printed", "", *values])
    return markdown(["Scenario", "Setting", *heads], lines)


def _values(rows: Sequence[Row], column: str) -> list[float]:
    return [x for row in rows if (x := score(row, column)) is not None]
