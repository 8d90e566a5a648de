"""The page in a real browser: from a file, in replay, hostile, on a phone."""

import json
from pathlib import Path
from typing import Any

import pytest

from extensions.page.tests.paged import GAMES, kind, saved, sloppy
from shapley_coop.extensions.page.run_summary import number
from tests.browser import DESK, PHONE, picture, tab

pytestmark = pytest.mark.slow

HOSTILE = '</script><img src=x onerror="window.hacked=1"><b>bold</b>\u2028&lt;i&gt;'

STRUCTURE = {
    *("kind", "act", "is", "state", "status", "basis", "ledger", "topic", "phase", "method"),
    *("see", "event", "verdict", "at_signing"),
}
"""Words of the bundle itself; everything else can come from an agent or a game."""


@pytest.fixture
def bundle() -> dict[str, Any]:
    return sloppy()


PANELS = {
    "Contract": set(GAMES),
    "Planned and realised": set(GAMES),
    "Possible outcomes": set(GAMES),
    "What each did, and what each is due": set(GAMES),
    "Who earned what": set(GAMES),
    "What coalitions are worth": set(GAMES),
    "From reward to payoff": set(GAMES),
    "Escrow": {"cash_grab"},
    "Ledger": set(GAMES),
    "Cost": set(GAMES),
    "The game": set(GAMES),
}


# From a file


@pytest.mark.parametrize(("size", "name"), [(DESK, "desk"), (PHONE, "phone")])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_one_file_shows_the_whole_run(
    bundle: dict[str, Any], size: tuple[int, int], name: str, scheme: str, tmp_path: Path
) -> None:
    with tab(size, scheme) as opened:
        opened.page.goto(saved(bundle, tmp_path))
        picture(opened, tmp_path, f"report-{name}-{scheme}")
        shown = opened.text()
        whole = opened.page.locator("body").text_content() or ""  # what is folded, too
        assert opened.complaints == []
        assert not opened.overflows()
    assert len(bundle["timeline"]) == 8
    for said in (event for event in bundle["timeline"] if event["kind"] == "said"):
        assert said["text"] in (whole if said["by"] == "summariser" else shown)
    for title in ("Contract", "Planned and realised", "Possible outcomes", "Who earned what"):
        assert title in shown
    assert {"Ledger", "Cost", "The game"} <= set(shown.split("\n"))
    assert "A simulation" in shown


@pytest.mark.parametrize("name", GAMES)
def test_the_page_of_every_kind_of_run_says_what_its_result_says(name: str, tmp_path: Path) -> None:
    panels = {title for title, games in PANELS.items() if name in games} | {"Contract"}
    shows_what_its_result_says(name, *kind(name), panels, tmp_path)


def shows_what_its_result_says(
    name: str, bundle: dict[str, Any], result: dict[str, Any], panels: set[str], tmp_path: Path
) -> None:
    with tab() as opened:
        opened.page.goto(saved(bundle, tmp_path))
        shown = opened.page.locator("h2").all_inner_texts()
        assert {title for title in PANELS if title in shown} == panels
        ended = opened.page.locator(".tile[class*=agent] .big").all_inner_texts()
        assert ended == [number(result["payoffs"][agent]) for agent in result["agents"]]
        values = opened.page.locator("#credit figure tbody tr").all()
        assert [row.locator("td").nth(5).inner_text() for row in values] == [
            number(result["credit"]["shapley"][agent]) for agent in result["agents"]
        ]
        text = opened.text()
        assert all(clause in text for clause in _words(result["contract"]))
        assert text.count("breach of c") == len(result["breaches"])
        stands = opened.page.locator("#contract .clauses .verdict").all_inner_texts()
        assert [one[2:] for one in stands] == list(result["audit"]["verdicts"].values())
        for width, height in (PHONE, DESK):
            opened.page.set_viewport_size({"width": width, "height": height})
            assert not opened.overflows()
            picture(opened, tmp_path, f"{name}-{width}")
        assert opened.complaints == []


def _words(contract: dict[str, Any] | None) -> list[str]:
    """The clauses of a contract without their numbers."""
    lines = contract["text"].splitlines() if contract else []
    return [line.partition(". ")[2] for line in lines]


def test_a_number_of_the_story_leads_to_the_panel_where_it_stands(
    bundle: dict[str, Any], tmp_path: Path
) -> None:
    with tab() as opened:
        opened.page.goto(saved(bundle, tmp_path))
        told = "".join(part["text"] for part in bundle["story"]).strip()
        assert opened.page.locator(".story").inner_text().strip() == told
        for link in opened.page.locator(".story a").all():
            target = str(link.get_attribute("href"))
            assert opened.page.locator(target).count() == 1
        opened.page.locator(".story a[href='#credit']").first.click()
        assert opened.page.locator("#credit h2").is_visible()
        assert opened.complaints == []


def test_what_was_opened_stays_open_while_the_run_is_walked_through(
    bundle: dict[str, Any], tmp_path: Path
) -> None:
    with tab() as opened:
        opened.page.goto(saved(bundle, tmp_path))
        opened.page.get_by_text("By agent").click()
        opened.page.get_by_text("By agent").focus()
        opened.page.evaluate("document.querySelector('[aria-label=\"To the start\"]').click()")
        assert opened.page.locator("#cost details").first.get_attribute("open") is not None
        assert opened.page.evaluate("document.activeElement.textContent") == "By agent"


