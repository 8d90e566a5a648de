"""`coop report`, `export` and `compare`, as somebody types them."""

import json
from pathlib import Path

import httpx
import pytest

from extensions.page.tests.test_viewing import coop, home, viewed
from extensions.sweeps.tests.test_evals_cli import coop as invoked
from extensions.sweeps.tests.test_evals_cli import said
from shapley_coop.extensions.reports.reporting import report
from shapley_coop.extensions.sweeps.store import Store
from tests.evals.swept import ablation

__all__ = ["home"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return ablation(tmp_path_factory)


@pytest.mark.slow
def test_a_run_is_written_as_a_page_or_as_its_data(home: Path, tmp_path: Path) -> None:
    page, data = tmp_path / "run.html", tmp_path / "run.json"
    assert coop(home, "report", "first", "-o", str(page)).out.strip() == str(page)
    assert coop(home, "report", "first", "-o", str(data), "--private").code == 0
    bundle = json.loads(data.read_text())
    assert bundle["run"] == "first"
    assert bundle["private"]
    assert bundle["private"][0]["text"] not in page.read_text()
    with viewed(home, str(tmp_path)) as address:
        listed = httpx.get(address + "runs.json").json()
        assert [one["run"] for one in listed["runs"]] == ["first"]
        assert httpx.get(address + "runs/first.json").json()["private"] is None


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("report", "nobody"), "there is no run 'nobody': coop runs lists those of "),
        (("report", "first", "-o", "run.pdf"), "give a name that ends in .html or .json"),
        (("report", "first", "-o", "/dev/null/run.html"), "cannot be written"),
    ],
)
def test_what_cannot_be_shown_is_one_line(home: Path, words: tuple[str, ...], why: str) -> None:
    done = coop(home, *words)
    assert done.code == 2
    assert why in done.err
    assert done.err.count("\n") == 1


def test_what_belongs_to_a_sweep_or_to_a_run_is_said(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="--figures needs a sweep's folder, and nobody is not one"):
        report("nobody", figures=tmp_path)
    with pytest.raises(ValueError, match=r"--private needs a run, and .* is a folder"):
        report(str(tmp_path), private=True)
    with pytest.raises(ValueError, match="holds no sweep"):
        report(str(tmp_path))


def test_a_shipped_suite_is_swept_reported_and_exported(tmp_path):
    out = tmp_path / "out"
    said("sweep", "escape_room", "-o", out, "--seeds", 0)
    assert said("report", out).strip() == str(out / "report.html")
    assert len(said("export", out, "--format", "parquet").splitlines()) == 7
    assert (out / "tables" / "runs.parquet").exists()


@pytest.mark.parametrize("arguments", [["report", "nowhere"], ["compare", "nowhere", "nowhere"]])
def test_a_folder_without_a_sweep_is_named(arguments):
    assert "nowhere holds no sweep" in str(invoked(*arguments).exception)


def test_a_suite_that_was_skipped_is_missing_with_its_reason(folder):
    with Store(folder) as store:
        store.register([], {"broken": "no game 'nope'"})
    said("report", folder)
    assert "no game &#39;nope&#39;" in (folder / "report.html").read_text()


def test_conditions_of_one_folder_are_compared(folder):
    given = (f"{folder}:graph=llm_only", f"{folder}:graph=shapley_coop")
    told = json.loads(said("compare", *given, "--measure", "social_welfare", "--json"))
    (found,) = told
    assert (found["first"], found["second"], found["difference"]["n"]) == (-2, 9, 3)
    assert found["test"] == "sign-flip, exact"
    assert (found["p"], found["adjusted"]) == (0.25, 0.25)
    assert "n=3" in said("compare", *given)


@pytest.mark.parametrize("arguments", [["export"], ["report", "-o", "page.html"]])
def test_a_place_that_cannot_be_written_is_one_line(folder, tmp_path, monkeypatch, arguments):
    monkeypatch.chdir(tmp_path)
    command, *more = arguments
    where = "--figures" if command == "report" else "-o"
    done = invoked(command, folder, where, f"{__file__}/x", *more)
    assert isinstance(done.exception, ValueError)
    assert "the folder cannot be made" in str(done.exception)


def test_a_selection_without_runs_says_what_there_is(folder):
    done = invoked("compare", f"{folder}:graph=nope", folder)
    assert "shapley_coop" in str(done.exception)
    done = invoked("compare", f"{folder}:graph", folder)
    assert "not axis=label" in str(done.exception)
