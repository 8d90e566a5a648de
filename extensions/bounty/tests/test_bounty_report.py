"""What a history is worth: earned value, amounts to the cent, and a comment to paste."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extensions.repository.tests.history_builder import Builder
from shapley_coop.extensions.bounty.report import agreed_amounts, delivered_params, settle_history
from shapley_coop.extensions.bounty.tables import escaped, markdown, rows
from shapley_coop.extensions.repository.contributions import History
from shapley_coop.extensions.repository.history import read_history
from shapley_coop.games import load

EVE = "Eve | [x](http://evil) @all <eve@example.org>"


@pytest.fixture
def history(tmp_path: Path) -> History:
    repo = Builder(tmp_path / "repo")
    code = "".join(f"value_{n} = compute({n})\n" for n in range(20)) + "\n".join("abcdefghijk")
    repo.commit("Write", "Ada <ada@example.org>", a_dot_py=code, README_dot_md="# It\n\nWords.\n")
    mended = code.replace("value_0 = compute(0)", "first = the_sum_of_all")
    repo.commit("fix: the sum", EVE, a_dot_py=mended, b_dot_py="other = 1\n" * 9)
    repo.commit("Bump", "renovate[bot] <bot@example.org>", c_dot_py="c = 1\n")
    return read_history(repo.folder)


def paid(report: dict[str, Any]) -> Fraction:
    return sum((Fraction(one["amount"]) for one in report["contributors"].values()), Fraction(0))


def test_the_bounty_is_divided_by_points_to_the_cent(history: History) -> None:
    report = settle_history(history, bounty="100.01", currency="EUR")
    ada, eve = report["contributors"].values()
    # 40 lines of code weigh 33.5; beside them 2 of a document and 3 for the one mended line.
    document, fix = 33.5 * 2 / 40, 33.5 * 3 / 40
    whole = 33.5 + document + fix
    assert ada["point"] == pytest.approx(100 * (33.5 * 0.75 + document) / whole, abs=1e-4)
    assert eve["point"] == pytest.approx(100 * (33.5 * 0.25 + fix) / whole, abs=1e-4)
    assert eve["counts"] == {"code": "10", "decisions": "0", "documents": "0", "fixes": "1"}
    assert paid(report) == Fraction("100.01")
    assert report["by_bots"] == 1


def test_what_was_agreed_is_paid_in_whole_cents(history: History) -> None:
    names = list(settle_history(history)["contributors"])
    agreed = {names[0]: 33_333_333, names[1]: 66_666_667}
    report = settle_history(history, 100, payoffs=agreed)
    assert [one["amount"] for one in report["contributors"].values()] == ["33.33", "66.67"]
    assert report["basis"] == "agreed"
    with pytest.raises(ValueError, match="do not sum to the bounty"):
        settle_history(history, 100, payoffs={**agreed, names[0]: 1})


def test_the_comment_has_a_table_the_reasons_and_no_markup_of_others(history: History) -> None:
    text = markdown(settle_history(history, 500, "EUR"))
    table = [line for line in text.splitlines() if line.startswith("| ")]
    assert len(table) == 4
    assert all(line.replace("\\|", "").count("|") == 9 for line in table)
    assert "http://" not in text
    assert "@all" not in text
    assert "](" not in text.replace("\\]", "").replace("\\(", "")
    fix = history.contributions[next(n for n in history.contributions if "Eve" in n)]
    assert f"1 mended line: {fix.evidence['fixes'][0].commit[:10]}" in text
    assert "30 effective lines of code" in text
    assert "commits by bots: 1" in text
    assert len(rows(settle_history(history))) == 3


@given(st.text(max_size=80))
def test_no_text_forms_markup(text: str) -> None:
    shown = escaped(text)
    assert "\n" not in shown
    for mark in "[]()<>|*_`#@":
        for at, char in enumerate(shown):
            if char == mark and mark != "@":
                assert shown[at - 1] == "\\"
            if char == mark == "@":
                assert shown[at + 1] == "\u200b"


@pytest.mark.parametrize(("bounty", "complaint"), [(0, "above 0"), ("1.001", "more than 2")])
def test_a_bounty_that_cannot_be_paid_is_refused(
    history: History, bounty: Any, complaint: str
) -> None:
    with pytest.raises(ValueError, match=complaint):
        settle_history(history, bounty)
    with pytest.raises(ValueError, match=complaint):
        delivered_params(history, bounty)


def test_a_history_in_which_nothing_counts_is_refused(tmp_path: Path) -> None:
    repo = Builder(tmp_path / "repo")
    repo.commit("Nothing", "Ada <ada@example.org>", data_dot_bin=b"\0")
    with pytest.raises(ValueError, match="nobody made anything that counts"):
        settle_history(read_history(repo.folder))


def test_a_history_becomes_a_game_that_pays_what_the_report_says(history: History) -> None:
    game = load("delivered", delivered_params(history, 500, "EUR"))
    step = game.step(game.start(), {})
    report = settle_history(history, 500, "EUR")
    amounts = {name: float(one["amount"]) for name, one in report["contributors"].items()}
    assert step.rewards == amounts
    assert sum(map(Fraction, map(str, step.rewards.values()))) == 500


def test_what_was_agreed_to_the_millionth_is_paid_in_cents_that_sum_to_all_of_it() -> None:
    thirds = {"a": 33_333_334, "b": 33_333_333, "c": 33_333_333}
    paid = agreed_amounts(thirds, Fraction(100), 2)
    assert paid == {"a": "33.34", "b": "33.33", "c": "33.33"}
