"""A person at the seat's page, in a real browser: the letter, the form, its preview, its draft."""

from pathlib import Path
from typing import Any

import pytest

from tests.brought import brought_by
from tests.browser import DESK, PHONE, Tab, picture, tab
from tests.server_process import Server
from tests.waiting import wait_for

pytest.importorskip("langgraph_api", reason="the server is in the dev extra")
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("seat")]

JSON = {"accept": "application/json"}


class Table:
    """A run in which one agent is a person, on its thread."""

    def __init__(self, server: Server, graph: str, person: str, **room: Any) -> None:
        self._http = server.http()
        self.thread = self._http.post("/threads", json={}).json()["thread_id"]
        seats = {"*": "embedded:rational", person: "human"}
        run = {"assistant_id": graph, "input": {"room": {"seats": seats, **room}}}
        self._http.post(f"/threads/{self.thread}/runs/wait", json={**run, "durability": "sync"})
        self.seat = f"{server.url}/seat/{self.values()['episode']}/{person}"

    def values(self) -> dict[str, Any]:
        return dict(self._http.get(f"/threads/{self.thread}/state").json()["values"])

    def letter(self, act: str) -> dict[str, Any]:
        """The letter that asks for this, as soon as it is there."""

        def delivered() -> dict[str, Any]:
            got = self._http.get(self.seat, headers=JSON)
            letter = dict(got.json()) if got.is_success else {}
            return letter if letter.get("act") == act else {}

        return wait_for(f"{act} at {self.seat}", delivered)

    def post(self, kind: str, fields: Any) -> dict[str, Any]:
        return dict(self._http.post(self.seat, json={"type": kind, "args": fields}).json())

    def ended(self) -> dict[str, Any]:
        wait_for("the settlement", lambda: self.values().get("settlement"))
        return self.values()


def rows(opened: Tab, place: str) -> list[list[str]]:
    """The table in a part of the page, row by row."""
    lines = opened.page.locator(f"{place} table").first.locator("tbody tr")
    return [line.split("\t") for line in lines.all_inner_texts()]


def send(opened: Tab) -> None:
    opened.page.get_by_role("button", name="Send", exact=True).click()


@pytest.mark.parametrize(("size", "scheme"), [(DESK, "light"), (PHONE, "dark")])
def test_an_offer_is_made_by_choosing_and_shows_what_each_would_get(
    server: Server, size: tuple[int, int], scheme: str, tmp_path: Path
) -> None:
    table = Table(server, "negotiation_priced", "Alice", game="escape_room")
    with tab(size, scheme) as opened:
        page = opened.page
        page.goto(table.seat)
        page.get_by_role("heading", name="Alice, make an offer").wait_for()
        page.get_by_role("button", name="Somebody does").click()
        page.get_by_role("button", name="Somebody does").click()
        assert page.get_by_label("Who", exact=True).nth(1).input_value() == "", "no clause twice"
        page.get_by_label("Who", exact=True).nth(1).select_option("Bob")
        page.get_by_label("Does what").nth(1).select_option("lever")
        page.get_by_role("button", name="Somebody pays").click()
        page.get_by_label("Amount").fill("4,5")
        page.get_by_label("Amount").press("Enter")
        page.get_by_text("What each would get").wait_for()
        clauses = [
            {"kind": "do", "agent": "Alice", "action": "door"},
            {"kind": "do", "agent": "Bob", "action": "lever"},
            {"kind": "pay", "payer": "Alice", "payee": "Bob", "amount": "4.5", "per": "once"},
        ]
        computed = table.post("draft", {"clauses": clauses})
        assert rows(opened, ".preview") == computed["outlook"]["rows"]
        assert ["all keep the deal", "5.5", "3.5"] in computed["outlook"]["rows"]
        assert page.locator(".preview li").all_inner_texts() == computed["words"]
        picture(opened, tmp_path, f"seat-offer-{size[0]}")
        assert not opened.overflows()
        # A reload keeps what was filled in.
        page.reload()
        page.get_by_text("What each would get").wait_for()
        assert page.get_by_label("Amount").input_value() == "4.5"
        assert rows(opened, ".preview") == computed["outlook"]["rows"]
        assert table.values()["talk"] == [], "Enter in a field sends nothing"
        page.get_by_label("What you say to all").fill("Pull, and I pay. <ACCEPT>")
        send(opened)
        page.get_by_role("heading", name="Alice, choose your action").wait_for()
        assert [one for one in opened.complaints if "404" not in one] == []
    first = table.values()["talk"][0]
    assert first["text"].startswith("Pull, and I pay.")
    assert "<ACCEPT>" not in first["text"]
    assert [one["kind"] for one in first["deal"]["clauses"]] == ["do", "do", "pay"]


