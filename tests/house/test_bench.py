"""The benches at a tiny size: they run, set ours beside its peers, and judge no clock."""

from math import isfinite
from pathlib import Path

import pytest

from benchmarks.everything import BENCHES, Section, keep, kept, run
from benchmarks.figures import Figure, exponent, in_turn


@pytest.mark.slow
@pytest.mark.parametrize("name", BENCHES)
def test_a_bench_judges_its_figures(name: str) -> None:
    found = run(name, quick=True)
    assert found.title.startswith("Measure ")
    named = [figure.what for figure in found.figures]
    assert len(set(named)) == len(named)
    for figure in found.figures:  # at this size an exponent may be lost in noise
        assert isfinite(figure.found), figure
        assert figure.found > 0 or "exponent" in figure.what, figure
    assert found.figures[0].verdict()
    assert f"\n## {name}\n" in found.markdown(name)


def test_a_figure_says_whether_it_reaches_its_goal_or_only_its_floor() -> None:
    found = [Figure("memory", amount, "kB", goal=60, floor=90) for amount in (50, 80, 162)]
    assert [figure.verdict() for figure in found] == ["yes", "floor", "**no**"]
    assert found[2].row() == "| memory | 162 kB | ≤ 60 kB | ≤ 90 kB | **no** |"
    assert Figure("runs a second", 60, goal=50, floor=40, at_least=True).verdict() == "yes"
    assert Figure("a peer's", 60).row() == "| a peer's | 60 ||||"


def test_results_are_repeated_in_turn_without_those_of_the_warm_up() -> None:
    found: dict[str, list[int]] = {"ours": [], "peer": []}
    for number, (_, results) in enumerate(in_turn(found, repeats=2)):
        results.append(number)
    assert found == {"ours": [2, 4], "peer": [3, 5]}


def test_the_exponent_of_a_cost_that_grows_with_the_square_is_two() -> None:
    assert exponent({10: 300, 20: 1200, 40: 4800}) == pytest.approx(2)


def test_the_page_is_written_from_what_is_kept_and_names_day_commit_and_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("benchmarks.everything.PAGE", tmp_path / "performance.md")
    one = Section("Measure it.", "2026-01-02", "abc", "a processor", [Figure("wall", 1.5, "s")])
    keep({"start": one, "server": one})
    assert kept() == {"start": one, "server": one}
    assert [*kept()] == ["server", "start"], "in the order of the benches"
    page = (tmp_path / "performance.md").read_text(encoding="utf-8")
    assert "\nMeasured on: a processor.\n" in page
    assert "## start\n\nMeasure it.\n(2026-01-02, abc)\n\n| what |" in page
    assert "| wall | 1.5 s ||||" in page
