"""The benches at a tiny size: they run, set ours beside its peers, and judge no clock."""

import subprocess
import sys
from math import isfinite
from pathlib import Path

import pytest

from benchmarks import sloppy
from benchmarks.contenders import raid, steps, table_of_four
from benchmarks.everything import MODULES, QUICK, Section, keep, kept, main, page, run
from benchmarks.seats import scripted_reply
from benchmarks.tables import Found, Goal, exponent, figure, markdown
from shapley_coop.graphs.catalogue import names
from shapley_coop.graphs.preparing import prepare
from shapley_coop.graphs.running import play
from tests.root import ROOT

HEAVY = {"parallel", "memory", "cpu", "calls", "offers", "many"}


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=[pytest.mark.slow] * (n in HEAVY)) for n in MODULES]
)
def test_a_bench_compares_contenders_and_judges_its_goals(name: str) -> None:
    found = run(name, **QUICK[name])
    assert found.title
    assert found.rows
    assert all(len(row) == len(found.columns) for row in found.rows)
    named = [row[0] for row in found.rows]
    assert len(set(named)) == len(named)
    figures = [cell for row in found.rows for cell in row[1:] if isinstance(cell, float)]
    assert figures
    assert all(map(isfinite, figures))
    assert found.goals
    assert f"## {name}" in markdown(name, found)


@pytest.mark.parametrize("played", [table_of_four(0), raid(0, 5, 2)], ids=["four", "raid"])
async def test_who_plays_from_a_script_asks_for_as_many_calls_as_the_critical_path_says(
    played,
) -> None:
    with scripted_reply(played.script):
        outcome = await play(played.graph, played.room)
    assert outcome["usage"]["calls"] == sum(played.waves)
    assert outcome["usage"].get("refused", 0) == 0


def test_a_goal_says_whether_it_is_met_or_was_not_measured() -> None:
    assert Goal("wall", 2, 1.5).met
    assert not Goal("wall", 2, 2.5).met
    assert Goal("turns a second", 50, 60, at_least=True).met
    assert Goal("on Postgres", 1.1, None).row() == [
        *("on Postgres", "≤ 1.1", "≤ 1.1", "not measured", "—")
    ]
    memory = {found: Goal("memory", 60, found, "kB", must=90).row() for found in (50, 80, 162)}
    assert memory[162] == ["memory", "≤ 60 kB", "≤ 90 kB", "162 kB", "**no**"]
    assert [row[-1] for row in memory.values()] == ["yes", "must", "**no**"]


def test_growth_is_fitted_over_all_sizes() -> None:
    assert exponent([1, 10, 100], [3, 300, 30_000]) == pytest.approx(2)
    assert exponent([2, 4, 8], [5, 5, 5]) == pytest.approx(0)


def test_figures_have_three_digits_that_count() -> None:
    assert [figure(x) for x in (0.01234, 1.0, 12.345, 3367.4, None, "as said")] == [
        *("0.0123", "1", "12.3", "3,367", "—", "as said")
    ]


def test_the_page_is_written_from_what_is_kept_and_names_day_commit_and_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    found = Found("What it is.", ("who", "×", "s"), [["ours", 1.5, None]], [Goal("wall", 2, 1.5)])
    monkeypatch.setattr("benchmarks.everything.KEPT", tmp_path / "performance.json")
    sections = {"exact": Section(found, "2026-01-02", "abc"), "sampled": Section(found, "", "")}
    keep(sections)
    assert kept() == sections
    text = page(kept())
    assert (
        "## exact\n\nWhat it is.\n(2026-01-02, abc)\n\n- wall: 1.5 (should be ≤ 2): yes\n" in text
    )
    assert ", langgraph " in text
    main(["--kept", "exact"])
    assert "| ours | 1.5 | — |" in capsys.readouterr().out


def test_goals_are_told_as_they_were_at_a_commit_and_are_now(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("benchmarks.everything.KEPT", tmp_path / "performance.json")
    git = ["git", "-c", "user.name=A", "-c", "user.email=a@example.org"]
    for found in (3.0, 1.5):
        goal = Goal("wall", 2, found)
        keep({"exact": Section(Found("", ("who", "×"), [], [goal]), "2026-01-02", "abc")})
        if found == 3.0:
            for does in (["init", "-q"], ["add", "."], ["commit", "-qm", "Measure"]):
                subprocess.run([*git, *does], cwd=tmp_path, check=True)
    main(["--since", "HEAD"])
    assert "| exact | wall | ≤ 2 | ≤ 2 | 3 | 1.5 | yes |" in capsys.readouterr().out
    with pytest.raises(SystemExit) as ended:
        main(["--since", "nowhere"])
    assert ended.value.code == 2
    assert "at nowhere: name another commit" in capsys.readouterr().err


@pytest.mark.slow
def test_benches_named_on_the_command_line_are_printed_and_written_where_it_says(tmp_path) -> None:
    command = [sys.executable, "-m", "benchmarks", "exact", "sampled", "--quick", "-o"]
    done = subprocess.run(
        [*command, str(tmp_path / "page.md")], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stderr.startswith("[1/2] exact")
    written = (tmp_path / "page.md").read_text(encoding="utf-8")
    assert all(
        f"## {name}" in text for name in ("exact", "sampled") for text in (done.stdout, written)
    )


@pytest.mark.parametrize("graph", names())
def test_every_workflow_can_be_played_with_sloppy_endpoints(graph: str) -> None:
    room = sloppy._config(graph, "text", 1, "http://127.0.0.1:9/v1")
    assert prepare(graph, room).graph == graph


@pytest.mark.slow
def test_a_bench_that_fails_is_told_and_the_others_are_run(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setitem(QUICK, "letters", {"most": "none"})
    with pytest.raises(SystemExit, match="failed, and not measured: letters"):
        main(["letters", "exact", "--quick", "-o", str(tmp_path / "page.md")])
    assert "TypeError" in capfd.readouterr().err
    assert "## exact" in (tmp_path / "page.md").read_text(encoding="utf-8")


def test_an_unknown_bench_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["quickness"])
    assert "quickness" in capsys.readouterr().err


async def test_a_negotiation_of_four_takes_at_most_twenty_steps() -> None:
    """Three rounds of counter-offers and one turn: each round asks, validates, answers, counts."""
    taken = await steps(table_of_four(0))
    assert taken["ours, no saver"] <= 20
