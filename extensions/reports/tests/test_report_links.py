"""Every number of a report leads to its runs, nothing is cut, and it begins with its finding."""

import json
import re
from pathlib import Path
from urllib.parse import unquote

import pytest

from shapley_coop.extensions.reports import runs
from shapley_coop.extensions.reports.charts import intervals
from shapley_coop.extensions.reports.figures import KINDS
from shapley_coop.extensions.reports.finding import finding
from shapley_coop.extensions.reports.linking import Links
from shapley_coop.extensions.reports.picture import Axis, Bar
from shapley_coop.extensions.reports.report import report
from shapley_coop.extensions.reports.run_pages import RunPages
from shapley_coop.extensions.reports.stats import mean_interval, rate_interval
from shapley_coop.extensions.sweeps.folders import read_rows
from tests.browser import PHONE, picture, tab
from tests.evals.swept import run, suite

GRAPHS = ["llm_only", "shapley_coop"]
TABLES = [{"title": "Welfare", "columns": ["social_welfare", "agreement", "tokens"]}]
FIGURES = [
    {"kind": kind, "title": kind, "columns": ["tokens"] * (kind == "measures")} for kind in KINDS
]

FOLLOW = """() => [...document.querySelectorAll("a[data-where]")].map((link) => {
  link.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true }));
  const list = document.querySelector(`[data-list="${link.getAttribute("href").slice(1)}"]`);
  const heads = [...list.tHead.rows[0].cells].map((head) => head.textContent);
  const rows = [...list.tBodies[0].rows].filter((row) => !row.hidden);
  return {
    where: JSON.parse(link.dataset.where),
    arrived: location.hash === `#${list.dataset.list}`,
    graphs: rows.map((row) => row.cells[heads.indexOf("graph")].textContent),
    pages: rows.map((row) => row.querySelector("a").getAttribute("href")),
  };
})"""

UNLINKED = """() => [
  ...document.querySelectorAll("table:not(.runs) tbody td"),
  ...[...document.querySelectorAll("svg title")].map((title) => title.parentElement),
].filter((one) => /\\d/.test(one.textContent) && !one.closest("a") && !one.querySelector("a"))
  .map((one) => one.textContent)"""
"""The numbers in tables, and the marks of charts, that are no links."""


@pytest.fixture
def reported(tmp_path: Path) -> Path:
    """The report of two experiments: with two runs in each condition, and with one."""
    tables = {"tables": TABLES, "figures": FIGURES, "vary": {"graph": GRAPHS}}
    swept = tmp_path / "swept"
    run([suite(seeds="0-1", **tables), suite(name="single", seeds=[0], **tables)], swept)
    out = swept / "report.html"
    out.write_text(report(swept, page_of=RunPages(out)), encoding="utf-8")
    return out


def pages_in(out: Path) -> set[str]:
    found = re.findall(r'href="([^"#][^"]*)"', out.read_text(encoding="utf-8"))
    return {unquote(href) for href in found}


@pytest.mark.slow
def test_every_link_of_a_report_finds_the_runs_that_it_names(reported: Path) -> None:
    assert len(pages_in(reported)) == 6
    with tab((1280, 900)) as opened:
        opened.page.goto(reported.as_uri())
        assert opened.page.evaluate(UNLINKED) == []
        followed = opened.page.evaluate(FOLLOW)
        assert followed
        for link in followed:
            assert link["arrived"]
            wanted = {where.get("graph", "") for where in link["where"]}
            assert {*link["graphs"]} == ({*GRAPHS} if wanted == {""} else wanted)
            assert {*map(unquote, link["pages"])} <= pages_in(reported)
        single = opened.page.locator('section[aria-labelledby="single"] td a:not([data-where])')
        assert single.count() > 2 * len(GRAPHS), "of one run, a number leads to the run's page"
        for href in pages_in(reported):
            opened.page.goto((reported.parent / href).as_uri())
            opened.page.get_by_role("heading", level=1).wait_for()
            bundle = json.loads(opened.page.locator("#bundle").inner_text(timeout=0) or "{}")
            assert f"{bundle['run']}.html" == Path(href).name
        assert opened.complaints == []


@pytest.mark.slow
@pytest.mark.parametrize("size", [(1280, 900), PHONE], ids=["desk", "phone"])
def test_nothing_of_a_report_is_cut(reported: Path, size: tuple[int, int]) -> None:
    beyond = """[...document.querySelectorAll("body *")].filter((one) => !one.closest(".scroll")
      && one.getBoundingClientRect().right > innerWidth + 1).length"""
    with tab(size) as opened:
        opened.page.goto(reported.as_uri())
        assert not opened.overflows()
        assert opened.page.evaluate(beyond) == 0
        picture(opened, reported.parent, f"report-{size[0]}")


def test_a_run_that_the_home_lacks_has_no_page(reported: Path) -> None:
    pages = RunPages(reported)
    assert pages("gone") == ""
    assert pages("../report") == ""


def test_the_page_begins_with_what_was_found(reported: Path) -> None:
    text = reported.read_text(encoding="utf-8")
    said = "From llm_only to shapley_coop, social welfare rose from -2.00 to 9.00 (n = 2 each, may"
    assert said in re.sub(r"</?a\b[^>]*>", "", text.partition("<h2")[0])
    rows = [row for row in read_rows(reported.parent) if row["suite"] == "single"][:1]
    assert finding(rows, ["social_welfare"], []) == "Social welfare was -2.00 (n = 1)."


def test_of_more_runs_than_are_listed_every_condition_has_some_with_a_page(
    reported: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runs, "MOST", 2)
    monkeypatch.setattr("shapley_coop.extensions.reports.report.MOST_PAGES", 4)
    text = report(reported.parent, page_of=lambda run: f"{run}.html")
    listed = text.partition('id="runs-mini"')[2].partition("</tbody>")[0]
    for graph in GRAPHS:
        assert re.search(rf'<td class="text">{graph}</td>.*?\.html"', listed)
    assert "2 more are in what" in listed
    links = Links("runs", {"a": ""})
    row = {"labels": {"graph": "llm_only"}, "seed": 7}
    assert links.of([{**row, "cell": "a"}]).where == ({"seed": "7", "graph": "llm_only"},)
    assert links.of([{**row, "cell": "b"}]).where == ({"graph": "llm_only"},)


def test_one_run_has_no_interval(reported: Path) -> None:
    one = rate_interval([1])
    assert one.ends == mean_interval([2.0]).ends == ()
    assert one.shown() == "1.00 n=1"
    drawn = intervals([Bar("one", "", one)], Axis("rate", 0, 1))
    assert 'stroke-width="2"' not in drawn
    assert 'stroke-width="2"' in intervals([Bar("two", "", rate_interval([0, 1]))], Axis("", 0, 1))
    section = reported.read_text(encoding="utf-8").partition('<h2 id="single"')[2]
    assert "n=1" in section
    assert not re.search(r"\[[^]]*\] n=1\b", section)
