"""People at the table of a real server: each fetches its letter and answers it, in any order."""

import json
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.brought import brought_by
from tests.browser import PHONE, picture, tab
from tests.server_process import Server
from tests.waiting import wait_for

pytest.importorskip("langgraph_api", reason="the server is in the dev extra")
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("seat")]

PEOPLE = {"room": {"game": "escape_room", "seats": {"*": "human"}}}


class Party:
    """One agent's owner, at its seat."""

    def __init__(self, server: Server, episode: str, agent: str) -> None:
        self.agent = agent
        self.seat = f"{server.url}/seat/{episode}/{agent}"
        transport = httpx.HTTPTransport(retries=5)
        self._http = httpx.Client(transport=transport, timeout=300)

    def letter(self) -> dict[str, Any]:
        """The letter, as soon as there is one."""

        def delivered() -> dict[str, Any]:
            got = self._http.get(self.seat)
            return dict(got.json()) if got.is_success else {}

        return wait_for(f"a letter at {self.seat}", delivered)

    def waits(self) -> bool:
        return self._http.get(self.seat).status_code == 404

    def answer(self, **reply: Any) -> httpx.Response:
        return self._http.post(self.seat, json=reply)


class Play:
    """A run with people at the table, up to the point at which they are asked."""

    def __init__(self, server: Server, graph: str) -> None:
        self._server = server
        self._http = httpx.Client(
            base_url=server.url,
            timeout=300,
            transport=httpx.HTTPTransport(retries=5),
        )
        self.thread = self._http.post("/threads", json={}).json()["thread_id"]
        run = {"assistant_id": graph, "input": PEOPLE, "durability": "sync"}
        self._http.post(f"/threads/{self.thread}/runs/wait", json=run)
        self.episode = self.table()["episode"]

    def table(self) -> dict[str, Any]:
        return dict(self._http.get(f"/threads/{self.thread}/state").json()["values"])

    def ended(self) -> dict[str, Any]:
        wait_for("the settlement", lambda: self.table().get("settlement"))
        return self.table()

    def another_thread(self) -> None:
        """One on which nobody plays."""
        assert self._http.post("/threads", json={}).is_success

    def party(self, agent: str, server: Server | None = None) -> Party:
        return Party(server or self._server, self.episode, agent)


def test_two_people_answer_in_any_order_and_see_nothing_of_each_other(server: Server) -> None:
    play = Play(server, "llm_only")
    play.another_thread()
    alice, bob = play.party("Alice"), play.party("Bob")
    assert "You are **Alice**" in alice.letter()["letter"]
    for kind in ("text/html", "application/json"):
        got = httpx.get(alice.seat, headers={"accept": kind}).headers
        assert kind in got["content-type"]
        assert got["vary"].startswith("accept"), "a browser may not show one for the other"
        assert got["cache-control"] == "no-store"
    assert "You are **Bob**" not in alice.letter()["letter"]
    assert bob.answer(type="response", args="<ACTION>lever</ACTION>").is_success
    assert "lever" not in json.dumps(play.table()["record"])
    assert alice.answer(type="edit", args={"action": "act", "args": {"action": "door"}}).is_success
    (turn,) = play.ended()["record"]
    assert turn["actions"] == {"Alice": "door", "Bob": "lever"}
    assert alice.waits()
    assert bob.waits()


def test_a_wrong_reply_leaves_the_letter_open_with_the_reason(server: Server) -> None:
    play = Play(server, "llm_only")
    alice, bob = play.party("Alice"), play.party("Bob")
    first = alice.letter()
    assert alice.answer(type="accept").status_code == 422
    assert alice.answer(type="response", args="I would rather not say.").is_success
    second = alice.letter()
    while second["id"] == first["id"]:
        second = alice.letter()
    assert "did not count: the element that is asked for is missing." in second["description"]
    assert "Your answer has no <ACTION>" in second["letter"]
    stale = alice.answer(type="response", args="<ACTION>door</ACTION>", id=first["id"])
    assert (stale.status_code, "has been answered" in stale.text) == (422, True)
    assert alice.answer(type="response", args="<ACTION>door</ACTION>", id=second["id"]).is_success
    assert bob.answer(type="ignore").is_success
    (turn,) = play.ended()["record"]
    assert turn["actions"] == {"Alice": "door"}


@brought_by("server")
def test_a_bargaining_is_finished_after_the_server_was_killed(server: Server) -> None:
    play = Play(server, "negotiation")
    clauses = [{"kind": "do", "agent": "Bob", "action": "lever"}]
    fields = {"speech": "Pull, please.", "clauses": clauses}
    assert (
        play.party("Alice")
        .answer(type="edit", args={"action": "propose", "args": fields})
        .is_success
    )
    assert "Pull, please." in play.party("Bob").letter()["letter"]
    server.kill()
    server.start()
    play = resumed(play, server)
    assert play.party("Bob").answer(type="accept").is_success
    for agent, action in {"Bob": "lever", "Alice": "door"}.items():
        party = play.party(agent)
        party.letter()
        assert party.answer(type="response", args=f"<ACTION>{action}</ACTION>").is_success
    table = play.ended()
    assert table["contract"]["signatures"].keys() == {"Alice", "Bob"}
    assert table["record"][0]["actions"] == {"Alice": "door", "Bob": "lever"}


def resumed(play: Play, server: Server) -> Play:
    """The same play, on the port that the server has now."""
    play._http.base_url = httpx.URL(server.url)
    return play


def test_a_person_answers_on_a_phone(server: Server, tmp_path: Path) -> None:
    play = Play(server, "llm_only")
    assert play.party("Bob").answer(type="response", args="<ACTION>lever</ACTION>").is_success
    with tab(PHONE) as opened:
        page = opened.page
        page.goto(play.party("Alice").seat)
        page.get_by_role("heading", name="Alice, choose your action").wait_for()
        page.get_by_role("group", name="Your action").get_by_text("door").click()
        picture(opened, tmp_path, "seat")
        assert not opened.overflows()
        page.get_by_role("button", name="Send", exact=True).click()
        page.get_by_role("heading", name="The run is over").wait_for()
        assert [one for one in opened.complaints if "404" not in one] == []
    assert play.ended()["record"][0]["actions"] == {"Alice": "door", "Bob": "lever"}
