"""The page of a person at a served table: what it says of fields, of letters and of the table."""

from pathlib import Path
from typing import Any

import pytest

from extensions.people.tests.test_served_table import CLAUSES, ROOM, TWO, tables
from tests.brought import brought_by
from tests.browser import PHONE, Tab, picture, tab

__all__ = ["tables"]

pytestmark = pytest.mark.slow

AWAY = "The table is not reached. What you typed stays here; it goes on by itself"


def begin(opened: Tab, link: str, heading: str) -> Any:
    opened.page.goto(link)
    opened.page.get_by_role("heading", name=heading).wait_for()
    return opened.page


def press(page: Any, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()


def test_a_form_stays_while_the_table_is_away_and_goes_on_when_it_is_back(tables: Any) -> None:
    link = tables(*ROOM).link("Alice")
    with tab(PHONE) as opened:
        page = begin(opened, link, "Alice, make an offer")
        press(page, "Somebody pays …")
        page.get_by_label("Amount").fill("4")
        notice = page.locator("#notice")
        page.route(link, lambda asked: asked.fulfill(status=404, json={"detail": "It is gone."}))
        notice.get_by_text(AWAY).wait_for()
        page.route(link, lambda asked: asked.fulfill(body="<!doctype html>"))
        notice.get_by_text("The server’s answer cannot be read.").wait_for()
        page.route(link, lambda asked: asked.abort())
        notice.get_by_text(AWAY).wait_for()
        press(page, "Send")
        notice.get_by_text("send it again when the table is back").wait_for()
        assert opened.text().count("The table is not reached") == 1
        assert "arrived" not in opened.text()
        nothing = {"title": "Nothing to answer now", "told": [], "over": False}
        page.route(link, lambda asked: asked.fulfill(status=404, json=nothing))
        notice.get_by_text("Your answer is not asked for just now").wait_for()
        assert "Nothing to answer now" not in opened.text()
        page.unroute(link)
        notice.wait_for(state="hidden")
        assert page.get_by_label("Amount").input_value() == "4"
        press(page, "Send")
        page.locator("#app").get_by_text("Your answer was sent.").wait_for()


def test_back_shows_the_letter_again(tables: Any) -> None:
    link = tables(*ROOM).link("Alice")
    with tab() as opened:
        page = begin(opened, link, "Alice, make an offer")
        page.goto("about:blank")
        page.go_back(wait_until="commit")
        page.get_by_role("heading", name="Alice, make an offer").wait_for()
        assert page.locator("#notice").inner_text() == ""
        assert opened.complaints == []


def test_fields_take_signs_and_commas_and_say_beside_them_what_is_wrong(
    tables: Any, tmp_path: Path
) -> None:
    with tab(PHONE) as opened:
        page = begin(opened, tables(*ROOM).link("Alice"), "Alice, make an offer")
        for kind in ("Somebody does …", "Somebody does …", "Somebody pays …"):
            press(page, kind)
        press(page, "Send")
        who, wrong = page.get_by_label("Who", exact=True).nth(1), page.locator(".wrong")
        assert wrong.all_inner_texts() == [
            "Choose: who.",
            "Choose: does what.",
            "Write a number, as in 3 or 1.5.",
        ]
        assert who.evaluate("one => one === document.activeElement && one.ariaInvalid") == "true"
        assert not opened.overflows()
        who.select_option("Bob")
        page.get_by_label("Does what").nth(1).select_option("lever")
        amount = page.get_by_label("Amount")
        for text in ("1.000", "1,000"):
            amount.fill(text)
            amount.blur()
            assert wrong.inner_text() == "Is it 1 or 1000? Write the one or the other."
            assert amount.get_attribute("aria-describedby") == wrong.get_attribute("id")
            assert page.locator(".preview").inner_text() == "", "nothing is scolded twice"
        amount.fill("4,5 Points")
        page.get_by_text("Alice pays Bob 4.5, once.").wait_for()
        assert page.locator(".part", has=amount).inner_text() == "points"
        assert wrong.count() == 0
        page.get_by_label("How often").select_option("reward")
        amount.fill("60")
        amount.blur()
        assert "as in 0.6 or 60 %" in wrong.inner_text()
        amount.fill("33,3 %")
        page.get_by_text("Alice pays Bob 33.3 % of what Alice earns.").wait_for()
        page.get_by_label("Who pays").select_option("Bob")
        assert page.get_by_label("Who is paid").input_value() == "Alice", "nobody pays itself"
        press(page, "Send")
        page.get_by_role("heading", name="Alice, make an offer").wait_for(state="detached")
        assert [one for one in opened.complaints if "404" not in one] == []


def test_an_answer_says_what_it_brings_and_the_next_letter_what_is_new(
    tables: Any, tmp_path: Path
) -> None:
    table = tables(*ROOM)
    table.send("Alice", "propose", clauses=CLAUSES)
    table.letter("Bob", "answer")
    with tab(PHONE) as opened:
        page = begin(opened, table.link("Bob"), "Bob, answer the offer")
        other = begin(Tab(page.context.new_page()), page.url, "Bob, answer the offer")
        page.get_by_text("Reject it, and make").click()
        page.get_by_label("Remove clause 3").click()
        page.get_by_role("button", name="Begin with Alice’s offer 1").click()
        press(page, "No, go back")
        assert page.locator(".editor > li").count() == 2
        page.get_by_role("button", name="Begin with Alice’s offer 1").click()
        press(page, "Yes, begin with them")
        assert page.locator(".editor > li").count() == 3
        page.get_by_text("Accept it").click()
        page.get_by_text("What each gets if you accept").wait_for()
        shown = page.locator(".preview").inner_text()
        assert "all keep the deal\t4\t5" in shown
        assert "you sign and break it by door\t4\t-6" in shown
        press(page, "Send")
        page.get_by_role("heading", name="Bob, choose your action").wait_for()
        assert page.locator(".sent").inner_text() == "Your answer was sent."
        assert page.evaluate("document.activeElement.textContent") == "Your answer"
        asked = page.locator(".answer").bounding_box() or {}
        assert 0 <= asked["y"] < PHONE[1] / 2, "the question is in sight"
        since = page.locator(".since").inner_text()
        assert since == "Since then: Bob accepts offer 1"
        picture(opened, tmp_path, "seat-since")
        titles = page.locator(".letter h2").all_inner_texts()
        assert titles[:3] == ["New since your last letter", "The deal in force", "Your move"]
        press(page, "Pass")
        passed = page.get_by_role("dialog", name="Pass?")
        assert "You then do nothing in this turn. If the deal asks" in passed.inner_text()
        press(page, "No, go back")
        other.get_by_role("heading", name="Bob, choose your action").wait_for()
        became = "The letter that was here is answered, or its time was over."
        assert other.locator(".sent").inner_text() == became


def test_a_letter_that_another_window_answered_is_not_answered_again(tables: Any) -> None:
    table = tables(*ROOM)
    with tab(PHONE) as opened:
        page = begin(opened, table.link("Alice"), "Alice, make an offer")
        press(page, "Somebody does …")
        page.route(page.url, lambda asked: asked.abort())
        page.locator("#notice").get_by_text(AWAY).wait_for()
        table.send("Alice", "propose", clauses=CLAUSES)
        page.unroute(page.url)
        press(page, "Send")
        page.locator("#app").get_by_text("You answered this letter in another window.").wait_for()
        assert "still here" not in opened.text()


@brought_by("exchange")
def test_a_proposal_that_changes_nothing_is_asked_about(tables: Any) -> None:
    table = tables("run", "task_exchange", "--agent", "Alice=human", "--seed", "2", "--serve")
    table.send("Alice", "consider", thoughts="I want what is mine.")
    table.letter("Alice", "exchange")
    with tab(PHONE) as opened:
        page = begin(opened, table.link("Alice"), "Alice, ")
        press(page, "Send")
        asked = page.get_by_role("dialog", name="You have changed nothing")
        asked.wait_for()
        press(page, "No, go back")
        assert page.get_by_role("group", name="Who is to do what").is_visible()
        press(page, "Send")
        press(page, "Yes, send it")
        page.locator("#app").get_by_text("Your answer was sent.").wait_for()


def test_a_split_after_the_play_is_said_to_replace_the_payments_and_ends_no_clause(
    tables: Any,
) -> None:
    table = tables("run", "escape_room", *TWO, "--serve")
    for who in ("Alice", "Bob"):
        table.send(who, "reason", thoughts="Collective payoff: 9\nExternality: +\nPrice: 1")
    table.send("Alice", "propose", decision="offer", clauses=CLAUSES)
    table.send("Bob", "answer", decision="accept")
    for who, action in {"Alice": "door", "Bob": "lever"}.items():
        table.send(who, "act", action=action)
    for who in ("Alice", "Bob"):
        table.send(who, "claim", percent="50")
    with tab(PHONE) as opened:
        page = begin(opened, table.link("Alice"), "Alice, ")
        press(page, "The total is split …")
        page.get_by_text("it replaces the payments of the deal").wait_for()
        assert page.get_by_role("checkbox").count() == 0
        page.get_by_label("Remove clause 1").click()
        page.get_by_text("it replaces the payments of the deal").wait_for(state="hidden")
