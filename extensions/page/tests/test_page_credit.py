"""Credit on the page, in a real browser: conduct, coalitions, and the way to the payoff."""

import json
from pathlib import Path
from typing import Any

import pytest

from extensions.page.tests.paged import kind, made, saved, sloppy
from shapley_coop.extensions.page.run_summary import number
from tests.browser import DESK, PHONE, Tab, picture, tab

pytestmark = pytest.mark.slow


@pytest.fixture
def defection() -> dict[str, Any]:
    """Alice keeps for ten turns, and three give."""
    seats = {"*": "embedded:rational", "Alice": "embedded:defector"}
    return made(game="public_goods", seed=2, seats=seats)


def cells(opened: Tab, row: str) -> list[str]:
    """What can be read in the cells of a row of a table, below each other as one line."""
    return [" ".join(cell.inner_text().split()) for cell in opened.page.locator(row).all()]


@pytest.mark.parametrize(("size", "scheme"), [(DESK, "light"), (PHONE, "dark")])
def test_what_each_did_stands_beside_what_it_is_due(
    defection: dict[str, Any], size: tuple[int, int], scheme: str, tmp_path: Path
) -> None:
    with tab(size, scheme) as opened:
        opened.page.goto(saved(defection, tmp_path))
        picture(opened, tmp_path, f"credit-{size[0]}")
        told = opened.page.locator("#computed").inner_text()
        assert "an agent that takes no part: an absent agent plays keep" in told
        alice = cells(opened, "#ends tbody tr:first-child td")
        assert alice[0] == "keep ×10 (turns 1–10) 10 breaches: turns 1–10"
        assert alice[1:] == ["440", "−240", "200"]
        bob = cells(opened, "#ends tbody tr:nth-child(2) td")
        assert bob == ["give ×10 (turns 1–10)", "240", "+80", "320"]
        assert cells(opened, "#credit figure tbody tr:first-child td") == [
            "200",
            "0",
            "0",
            "0",
            "0",
        ]
        bob = cells(opened, "#credit figure tbody tr:nth-child(2) td")
        assert bob == ["320", "0", "120", "120", "120"]
        wide = opened.page.locator(".scroll").all()
        assert not any(one.evaluate("one => one.scrollWidth > one.clientWidth") for one in wide)
        assert not opened.overflows()
        assert opened.complaints == []


def test_passes_without_an_answer_of_use_are_named_in_the_row_of_the_value(
    tmp_path: Path,
) -> None:
    bundle = json.loads(json.dumps(sloppy()))
    named = "1 pass because no answer could be used (turn 1: ACTION)"
    bundle["credit"]["rows"][0]["conduct"] |= {"passes": 1, "unanswered": named}
    with tab() as opened:
        opened.page.goto(saved(bundle, tmp_path))
        (told, *_) = cells(opened, "#ends tbody tr:first-child td")
        assert told.endswith(f"{named}: what that cost is charged to its value")
        assert named not in " ".join(cells(opened, "#ends tbody tr:nth-child(2) td"))


def test_every_coalition_has_a_bar_and_a_line_in_the_table(
    defection: dict[str, Any], tmp_path: Path
) -> None:
    with tab() as opened:
        opened.page.goto(saved(defection, tmp_path))
        assert opened.page.locator("#coalitions svg .bar").count() == 16
        assert opened.page.locator("#coalitions svg[role=img][aria-label]").count() == 1
        opened.page.get_by_text("All 16 coalitions as a table").click()
        lines = opened.page.locator("#coalitions tbody tr").all_inner_texts()
        shown = [line.split("\t") for line in lines]
        assert shown[0] == ["nobody", "0"]
        assert ["Bob and Carol", "240"] in shown
        assert shown[-1] == ["all", "360"]


def test_more_than_four_agents_have_their_coalitions_in_order(tmp_path: Path) -> None:
    six = made(game="public_goods", params={"agents": list("ABCDEF")}, seed=4)
    with tab(PHONE) as opened:
        opened.page.goto(saved(six, tmp_path))
        bars = opened.page.locator("#coalitions svg .bar")
        assert bars.count() == 64
        heights = [float(str(bar.get_attribute("height"))) for bar in bars.all()]
        assert heights == sorted(heights)
        assert not opened.overflows()
        assert opened.complaints == []


def test_the_way_to_each_payoff_is_drawn_and_told_in_a_table(
    defection: dict[str, Any], tmp_path: Path
) -> None:
    with tab() as opened:
        opened.page.goto(saved(defection, tmp_path))
        drawn = opened.page.locator("#waterfall svg").first
        assert drawn.get_attribute("aria-label") == (
            "Alice: own rewards 440, put together −440, baseline 200, improvement 0, payoff 200"
        )
        rows = opened.page.locator("#waterfall tbody tr").all_inner_texts()
        assert [row.split("\t")[1] for row in rows] == ["440", "−440", "+200", "0", "200"]


def test_a_forfeited_deposit_is_a_step_of_the_way(tmp_path: Path) -> None:
    staked, result = kind("cash_grab")
    with tab() as opened:
        opened.page.goto(saved(staked, tmp_path))
        rows = opened.page.locator("#waterfall tbody tr").all_inner_texts()
        (lost,) = [row.split("\t") for row in rows if row.startswith("deposits forfeited")]
        assert lost[1:] == ["+0.5", "−1", "+0.5"]
        assert rows[-1].split("\t")[1:] == [number(result["payoffs"][a]) for a in staked["agents"]]
