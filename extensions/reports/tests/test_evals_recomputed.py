"""Every number of a report's tables, computed again from the files that `coop export` writes."""

import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import polars as pl
import pytest

from shapley_coop.evals.measures.evaluators import find
from shapley_coop.extensions.reports.layout import show_value
from shapley_coop.extensions.reports.report import report
from shapley_coop.extensions.reports.stats import mean_interval, rate_interval
from shapley_coop.extensions.reports.tables import tables
from shapley_coop.extensions.reports.writing import write
from shapley_coop.extensions.sweeps.store import Store
from shapley_coop.extensions.sweeps.suite import Suite, TableSpec
from tests.evals.swept import CONDITIONS, run_once, suite

COLUMNS = ["agreement", "social_welfare", "adherence", "payoff:Bob", "share:Bob", "done:door"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = suite(
        vary={"graph": CONDITIONS, "rounds": [1, 3]},
        tables=[
            {"title": "Everything", "columns": COLUMNS},
            {"title": "One round", "columns": ["calls"], "where": {"rounds": "1"}},
            {"title": "By rounds", "columns": ["shapley_share:Bob"], "rows": ["rounds"]},
        ],
        seeds="0-1",
    )
    return run_once(made, tmp_path_factory.mktemp("swept"))


def suites_in(folder: Path) -> list[Suite]:
    with Store(folder) as store:
        return store.suites


def exported(folder: Path, into: Path) -> pl.DataFrame:
    """The runs as somebody else would read them: from the file."""
    write(tables(folder), into, "csv")
    return pl.read_csv(into / "runs.csv", infer_schema_length=None)


def printed(page: str, title: str) -> Iterator[tuple[list[str], list[tuple[str, str]]]]:
    """Each row of a table of the page: all its labels, and its cells' numbers and details."""
    found = re.search(rf"<strong>{re.escape(title)}</strong>.*?</table>", page, re.DOTALL)
    assert found, title
    heads: list[tuple[str, int]] = []
    body = found.group(0).split("<tbody>")[1]
    for line in re.findall(r"<tr>(.*?)</tr>", body, re.DOTALL):
        given = re.findall(r'<th scope="\w+"(?: rowspan="(\d+)")?>(.*?)</th>', line)
        heads = [(label, left - 1) for label, left in heads if left > 1]
        heads += [(unescape(label), int(span or 1)) for span, label in given]
        cells = re.findall(r"<td>([^<]*)<small>(.*?)</small>", line)
        yield [label for label, _ in heads], cells


def recomputed(runs: pl.DataFrame, column: str) -> tuple[str, str]:
    """What a cell of a table has to say."""
    values = [float(x) for x in runs[column].to_list() if x is not None]
    if not values:
        return "—", "n=0"
    e = (rate_interval if find(column)[0].kind == "rate" else mean_interval)(values)
    low, high = (show_value(column, end, unit=False) for end in (e.low, e.high))
    between = "" if e.n == 1 else "all equal, " if e.method == "all equal" else f"[{low}, {high}] "
    return show_value(column, e.value), f"{between}n={e.n}"


def check(folder: Path, into: Path) -> int:
    """Hold a whole report against the export.

    Returns:
        How many numbers there are.
    """
    page = re.sub(r"</?a\b[^>]*>", "", report(folder))  # numbers without their links
    runs, cells = exported(folder, into), 0
    for made in suites_in(folder):
        section = page[page.index(f'<h2 id="{made.name}"') :]
        own = runs.filter(pl.col("suite") == made.name)
        for spec in made.tables:
            axes = spec.rows or [axis for axis in made.axes if axis not in spec.where]
            for labels, numbers in printed(section, _escaped(spec)):
                wanted = {**spec.where, **dict(zip(axes, labels, strict=True))}
                mine = own.filter(
                    pl.all_horizontal(
                        pl.col(f"axis_{axis}").cast(pl.String) == label
                        for axis, label in wanted.items()
                    )
                )
                expected = [recomputed(mine, column) for column in spec.columns]
                assert numbers == expected, (made.name, spec.title, wanted)
                cells += len(numbers)
    return cells


def _escaped(spec: TableSpec) -> str:
    return spec.title.replace("&", "&amp;").replace("'", "&#39;")


def test_every_number_of_every_table_is_computed_again_from_the_export(folder, tmp_path):
    assert check(folder, tmp_path) == 8 * len(COLUMNS) + 4 + 2


def test_labels_that_go_on_are_printed_once_and_span_their_rows(folder):
    page = report(folder)
    table = page[page.index("<strong>Everything") : page.index("<strong>One round")]
    for graph in CONDITIONS:
        assert table.count(f'<th scope="rowgroup" rowspan="2">{graph}</th>') == 1


def test_numbers_of_an_axis_say_which_axis_it_is(folder):
    assert "negotiation · rounds 1" in report(folder)