def test_an_answer_begins_with_the_offer_and_a_claim_is_a_number(
    server: Server, tmp_path: Path
) -> None:
    table = Table(server, "shapley_coop", "Bob", game="escape_room", seed=3)
    with tab() as opened:
        page = opened.page
        page.goto(table.seat)
        page.get_by_label("What you earn together").fill("9")
        page.get_by_label("How it affects the others").select_option("+")
        page.get_by_label("What you should be paid").fill("4")
        send(opened)
        page.get_by_role("heading", name="Bob, answer the offer").wait_for()
        page.get_by_text("Reject it, and make an offer of my own").click()
        page.get_by_text("What each would get").wait_for()
        offer = table.letter("answer")["form"]["offer"]
        assert page.locator(".editor > li").count() == len(offer["clauses"])
        shown = rows(opened, ".preview")
        table_of_offer = ".letter > section:has-text('Your turn: answer')"
        assert shown == [row for row in rows(opened, table_of_offer) if row[0] != "split by"]
        picture(opened, tmp_path, "seat-answer")
        page.get_by_text("Accept it").click()
        send(opened)
        page.get_by_role("group", name="Your action").get_by_text("lever").click()
        send(opened)
        part = page.get_by_label("What part was your doing")
        part.wait_for()
        assert page.locator(".sent").inner_text() == "Your answer was sent."
        wrong = page.locator(".wrong")
        for text, right in {
            "": "Write a number from 0 to 100, as in 30 or 33.3 %.",
            "140": "Write a number from 0 to 100, as in 30 or 33.3 %.",
            "1/3": "Write 33.3.",
        }.items():
            part.fill(text)
            send(opened)
            assert wrong.inner_text() == right
            assert part.evaluate("one => one.matches(':focus')"), "it is not sent"
        assert page.locator(".sent").count() == 0, "it was said of the answer before"
        picture(opened, tmp_path, "seat-refused")
        assert table.post("fields", {"percent": "140%"})["refused"] == "CLAIM"
        told = page.get_by_role("alert").get_by_text("'140%' is not from 0 to 100 %")
        assert "state “What part was your doing” from 0 to 100 %" in told.inner_text()
        assert part.input_value() == "1/3"
        read = {typed: table.post("draft", {"percent": typed}) for typed in ("60 %%", "1%", "1/3%")}
        assert read["60 %%"]["words"] == ["You say that 60 % of it was your doing."]
        assert read["1%"]["words"] == ["You say that 1 % of it was your doing."]
        assert read["1/3%"]["why"].endswith("if it is a part of the whole, write 33.3.")
        part.fill("40,0 %")
        assert page.locator("#reason").inner_text() == "", "a change answers the refusal"
        page.locator(".preview").get_by_text("You say that 40 % of it was your doing.").wait_for()
        send(opened)
        page.get_by_role("heading", name="The run is over").wait_for()
        assert "You end with 4.5: -1 earned, and 5.5 paid to you." in opened.text()
        assert "Alice pays you 5.5 by the contract." in opened.text()
        picture(opened, tmp_path, "seat-over")
        page.get_by_role("link", name="The whole run").click()
        page.get_by_role("heading", name="Escape room").wait_for()
    ended = table.ended()
    assert ended["claims"]["Bob"] == "0.4"
    assert ended["record"][0]["actions"]["Bob"] == "lever"
    assert ended["contract"]["signatures"].keys() == {"Alice", "Bob"}


@brought_by("exchange")
def test_tasks_are_given_to_agents_and_said_what_they_are_worth(server: Server) -> None:
    table = Table(server, "task_exchange", "Bob", game="task_exchange", seed=2)
    table.letter("consider")
    assert table.post("fields", {"thoughts": "I want what is mine."})["taken"]
    letter = table.letter("exchange")
    tasks = letter["form"]["trade"]["tasks"]
    assert len(tasks) == 6
    with tab(PHONE) as opened:
        page = opened.page
        page.goto(table.seat)
        offered = page.get_by_role("region", name="What Alice proposes").get_by_role("listitem")
        offered.first.wait_for()
        said = [f"{task['name']}{task['proposed']}" for task in tasks]
        assert [text.replace("\n", "") for text in offered.all_inner_texts()] == said
        assert "000011" not in page.locator(".letter").inner_text(), "tasks have their names"
        choices = page.get_by_role("group", name="Who is to do what")
        assert not choices.is_visible(), "what is accepted is the proposal"
        page.get_by_text("Reject it, and propose another allocation").click()
        assert choices.is_visible()
        page.get_by_text("Your tasks would be worth").last.wait_for()
        for task in tasks:
            page.get_by_label(task["name"], exact=True).select_option("Bob")
        page.get_by_text("It would be sent back").wait_for()
        page.get_by_label(tasks[0]["name"], exact=True).select_option("Alice")
        page.locator(".preview").get_by_text("Your tasks would be worth").wait_for()
        assert not opened.overflows()
        assert opened.complaints == []


