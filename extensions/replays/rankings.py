"""The report section on the number of runs whose ranking changes under another norm or baseline."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

from jinja2 import Environment, StrictUndefined

from shapley_coop.evals.cell import Row
from shapley_coop.extensions.replays.sensitivity import Sensitivity, sensitivity
from shapley_coop.extensions.sweeps.stored import Stored
from shapley_coop.state.evaluated import EvaluatedTable

MOST_RUNS = 20
"""The most runs of a suite that are examined; they are evenly spaced in the suite."""


class Links(Protocol):
    """What a section of a report needs to link its numbers to pages of runs."""

    @property
    def pages(self) -> Mapping[str, str]:
        """The listed runs: cell → the address of the run's page."""

    def of(self, *groups: list[Row]) -> Any:
        """Return the link to all runs of some groups; its `attributes` are those of `<a>`."""


def section(runs: Stored, links: Links) -> str:
    """Return the report's section on rankings (`Extension.sections`)."""
    template = Path(__file__).with_name("rankings.html").read_text(encoding="utf-8")
    pages = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    return pages.from_string(template).render(rankings=rankings(runs, links)).rstrip()


def rankings(runs: Stored, links: Links) -> dict[str, Any]:
    """Find the runs of a suite in which another norm, baseline or continuation changes rankings.

    Only runs that the report lists are examined, since each number must be a link to its runs.

    Returns:
        {"looked": the examined runs, "of": the number of all runs, "compared": the number of
        examined runs with a comparison, "lines": tuples (choice, alternative, runs compared,
        runs with another ranking), "left_out": the reasons for omitted comparisons}. Each group
        of runs is a pair: their number, and the link to them.
    """
    cells = runs.cells()
    listed = [cell for cell in cells if cell in links.pages]
    step = max(1, -(-len(listed) // MOST_RUNS))
    looked = [(row, _examined(row)) for row, _ in runs.at(listed[::step])]
    tried = dict.fromkeys(key for _, found in looked for key in (*found.other, *found.same))

    def told(rows: list[Row], among: list[Row]) -> tuple[int, Any]:
        shown = rows or among  # if no run was found, the number 0 links to all examined runs
        return len(rows), links.of(*([row] for row in shown)) if shown else None

    def line(key: tuple[str, str]) -> tuple[Any, ...]:
        compared = [row for row, found in looked if key in (*found.other, *found.same)]
        moved = [row for row, found in looked if key in found.other]
        return *key, told(compared, compared), told(moved, compared)

    examined = [row for row, _ in looked]
    return {
        "looked": told(examined, examined),
        "of": len(cells),
        "compared": sum(bool(found.other or found.same) for _, found in looked),
        "lines": [line(key) for key in tried],
        "left_out": sorted({reason for _, found in looked for reason in found.left_out}),
    }


def _examined(row: Row) -> Sensitivity:
    table = EvaluatedTable({"settings": row["room"], "record": row["record"]})
    return sensitivity(table, row["room"]["norm"])
