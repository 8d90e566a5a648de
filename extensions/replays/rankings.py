"""What a report says of a suite's rankings: in how many runs they depend on which choice."""

from collections import Counter
from pathlib import Path
from typing import Any

from jinja2 import Environment, StrictUndefined

from shapley_coop.evals.sweeps.stored import Stored
from shapley_coop.extensions.replays.sensitivity import sensitivity
from shapley_coop.state.evaluated import EvaluatedTable

MOST_RUNS = 20
"""Of a suite: so many are looked at, at even distances."""


def section(runs: Stored) -> str:
    """Return the section of a report (`Extension.sections`)."""
    template = Path(__file__).with_name("rankings.html").read_text(encoding="utf-8")
    pages = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    return pages.from_string(template).render(rankings=rankings(runs)).rstrip()


def rankings(runs: Stored) -> dict[str, Any]:
    """Say on what the rankings of the agents depend, over some runs of a suite.

    Returns:
        {"looked": runs looked at, "of": all, "compared": runs in which there was something to
        compare, "lines": (what is varied, to what, in how many of them it could be compared, in how
        many of these the ranking is another), "left_out": what was not compared}.
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