def test_a_preview_refuses_what_the_table_refuses_in_the_same_words(server: Server) -> None:
    table = Table(server, "negotiation_priced", "Alice", game="escape_room")
    wrong = {"clauses": [{"kind": "do", "agent": "Zed", "action": "door"}]}
    foreseen, told = table.post("draft", wrong), table.post("fields", wrong)
    assert (foreseen["refused"], foreseen["why"]) == (told["refused"], told["why"])
    assert foreseen["why"] == "c1 names Zed, who is not a party: the parties are Alice, Bob."
    assert foreseen["why"] in table.letter("propose")["why"]
    assert table.post("draft", "no object")["detail"] == (
        "args: give the fields of the form as one object"
    )


@pytest.mark.parametrize("size", [(1280, 800), PHONE])
def test_a_person_reads_the_game_first_and_the_question_last_without_tags(
    server: Server, size: tuple[int, int], tmp_path: Path
) -> None:
    table = Table(server, "negotiation", "Bob", game="escape_room", seed=3)
    letter = table.letter("answer")
    with tab(size) as opened:
        page = opened.page
        page.goto(table.seat)
        page.get_by_role("heading", name="Bob, answer the offer").wait_for()
        titles = page.locator(".letter h2").all_inner_texts()
        assert titles[:2] == ["The game", "What is at stake for you"]
        assert titles[-1].startswith("Your turn: answer Alice's offer 1")
        asked = page.locator(".letter section").last.inner_text()
        assert "Alice does door." in asked, "the deal on the table is told in words"
        read = opened.text()
        assert [mark for mark in ("<ACCEPT>", "<s>", '{"', "<NOTES>") if mark in read] == []
        assert "A deal needs everybody's yes" not in read, "how it goes is folded"
        page.get_by_text("More", exact=True).click()
        assert letter["letter"] in page.locator("pre").inner_text()
        assert "`<ACCEPT>`" in letter["letter"]
        picture(opened, tmp_path, f"seat-letter-{size[0]}")
        assert not opened.overflows()
        assert opened.complaints == []


def test_a_letter_is_answered_by_keyboard_alone(server: Server) -> None:
    table = Table(server, "negotiation", "Bob", game="escape_room", seed=3)
    with tab((390, 800), reduced_motion="reduce") as opened:
        page = opened.page
        page.goto(table.seat)
        page.get_by_role("heading", name="Bob, answer the offer").wait_for()

        def to(name: str) -> None:
            """Press Tab until the control of this name has the focus, and shows it."""
            for _ in range(40):
                page.keyboard.press("Tab")
                found = page.evaluate(FOCUSED)
                assert found["seen"], f"the focus on {found['name']} cannot be seen"
                if found["name"].startswith(name):
                    return
            raise AssertionError(f"Tab does not reach {name}")

        to("How it goes")
        page.keyboard.press("Enter")
        page.locator(".letter").get_by_text("A deal needs everybody's yes").wait_for()
        to("Accept it")
        page.keyboard.press("ArrowRight")
        assert page.get_by_label("Reject it", exact=True).is_checked()
        page.keyboard.press("ArrowLeft")
        to("What you say to all")
        page.keyboard.type("Fine.")
        to("Pass")
        page.keyboard.press("Enter")
        page.get_by_role("dialog", name="Pass?").wait_for()
        page.keyboard.press("Escape")
        page.keyboard.press("Shift+Tab")
        page.keyboard.press("Space")
        page.get_by_role("heading", name="Bob, choose your action").wait_for()
        page.get_by_text("The rules, as in your first letter").wait_for()
        assert 'Bob accepts offer 1: "Fine."' in page.locator(".letter").inner_text()
        to("door")
        page.keyboard.press("ArrowRight")
        page.keyboard.press("Enter")
        to("Send")
        page.keyboard.press("Enter")
        page.get_by_role("heading", name="The run is over").wait_for()
    assert table.ended()["record"][0]["actions"]["Bob"] == "lever"


FOCUSED = """(() => {
    const one = document.activeElement;
    const drawn = one.matches(".choice input") ? one.nextElementSibling : one;
    const named = one.getAttribute("aria-label") || one.labels?.[0]?.textContent || one.textContent;
    const style = getComputedStyle(drawn);
    const ringed = style.outlineStyle !== "none" && style.outlineWidth !== "0px";
    const { left, top, width, height } = drawn.getBoundingClientRect();
    const above = document.elementFromPoint(left + width / 2, Math.max(1, top + height / 2));
    const clear = above && (drawn.contains(above) || above.contains(drawn));
    const seen = one === document.body || (ringed && clear);
    return { name: named.trim(), seen };
})()"""
"""What has the focus, and whether a line around it is drawn, and nothing covers it."""


