"""The report section on the number of runs whose ranking changes by another norm or baseline."""

from collections import Counter
from pathlib import Path
from typing import Any

from jinja2 import Environment, StrictUndefined

from shapley_coop.extensions.replays.sensitivity import sensitivity
from shapley_coop.extensions.sweeps.stored import Stored
from shapley_coop.state.evaluated import EvaluatedTable

MOST_RUNS = 20
"""The most runs of a suite that are examined; they are evenly spaced in the suite."""


def section(runs: Stored) -> str:
    """Return the section of a report (`Extension.sections`)."""
    template = Path(__file__).with_name("rankings.html").read_text(encoding="utf-8")
    pages = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    return pages.from_string(template).render(rankings=rankings(runs)).rstrip()


def rankings(runs: Stored) -> dict[str, Any]:
    """Count the runs of a suite in which another norm, baseline or continuation changes rankings.

    Returns:
        {"looked": the number of examined runs, "of": the number of all runs, "compared": the number
        of examined runs with a comparison, "lines": tuples (choice, alternative, runs compared,
        runs with another ranking), "left_out": the reasons for omitted comparisons}.
    """
    cells = runs.cells()
    step = max(1, -(-len(cells) // MOST_RUNS))
    looked = [
        sensitivity(
            EvaluatedTable({"settings": row["room"], "record": row["record"]}), row["room"]["norm"]
        )
        for row, _ in runs.at(cells[::step])
    ]
    moved = Counter(key for found in looked for key in found.other)
    same = Counter(key for found in looked for key in found.same)
    tried = dict.fromkeys([*moved, *same])
    return {
        "looked": len(looked),
        "of": len(cells),
        "compared": sum(bool(found.other or found.same) for found in looked),
        "lines": [
            (what, to, moved[what, to] + same[what, to], moved[what, to]) for what, to in tried
        ],
        "left_out": sorted({reason for found in looked for reason in found.left_out}),
    }
