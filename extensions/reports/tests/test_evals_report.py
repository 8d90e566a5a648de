"""The report: one page that needs nothing else, and says what `export` says."""

import hashlib
import re
import shutil
import subprocess
import xml.etree.ElementTree as ET
from base64 import b64encode
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from shapley_coop.extensions.reports.charts import intervals, scatter
from shapley_coop.extensions.reports.figures import KINDS, draw, why_no_png, write_figures
from shapley_coop.extensions.reports.picture import Axis, Bar, Point
from shapley_coop.extensions.reports.report import figures, report
from shapley_coop.extensions.reports.stats import mean_interval
from shapley_coop.extensions.reports.tables import tables
from shapley_coop.extensions.reports.writing import write
from shapley_coop.extensions.sweeps.cells import expand
from shapley_coop.extensions.sweeps.folders import read_rows
from shapley_coop.extensions.sweeps.store import Store
from shapley_coop.extensions.sweeps.suite import FigureSpec
from shapley_coop.extensions.sweeps.workers import Worker
from tests.browser import Tab, tab
from tests.evals.swept import CONDITIONS, registered, run_once, suite

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = "<script>alert(1)</script>"
COLUMNS = ["agreement", "payoff:Alice", "social_welfare", "tokens"]
TABLES = [
    {
        "title": "Payoffs",
        "columns": COLUMNS,
        "source": "the paper",
        "printed": [{"row": {"graph": "shapley_coop"}, "values": {"payoff:Alice": "4.5"}}],
    }
]
FIGURES = [
    {"kind": kind, "title": f"The {kind}", "columns": ["adherence"] if kind == "measures" else []}
    for kind in KINDS
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = suite(tables=TABLES, figures=FIGURES, seeds="0-3", about=f"Ours {HOSTILE}")
    return run_once(made, tmp_path_factory.mktemp("swept"))


@pytest.fixture(scope="module")
def page(folder: Path) -> str:
    return report(folder)


@pytest.fixture(scope="module")
def exported(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, pl.DataFrame]:
    """The tables as somebody else would read them: from the files."""
    into = tmp_path_factory.mktemp("tables")
    write(tables(folder), into, "csv")
    return {path.stem: pl.read_csv(path) for path in into.glob("*.csv")}


def titles(svg: str) -> list[str]:
    """What the marks of a figure say."""
    return [str(node.text) for node in ET.fromstring(svg).iter(f"{SVG}title")]


def figure(folder: Path, kind: str, **settings: Any) -> str:
    rows = read_rows(folder)
    return draw(FigureSpec(kind=kind, title=kind, **settings), rows, ["graph"]).svg


def test_the_page_runs_its_own_script_alone_and_fetches_nothing(page):
    (script,) = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    allowed = b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{allowed}';" in page
    assert page.count("<script") == 1
    assert not re.search(r'(src|href)="(?!#)', page)
    assert "url(" not in page
    assert not re.search(r"\son[a-z]+=|\sstyle=", page)
    assert "default-src &#39;none&#39;" in page or "default-src 'none'" in page
    assert "prefers-color-scheme: dark" in page


def test_text_from_outside_is_text(page):
    assert "Ours &lt;script&gt;alert(1)&lt;/script&gt;" in page


def test_a_simulation_says_so_before_anything_else(page):
    assert page.index("A simulation: embedded agents answered in every run") < page.index("<h2")


def test_the_page_says_what_it_was_made_from(page, folder):
    rows = read_rows(folder)
    assert f">{len(rows)}</a> of {len(rows)} cells" in page
    for what in ("embedded:rational", "0-3", "commit", "langgraph"):
        assert what in page


def test_what_the_paper_prints_stands_beside(page):
    assert page.count("printed: 4.5") == page.count("Beside: the paper") == 1


def test_every_kind_of_figure_is_drawn_and_well_formed(folder):
    drawn = dict(figures(folder))
    assert len(drawn) == len(KINDS)
    for one in drawn.values():
        assert ET.fromstring(one.svg).tag == f"{SVG}svg"
        assert len(titles(one.svg)) > 1


def test_the_payoff_figure_says_what_the_export_says(folder, exported):
    paid = exported["settlements"]
    expected = []
    for graph in CONDITIONS:
        for agent in ("Alice", "Bob"):
            mine = paid.filter((pl.col("axis_graph") == graph) & (pl.col("agent") == agent))
            expected.append(f"{graph} {agent}: {mean_interval(mine['payoff'].to_list()).shown()}")
    assert [t for t in titles(figure(folder, "payoffs")) if "n=" in t] == expected


def test_the_share_figure_has_a_mark_for_every_agent_of_a_run_with_shares(folder, exported):
    paid = exported["settlements"]
    told = [t for t in titles(figure(folder, "shares")) if "→" in t]
    shown = sorted(float(t.rsplit("→", 1)[1]) for t in told)
    known = paid.filter(pl.col("payoff_share").is_not_null() & (pl.col("value") > 0))
    assert shown == pytest.approx(sorted(known["payoff_share"].to_list()), abs=5e-4)


def test_the_plane_has_a_mark_for_every_run_and_a_path_for_every_talk(folder, exported):
    told = titles(figure(folder, "plane"))
    runs = [t for t in told if "seed" in t and "after" not in t]
    assert len(runs) == len(exported["runs"])
    talks = exported["offers"].filter(pl.col("would_pay").is_not_null())["cell"].n_unique()
    # A path says so on its line and on the mark at its end.
    assert len([t for t in told if "after" in t]) == 2 * talks
    assert "efficient payoffs" in told


def test_the_cost_of_an_agreement_leaves_out_conditions_without_one(folder, exported):
    told = [t for t in titles(figure(folder, "cost_per_agreement")) if "n=" in t]
    runs = exported["runs"].filter(pl.col("axis_graph") == "shapley_coop")
    per = runs["tokens"].sum() / runs["agreement"].sum()
    assert any(t.startswith(f"shapley_coop: {per:.2f}") for t in told)
    assert not any(t.startswith("llm_only") for t in told)


def test_an_unknown_figure_is_refused(folder):
    with pytest.raises(ValueError, match="'pie' is not a kind of figure"):
        figure(folder, "pie")


def test_names_in_a_chart_are_escaped():
    bars = [Bar(HOSTILE, HOSTILE, mean_interval([1.0, 2.0]))]
    points = [Point(HOSTILE, 1, 2, HOSTILE)]
    axis = Axis.around(HOSTILE, [0, 3])
    for svg in (intervals(bars, axis), scatter([HOSTILE], points, axis, axis)):
        assert "<script" not in svg
        ET.fromstring(svg)


@pytest.mark.parametrize("values", [[], [0.0], [-3.0, 1e6], [0.001, 0.002], [float("inf"), 1.0]])
def test_an_axis_shows_all_finite_values_with_a_few_round_ticks(values):
    axis = Axis.around("x", values)
    assert all(axis.low <= v <= axis.high for v in values if v != float("inf"))
    assert 2 <= len(axis.ticks()) <= 8
    assert all(axis.low <= tick <= axis.high for tick in axis.ticks())


def test_what_differs_by_rounding_alone_is_drawn_as_equal():
    axis = Axis.around("distance", [0.0, 4e-7], [0])
    assert axis.at(4e-7, 0, 100) == pytest.approx(axis.at(0.0, 0, 100), abs=0.01)


def test_a_figure_of_some_runs_shows_no_others(folder):
    made = figure(folder, "payoffs", where={"graph": "negotiation"}, by=["graph"])
    told = [t for t in titles(made) if "n=" in t]
    assert len(told) == 2
    assert all(t.startswith("negotiation") for t in told)


def test_an_axis_says_of_how_many_runs_a_mark_is(folder):
    assert "(n = 4 runs a mark)" in figure(folder, "payoffs")


def test_figures_are_written_as_files(folder, tmp_path):
    written = write_figures(figures(folder), tmp_path)
    assert len(written) == len(KINDS) * (1 if why_no_png() else 2)
    assert all(ET.parse(p) for p in written if p.suffix == ".svg")


def test_a_folder_without_a_run_has_no_report(tmp_path):
    registered(tmp_path, suite())
    with pytest.raises(ValueError, match="has no run yet"):
        report(tmp_path)


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("chromium") is None, reason="needs Chromium: apt install chromium")
def test_a_browser_shows_the_page_without_complaint(page, tmp_path):
    path = tmp_path / "report.html"
    path.write_text(page, encoding="utf-8")
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr"]
    shown = subprocess.run(
        [
            "chromium",
            *options,
            f"--user-data-dir={tmp_path / 'profile'}",
            "--dump-dom",
            path.as_uri(),
        ],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert "CONSOLE" not in shown.stderr
    assert "Refused to" not in shown.stderr
    assert shown.stdout.count("<svg") == len(KINDS)


def lines_of(opened: Tab) -> list[list[str]]:
    """The rows of the table of runs that can be seen, cell by cell."""
    rows = opened.page.locator("table.runs tbody tr:visible").all()
    return [row.locator("td").all_inner_texts() for row in rows]


@pytest.mark.slow
def test_the_runs_can_be_sorted_and_filtered_and_say_why_they_failed(folder, tmp_path):
    swept = tmp_path / "swept"
    shutil.copytree(folder, swept)
    (cell,) = expand(suite(seeds=[9], vary={"graph": ["llm_only"]}))
    failure = {"cell": cell.id, "suite": "mini", "labels": {"graph": "llm_only"}, "seed": 9}
    with Store(swept) as store, Worker(store) as worker:
        worker.failed({**failure, "error": HOSTILE})
    path = tmp_path / "report.html"
    path.write_text(report(swept), encoding="utf-8")
    with tab() as opened:
        opened.page.goto(path.as_uri())
        everything = lines_of(opened)
        assert len(everything) == 4 * len(CONDITIONS) + 1
        assert everything[0][:3] == ["llm_only", "9", "failed"]
        assert HOSTILE in everything[0]
        opened.page.get_by_role("button", name="social welfare").click()
        welfare = [float(line[3]) for line in lines_of(opened)[:-1]]
        assert welfare == sorted(welfare)
        assert lines_of(opened)[-1][2] == "failed", "what is unknown is last"
        opened.page.get_by_role("button", name="social welfare").click()
        assert float(lines_of(opened)[0][3]) == max(welfare)
        opened.page.get_by_label("Ended").select_option("failed")
        assert len(lines_of(opened)) == 1
        opened.page.get_by_label("Ended").select_option("")
        opened.page.get_by_label("Filter").fill("negotiation")
        assert {line[0] for line in lines_of(opened)} == {"negotiation"}
        assert opened.page.locator("output").inner_text() == f"4 of {len(everything)}"
        assert opened.complaints == []