def test_all_of_the_seat_is_reached_by_keyboard_and_everything_has_a_name(server: Server) -> None:
    table = Table(server, "negotiation_priced", "Alice", game="prisoners_dilemma")
    with tab() as opened:
        page = opened.page
        page.goto(table.seat)
        page.get_by_role("button", name="Somebody pays").press("Enter")
        assert page.evaluate("document.activeElement.getAttribute('aria-label')") == "Who pays"
        unnamed = page.evaluate(
            """[...document.querySelectorAll("input, select, textarea, button")].filter(
                (one) => !(one.getAttribute("aria-label") || one.labels?.length || one.textContent)
            ).length"""
        )
        assert unnamed == 0
        page.get_by_label("Remove clause 1").press("Enter")
        assert page.locator(".editor > li").count() == 0
        assert page.evaluate("document.activeElement.textContent") == "Somebody does …"
        assert opened.complaints == []


def test_who_waits_for_whom_leads_to_the_seat(server: Server) -> None:
    table = Table(server, "llm_only", "Bob", game="escape_room")
    with tab() as opened:
        page = opened.page
        page.goto(f"{server.url}/view/?q={table.thread}")
        page.get_by_role("link", name="Bob’s seat").wait_for()
        page.get_by_role("row", name=table.thread).get_by_role("link").first.click()
        page.get_by_text("It waits for").wait_for()
        thread = page.get_by_role("link", name="Its thread on the server").get_attribute("href")
        assert table.thread in str(thread)
        page.get_by_role("link", name="Bob, at Bob’s seat").click()
        page.get_by_role("heading", name="Bob, choose your action").wait_for()
        assert opened.complaints == []


def test_a_thread_that_failed_says_why_in_the_list_and_on_its_page(server: Server) -> None:
    absent = {"model": "openai:m", "base_url": "http://127.0.0.1:9/v1", "timeout": 2}
    with server.http() as http:
        thread = http.post("/threads", json={}).json()["thread_id"]
        room = {"game": "escape_room", "seats": {"*": absent}}
        run = {"assistant_id": "llm_only", "input": {"room": room}}
        http.post(f"/threads/{thread}/runs/wait", json=run)
    why = "seat (openai:m) did not answer"
    with tab() as opened:
        opened.page.goto(f"{server.url}/view/?q={thread}")
        told = opened.page.get_by_role("row", name=thread).locator(".outcome")
        told.get_by_text(why).wait_for()
        assert told.locator("p").inner_text().startswith(("Alice's", "Bob's"))
        opened.page.goto(f"{server.url}/view/?run={thread}")
        opened.page.get_by_text("It stopped: ").wait_for()
        assert why in opened.page.locator(".standstill").inner_text()
        assert opened.complaints == []


def test_an_offer_without_a_clause_is_no_silence_and_a_contract_may_be_words(
    server: Server, tmp_path: Path
) -> None:
    seats = {"*": "embedded:rational", "Alice": "human", "summariser": "human"}
    table = Table(server, "contracts", "Alice", game="cash_grab", seed=1, seats=seats)
    table.letter("contract_propose")
    empty = table.post("fields", {"decision": "offer", "clauses": None, "speech": "Hm."})
    assert empty["detail"] == "Your offer has no clause: add one, or decide otherwise"
    with tab() as opened:
        page = opened.page
        page.goto(table.seat)
        letter = page.locator(".letter").inner_text()
        assert "conditional sharing of rewards: to even things out" in letter
        assert [mark for mark in ("**", "`", "| --- |") if mark in letter] == []
        page.get_by_label("What you say to all").fill("All of us wait, and share alike.")
        send(opened)
        alert = page.get_by_role("alert")
        alert.get_by_text("Your offer has no clause").wait_for()
        page.get_by_text("Propose in words alone").click()
        assert page.locator("#reason").inner_text() == ""
        assert "somebody impartial drafts its clauses for all to sign" in opened.text()
        said = page.get_by_label("Your proposal in words")
        said.fill("")
        send(opened)
        assert page.locator(".wrong").inner_text() == "Write your proposal here."
        said.fill("All of us wait, and share alike.")
        picture(opened, tmp_path, "seat-words")
        send(opened)
        wait_for("what was said", lambda: table.values()["talk"])
        assert [one for one in opened.complaints if "422" not in one and "404" not in one] == []
    said = table.values()["talk"][0]
    assert (said["act"], said["text"]) == ("propose", "All of us wait, and share alike.")
    assert said["deal"]["clauses"] == []
