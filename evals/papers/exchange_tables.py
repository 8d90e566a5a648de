"""The four variants of the exchange in the layouts of the paper's Tables 1 and 2.

Both are made from the rows of a sweep of the suite `task_exchange_table`, in Markdown. As in the
paper, rates come with their binomial standard error √(p(1−p)/n) and everything else with the
sample standard deviation (n − 1). What the paper prints stands under the setting it is about.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import nan, sqrt
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

from shapley_coop.evals.measures.evaluators import score
from shapley_coop.evals.measures.exchange import VARIANTS
from shapley_coop.evals.measures.summary import Condition, conditions
from shapley_coop.evals.sweeps.store import Row
from shapley_coop.evals.sweeps.suite import Suite, load_suite

SUITE = "task_exchange_table"
SCENARIO, GRAPH = "scenario", "graph"

RATES, REFUSED = ("agreement", "error"), "refused:"

PAPER_LABELS = ("UNK", "MAT", "OVL", "MPT", "MET", "MDA", "EMP")
"""In the order of the paper's Table 2."""


@dataclass(frozen=True)
class Stat:
    """A mean or a rate with its spread: standard error of a rate, sample deviation of a mean."""

    value: float
    spread: float

    def shown(self, digits: int = 2, percent: bool = False) -> str:
        """As the paper prints it; a dash without runs, no spread with one."""
        if self.value != self.value:
            return "—"
        if percent:
            return f"{100 * self.value:.1f} ± {100 * self.spread:.1f} %"
        if self.spread != self.spread:
            return f"{self.value:.{digits}f}"
        return f"{self.value:.{digits}f} ± {self.spread:.{digits}f}"


def rate(outcomes: Sequence[float]) -> Stat:
    """A rate with its binomial standard error."""
    if not outcomes:
        return Stat(nan, nan)
    p = fmean(outcomes)
    return Stat(p, sqrt(p * (1 - p) / len(outcomes)))


def mean(values: Sequence[float]) -> Stat:
    """A mean with the sample standard deviation; one value has none."""
    if not values:
        return Stat(nan, nan)
    return Stat(fmean(values), stdev(values) if len(values) > 1 else nan)


def exchange_suite(
    scenarios: Sequence[str], seats: Mapping[str, Any], seeds: Sequence[int]
) -> Suite:
    """The shipped suite with the four variants alone.

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
    played = [suite.base, suite.vary, *map(_content, suite.axes[SCENARIO])]
    return f"{SUITE}_{hashlib.sha256(json.dumps(played).encode()).hexdigest()[:8]}"


def table_1(rows: Sequence[Row], suite: Suite) -> str:
    """Outcomes; beyond the paper, each agent's error about the others, and tokens an agreement.

    Args:
        rows: of the suite's runs.
        suite: what the paper prints is in its first table.
    """
    agents = list(dict.fromkeys(agent for row in rows for agent in row["result"]["agents"]))
    columns = [
        ("Agreement", "agreement", 1),
        ("Error", "error", 1),
        ("Turns", "turns", 1),
        *((agent, f"payoff:{agent}", 2) for agent in agents),
        ("SW", "social_welfare", 2),
        ("L2", "pareto_distance", 3),
        *((f"{agent}'s guess", f"guess_error:{agent}", 2) for agent in agents),
    ]
    lines = []
    for group in conditions(rows, [SCENARIO, GRAPH]):
        scenario, setting = _named(group)
        cells = [_shown(group.rows, key, digits) for _, key, digits in columns]
        lines.append([scenario, setting, str(len(group.rows)), *cells, _tokens(group.rows)])
        keys = [key for _, key, _ in columns]
        lines += [[*line, ""] for line in _printed(suite, 0, group, keys)]
    head = ["Scenario", "Setting", "n", *(title for title, *_ in columns), "Tokens per agreement"]
    return _markdown(head, lines)


def table_2(rows: Sequence[Row], suite: Suite) -> str:
    """Refused proposals, part of all that were tried; our labels last.

    Args:
        rows: of the suite's runs.
        suite: what the paper prints is in its second table.
    """
    seen = {key for row in rows for key in _own(row) if key.startswith(REFUSED)}
    ours = sorted(key.removeprefix(REFUSED) for key in seen)
    labels = [*PAPER_LABELS, *(label for label in ours if label not in PAPER_LABELS)]
    lines = []
    for group in conditions(rows, [SCENARIO, GRAPH]):
        attempts = sum(_values(group.rows, "attempts"))
        counts = [sum(_values(group.rows, f"{REFUSED}{label}")) for label in labels]
        shares = [f"{n:.0f} ({100 * n / max(1, attempts):.2f} %)" for n in counts]
        lines.append([*_named(group), f"{attempts:.0f}", *shares])
        lines += _printed(suite, 1, group, [f"{REFUSED}{label}" for label in labels])
    return _markdown(["Scenario", "Setting", "Attempts", *labels], lines)


def _named(group: Condition) -> tuple[str, str]:
    return group.labels[SCENARIO], VARIANTS[group.labels[GRAPH]]


def _own(row: Row) -> Mapping[str, float | None]:
    measures: Mapping[str, float | None] = row["result"]["measures"]
    return measures


def _values(rows: Sequence[Row], key: str) -> list[float]:
    return [x for row in rows if (x := _own(row).get(key)) is not None]


def _shown(rows: Sequence[Row], key: str, digits: int) -> str:
    if key in RATES:
        return rate(_values(rows, key)).shown(percent=True)
    return mean(_values(rows, key)).shown(digits)


def _tokens(rows: Sequence[Row]) -> str:
    agreed = sum(_values(rows, "agreement"))
    spent = sum(score(row, "tokens") or 0 for row in rows)
    return f"{spent / agreed:.0f}" if agreed else "—"


def _printed(suite: Suite, table: int, group: Condition, keys: Sequence[str]) -> list[list[str]]:
    """The line of what the paper prints about a condition, if it prints any."""
    scenario, setting = _named(group)
    return [
        [scenario, f"{setting}, printed", "", *(printed.values.get(key, "") for key in keys)]
        for printed in suite.tables[table].printed
        if printed.row.items() <= group.labels.items()
    ]


def _content(name: str) -> str:
    path = Path(name)
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else name


def _markdown(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
