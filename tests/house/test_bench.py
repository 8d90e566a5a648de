"""The benches at a tiny size: they run, set ours beside its peers, and judge no clock."""

from math import isfinite
from pathlib import Path

import pytest

from benchmarks.contenders import steps, table_of_four
from benchmarks.everything import MODULES, QUICK, Section, keep, kept, main, page, run
from benchmarks.tables import Found, Goal, markdown

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


async def test_a_negotiation_of_four_takes_at_most_twenty_steps() -> None:
    """Three rounds of counter-offers and one turn: each round asks, validates, answers, counts."""
    taken = await steps(table_of_four(0))
    assert taken["ours, no saver"] <= 20
