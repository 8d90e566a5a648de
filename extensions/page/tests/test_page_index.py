"""The index of runs in a real browser: lines, search, filters, order; talks; two runs compared."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from shapley_coop.extensions.page.local import viewer
from shapley_coop.extensions.page.run_sources import HomeSource
from shapley_coop.extensions.page.run_summary import number
from shapley_coop.graphs.preparing import prepare
from shapley_coop.graphs.running import Waiting, follow, play
from shapley_coop.state.run_config import RunConfig
from shapley_coop.state.storage.home import home
from tests.background import in_background
from tests.browser import DESK, PHONE, Tab, picture, tab

pytestmark = pytest.mark.slow

WHY = "Alice's seat did not answer; go on with coop resume stopped"


@pytest.fixture
def serving() -> Iterator[str]:
    with in_background(viewer(HomeSource(), 0, private=False)) as url:
        yield f"{url}/view/"


@pytest.fixture
def played() -> dict[str, dict[str, Any]]:
    """Two runs that have ended, one that waits for a person, and one that stopped."""
    seats = {"*": "embedded:rational", "Alice": "embedded:defector"}
    goods = RunConfig.model_validate({"game": "public_goods", "seed": 2, "seats": seats})
    found = {
        "goods": asyncio.run(play("shapley_coop", goods)),
        "room": asyncio.run(play("negotiation", RunConfig(game="escape_room", seed=3))),
    }
    person = RunConfig.model_validate({"seats": {"*": "embedded:rational", "Bob": "human"}})
    with pytest.raises(Waiting):
        asyncio.run(follow(prepare("llm_only", person, "waits"), None))
    prepare("llm_only", RunConfig(seed=9), "stopped")
    home().runs.finish("stopped", "failed", why=WHY)
    return found


def line_of(opened: Tab, run: str) -> str:
    """What can be read in the line of a run."""
    opened.page.get_by_role("row", name=run).wait_for()
    return " ".join(opened.page.get_by_role("row", name=run).inner_text().split())


def names(opened: Tab) -> list[str]:
    """The runs in the order in which they are shown."""
    return list(opened.page.locator(".shelf tbody .cid").all_inner_texts())


@pytest.mark.parametrize(("size", "scheme"), [(DESK, "light"), (PHONE, "dark")])
def test_a_line_says_who_played_what_and_how_it_ended(
    serving: str,
    played: dict[str, dict[str, Any]],
    size: tuple[int, int],
    scheme: str,
    tmp_path: Path,
) -> None:
    goods = played["goods"]
    with tab(size, scheme) as opened:
        opened.page.goto(serving)
        told = line_of(opened, goods["run"])
        assert told.startswith("Public goods")
        for agent, payoff in goods["payoffs"].items():
            assert f"{agent} {number(payoff)}" in told
        assert "Alice defector, Bob rational" in told
        assert "shapley_coop" in told
        assert "agreed" in told
        assert "waiting waits for Bob: coop answer waits Bob" in line_of(opened, "waits")
        assert f"stopped {WHY}" in line_of(opened, "stopped")
        picture(opened, tmp_path, f"index-{size[0]}-{scheme}")
        assert not opened.overflows()
        assert opened.complaints == []


def test_runs_are_found_by_words_and_filters_and_sorted_by_their_columns(
    serving: str, played: dict[str, dict[str, Any]]
) -> None:
    goods, room = (played[name]["run"] for name in ("goods", "room"))
    with tab() as opened:
        page = opened.page
        page.goto(serving)
        page.get_by_label("Search runs").fill("defector agreed")
        page.get_by_text("1 shown").wait_for()
        assert names(opened) == [goods]
        page.reload()
        page.get_by_text("1 shown").wait_for()
        assert names(opened) == [goods]
        page.get_by_label("Search runs").fill("")
        page.get_by_label("Workflow").select_option("negotiation")
        assert names(opened) == [room]
        page.get_by_label("Workflow").select_option("")
        page.get_by_role("button", name="Seed").click()
        heading = page.locator("th.seed")
        assert heading.get_attribute("aria-sort") == "ascending"
        assert names(opened)[-1] == "stopped"
        page.keyboard.press("Enter")  # the heading has kept the focus
        assert page.locator("th.seed").get_attribute("aria-sort") == "descending"
        assert names(opened)[0] == "stopped"
        page.get_by_label("Search runs").fill("no such thing")
        page.get_by_text("No run is like that.").wait_for()
        assert opened.complaints == []


@pytest.mark.parametrize("size", [DESK, PHONE])
def test_two_runs_stand_side_by_side_with_contract_payoffs_values_and_conduct(
    serving: str, played: dict[str, dict[str, Any]], size: tuple[int, int], tmp_path: Path
) -> None:
    goods, room = played["goods"], played["room"]
    with tab(size) as opened:
        page = opened.page
        page.goto(serving)
        for run in (goods, room):
            page.get_by_label(f"Choose {run['run']}").check()
        page.get_by_role("link", name="Side by side").click()
        page.get_by_role("heading", name="A · Public goods").wait_for()
        rows = page.get_by_role("region", name="Payoffs and values").first.locator("tbody tr")
        (alice, *_) = [row.locator("td").all_inner_texts() for row in rows.all()]
        values = [run["credit"]["shapley"]["Alice"] for run in (goods, room)]
        assert alice[2:4] == [number(value) for value in values]
        paid = [run["payoffs"]["Alice"] for run in (goods, room)]
        assert alice[4:6] == [number(payoff) for payoff in paid]
        assert "10 breaches: turns 1–10" in opened.text()
        assert "Alice does give at every turn." in opened.text()
        picture(opened, tmp_path, f"side-{size[0]}")
        assert not opened.overflows()
        assert opened.complaints == []


@pytest.mark.parametrize("size", [DESK, PHONE])
def test_many_talks_are_seen_at_once(
    serving: str, played: dict[str, dict[str, Any]], size: tuple[int, int], tmp_path: Path
) -> None:
    with tab(size) as opened:
        page = opened.page
        page.goto(serving)
        page.get_by_role("link", name="1 talk under way").wait_for()
        runs = [played["goods"]["run"], played["room"]["run"], "waits"]
        page.goto(f"{serving}?{'&'.join(f'talk={run}' for run in runs)}")
        page.get_by_role("heading", name="3 talks").wait_for()
        page.get_by_text("Reading…").first.wait_for(state="detached")
        assert page.locator(".talk h2").all_inner_texts() == [
            *("Public goods", "Escape room", "Escape room")
        ]
        assert "25 % of this was my doing." in page.locator(".talk").nth(0).inner_text()
        assert "waits for Bob" in page.locator(".talk").nth(2).inner_text()
        picture(opened, tmp_path, f"talks-{size[0]}")
        assert not opened.overflows()
        assert opened.complaints == []


def test_each_event_says_what_it_cost_and_the_sums_are_those_of_the_run(
    serving: str, played: dict[str, dict[str, Any]]
) -> None:
    goods = played["goods"]
    calls = HomeSource().get(goods["run"], private=False)["calls"]
    for key in ("calls", "input_tokens", "output_tokens"):
        assert sum(row[key] for row in calls) == goods["usage"][key]
    with tab() as opened:
        opened.page.goto(f"{serving}?run={goods['run']}")
        opened.page.locator("#cost").wait_for()
        first = next(row for row in calls if row["event"] == "m1")
        tokens = f"{first['input_tokens']:,} + {first['output_tokens']:,} tokens"
        assert tokens in opened.page.locator("[data-event=m1]").inner_text()
        assert "4 calls" in opened.page.locator("[data-event='turn 1']").inner_text()
        opened.page.get_by_text("By event", exact=True).click()
        table = opened.page.get_by_role("region", name="Cost by event")
        assert table.locator("tbody tr").count() == len(calls)
        assert opened.complaints == []


def test_a_run_that_stands_still_says_why_on_its_own_page(
    serving: str, played: dict[str, dict[str, Any]]
) -> None:
    with tab() as opened:
        opened.page.goto(f"{serving}?run=stopped")
        opened.page.get_by_text(f"It stopped: {WHY}").wait_for()
        opened.page.goto(f"{serving}?run=waits")
        opened.page.get_by_text("It waits for Bob: coop answer waits Bob").wait_for()
        assert opened.complaints == []
