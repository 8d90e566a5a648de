"""The suites of institutions play what they say, and docs/institutions.md has their figures."""

from collections.abc import Iterator
from functools import cache

import pytest

from shapley_coop.evals.cell import Cell
from shapley_coop.evals.measures.evaluators import score
from shapley_coop.extensions.reports.layout import number
from shapley_coop.extensions.sweeps.cells import expand
from shapley_coop.extensions.sweeps.local import Local
from shapley_coop.extensions.sweeps.suite import load_suite
from tests.root import ROOT

PAGE = (ROOT / "docs" / "institutions.md").read_text(encoding="utf-8")
SUITE = load_suite("institutions")
BESIDE = "| agents | none | repetition | reputation | mediation | contracts | contracts in escrow |"
HEAD = "| agents | game | none | repetition | mediation | contracts | contracts in escrow |"


def rows(suite: str, head: str) -> Iterator[tuple[str, dict[str, str], list[str]]]:
    """Suite, labels, and the efficiencies of each row of a table of the page."""
    axes = [part.strip() for part in head.split("|")[1:-1] if part.strip() in ("agents", "game")]
    for line in PAGE.partition(head)[2].partition("\n\n")[0].splitlines()[2:]:
        parts = [part.strip() for part in line.strip("|").split("|")]
        labels = dict(zip(axes, parts, strict=False))
        yield suite, labels, parts[len(axes) :]


@cache
def first_seed(suite: str) -> list[Cell]:
    """The cells of a suite with the first seed; reading every game again takes seconds."""
    return [cell for cell in expand(load_suite(suite)) if cell.seed == 0]


def cells(suite: str, wanted: dict[str, str]) -> list[Cell]:
    """The cells of a row, for the first seed, by institution."""
    return [c for c in first_seed(suite) if wanted.items() <= c.labels.items()]


def test_every_institution_meets_the_same_games_and_agents() -> None:
    assert list(SUITE.axes["institution"]) == [part.strip() for part in HEAD.split("|")[3:-1]]
    every = expand(SUITE)
    assert {(c.labels["institution"], c.graph) for c in every} == {
        ("none", "llm_only"),
        ("repetition", "llm_only"),
        ("mediation", "mediation"),
        ("contracts", "contracts"),
        ("contracts in escrow", "contracts"),
    }
    turns = {(c.labels["institution"], c.room["params"]["rounds"]) for c in every}
    assert turns == {(x, 1 if x == "none" else 10) for x in SUITE.axes["institution"]}


ROWS = [*rows("institutions", HEAD), *rows("reputation", BESIDE)]


@pytest.mark.parametrize(
    ("suite", "labels", "figures"),
    # One of each table; `make proofs` plays the others.
    [
        pytest.param(*row, marks=[] if at in (0, len(ROWS) - 1) else pytest.mark.slow)
        for at, row in enumerate(ROWS)
    ],
    ids=str,
)
async def test_the_page_tells_what_the_suite_measures(
    suite: str, labels: dict[str, str], figures: list[str]
) -> None:
    found = []
    for cell in cells(suite, labels):
        row = (await Local("page").play(cell)).row
        efficiency = score(row, "efficiency")
        assert efficiency is not None
        found.append(number(efficiency))
    assert found == figures