def test_deposits_and_verdicts_are_those_of_the_moment(tmp_path: Path) -> None:
    staked, _ = kind("cash_grab")
    with tab() as opened:
        page = opened.page
        page.goto(saved(staked, tmp_path))
        broken, escrow = page.locator("#contract .clauses > li").nth(4), page.locator("#escrow")
        assert "violated since turn 2" in broken.inner_text()
        assert "0 held, 1 forfeited, 2 returned" in escrow.inner_text()
        kinds = [event["kind"] for event in staked["timeline"]]
        for turn, verdict, held in ((1, "pending", 3), (2, "violated", 2)):
            page.get_by_label("Events shown").fill(str(kinds.index("played") + turn))
            assert broken.locator(".verdict").inner_text().endswith(verdict)
            assert f"{held} held" in escrow.inner_text()
        assert opened.complaints == []


def test_a_refused_draft_is_shown_with_its_reason_to_the_operator_alone(
    bundle: dict[str, Any], tmp_path: Path
) -> None:
    (refused,) = [note for note in bundle["private"] if note["fault"]][:1]
    with tab() as opened:
        opened.page.goto(saved(bundle, tmp_path))
        opened.page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
        assert refused["fault"]["feedback"] in opened.text()
        opened.page.goto(saved({**bundle, "private": None}, tmp_path))
        opened.page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
        assert refused["fault"]["feedback"] not in opened.text()


def test_error_bars_are_drawn_and_told(bundle: dict[str, Any], tmp_path: Path) -> None:
    sampled = json.loads(json.dumps(bundle))
    sampled["credit"]["rows"][0]["error"] = 0.5
    with tab() as opened:
        opened.page.goto(saved(sampled, tmp_path))
        assert opened.page.locator("svg .error").count() == 1
        assert "0.98" in opened.text()


# Replay


def test_replay_walks_through_the_run_by_mouse_and_by_keys(
    bundle: dict[str, Any], tmp_path: Path
) -> None:
    with tab() as opened:
        page = opened.page
        page.goto(saved(bundle, tmp_path))
        place = page.locator(".replay output")
        assert place.inner_text() == "8 of 8"
        page.get_by_role("button", name="To the start").click()
        assert "Nothing is signed." in opened.text()
        assert page.locator(".event.later").count() == 8
        for _ in range(4):
            page.get_by_role("button", name="One event on").click()
        assert "kept" not in page.locator("[aria-labelledby=contract-title]").inner_text()
        page.locator("h1").click()
        page.keyboard.press("ArrowRight")
        assert place.inner_text() == "5 of 8"
        assert "kept" in page.locator("[aria-labelledby=contract-title]").inner_text()
        page.keyboard.press("ArrowLeft")
        assert place.inner_text() == "4 of 8"
        picture(opened, tmp_path, "replay")
        page.get_by_role("button", name="To the end").click()
        assert page.locator(".event.later").count() == 0
        assert opened.complaints == []


def test_all_of_it_can_be_reached_by_keyboard_and_has_a_name(
    bundle: dict[str, Any], tmp_path: Path
) -> None:
    with tab() as opened:
        opened.page.goto(saved(bundle, tmp_path))
        reached: list[str] = []
        while True:
            opened.page.keyboard.press("Tab")
            name, outline = opened.page.evaluate(
                """(() => {
                    const one = document.activeElement;
                    const name = one.getAttribute("aria-label") ?? one.textContent;
                    return [name, getComputedStyle(one).outlineStyle];
                })()"""
            )
            if name == opened.page.evaluate("document.body.textContent"):
                break
            assert name
            assert (name, outline) == (name, "solid")
            reached.append(name)
        assert reached[0] == "To the timeline"
        assert {"To the start", "Play", "Events shown", "Ledger", "Ledger lines"} <= set(reached)
        drawn = opened.page.locator("svg:not([role=img]):not([aria-hidden=true])")
        assert drawn.count() == 0


# Hostile text


def hostile(value: Any, names: set[str]) -> Any:
    """The same bundle with markup in every name and text."""
    if isinstance(value, str):
        return value + HOSTILE
    if isinstance(value, list):
        return [hostile(one, names) for one in value]
    if isinstance(value, dict):
        return {
            (key + HOSTILE if key in names else key): one
            if key in STRUCTURE and isinstance(one, str)
            else hostile(one, names)
            for key, one in value.items()
        }
    return value


def test_hostile_text_in_every_field_is_shown_as_text(
    bundle: dict[str, Any], tmp_path: Path
) -> None:
    staked, _ = kind("cash_grab")
    accounts = {"door", "lever", "take", "wait", "world", "escrow"}
    with tab() as opened:
        for one in (bundle, staked):
            opened.page.goto(saved(hostile(one, {*one["agents"], *accounts}), tmp_path))
            picture(opened, tmp_path, f"hostile-{one['graph']}")
            opened.page.evaluate(
                "document.querySelectorAll('details').forEach(one => one.open = true)"
            )
            assert opened.text().count("<b>bold</b>") > 100
            assert opened.page.evaluate("window.hacked") is None
            assert opened.page.locator("#app img, #app b, #app script").count() == 0
            assert opened.page.locator("html > body > *").count() == 3
        assert opened.complaints == []
