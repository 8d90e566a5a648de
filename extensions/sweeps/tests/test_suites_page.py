"""docs/suites.md: its example is a suite, and its lists are what the code knows."""

import os
import re
from collections.abc import Mapping
from pathlib import Path

from shapley_coop.evals.measures.evaluators import EVALUATORS, WITH_ARGUMENT
from shapley_coop.extensions.reports.figures import KINDS
from shapley_coop.extensions.sweeps.cells import expand
from shapley_coop.extensions.sweeps.suite import load_suite, shipped_suites
from tests.brought import with_all_extensions
from tests.root import ROOT

PAGE = ROOT / "docs" / "suites.md"
TEXT = PAGE.read_text(encoding="utf-8")


def as_list(lines: Mapping[str, str]) -> str:
    return "\n".join(f"- `{name}`: {about}" for name, about in lines.items())


LISTS = {
    "MEASURES": as_list({key: measure.about for key, measure in EVALUATORS.items()}),
    "ARGUMENTS": as_list({f"{key}:…": measure.about for key, measure in WITH_ARGUMENT.items()}),
    "FIGURES": as_list({kind: about for kind, (about, _) in KINDS.items()}),
}


def test_the_example_is_a_suite_of_as_many_cells_as_it_says(tmp_path: Path) -> None:
    example = tmp_path / "bargaining.yaml"
    example.write_text(TEXT.partition("```yaml\n")[2].partition("```")[0])
    cells = list(expand(load_suite(str(example))))
    assert len(cells) == 2 * 2 * 2 * 10
    assert {cell.room["params"]["prize"] for cell in cells} == {10, 20}


@with_all_extensions
def test_the_page_names_every_suite_that_comes_with_it() -> None:
    listed = TEXT.partition("## Included suites")[2].partition("\n## ")[0]
    assert [name for name in shipped_suites() if f"`{name}`" not in listed] == []


@with_all_extensions
def test_the_lists_are_what_the_code_knows() -> None:
    if os.environ.get("COOP_UPDATE_SNAPSHOTS"):
        PAGE.write_text(_filled(), encoding="utf-8")
    for found in LISTS.values():
        assert found in PAGE.read_text(encoding="utf-8"), "COOP_UPDATE_SNAPSHOTS=1 writes it anew"


def _filled() -> str:
    """The page with every list written anew, in order, each a run of bullets."""
    lists = iter(LISTS.values())
    return re.sub(
        r"(?:^- `[^*\n]*`: .*\n)+", lambda _: f"{next(lists)}\n", TEXT, flags=re.MULTILINE
    )
