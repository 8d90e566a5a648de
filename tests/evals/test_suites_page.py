"""docs/suites.md: its example is a suite, and its lists are what the code knows."""

import os
from collections.abc import Mapping
from pathlib import Path

from shapley_coop.evals.measures.evaluators import EVALUATORS, WITH_ARGUMENT
from shapley_coop.evals.reports.figures import KINDS
from shapley_coop.evals.sweeps.cells import expand
from shapley_coop.evals.sweeps.suite import load_suite, shipped
from tests.root import ROOT

PAGE = ROOT / "docs" / "suites.md"
TEXT = PAGE.read_text(encoding="utf-8")


def as_table(lines: Mapping[str, str]) -> str:
    rows = (f"| `{name}` | {about} |" for name, about in lines.items())
    return "\n".join(["| | |", "|---|---|", *rows])


LISTS = {
    "SUITES": as_table({name: load_suite(name).about for name in shipped()}),
    "MEASURES": as_table({key: measure.about for key, measure in EVALUATORS.items()}),
    "ARGUMENTS": as_table({f"{key}:…": measure.about for key, measure in WITH_ARGUMENT.items()}),
    "FIGURES": as_table({kind: about for kind, (about, _) in KINDS.items()}),
}


def test_the_example_is_a_suite_of_as_many_cells_as_it_says(tmp_path: Path) -> None:
    example = tmp_path / "bargaining.yaml"
    example.write_text(TEXT.partition("```yaml\n")[2].partition("```")[0])
    cells = list(expand(load_suite(str(example))))
    assert len(cells) == 2 * 2 * 2 * 10
    assert {cell.room["params"]["prize"] for cell in cells} == {10, 20}


def test_the_lists_are_what_the_code_knows() -> None:
    if os.environ.get("COOP_UPDATE_SNAPSHOTS"):
        PAGE.write_text(_filled(), encoding="utf-8")
    for found in LISTS.values():
        assert found in PAGE.read_text(encoding="utf-8"), "COOP_UPDATE_SNAPSHOTS=1 writes it anew"


def _filled() -> str:
    """The page with every list written anew."""
    text = TEXT
    for name, found in LISTS.items():
        text = text.replace(f"\n{name}\n", f"\n{found}\n")
    blocks, lists = text.split("| | |\n|---|---|\n"), list(LISTS.values())
    for n, block in enumerate(blocks[1:], start=1):
        rest = block.partition("\n\n")[2]
        blocks[n] = "\n\n".join(filter(None, [lists[n - 1], rest]))
    return blocks[0] + "".join(_apart(block) for block in blocks[1:])


def _apart(block: str) -> str:
    return block if block.endswith("\n") else f"{block}\n"
