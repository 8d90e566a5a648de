"""Who agreed to a split: people by the links of their seats, and nobody in their place."""

import http.client
import json
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from extensions.repository.tests.history_builder import Builder
from shapley_coop.extensions.bounty.consent import consent_words
from shapley_coop.extensions.bounty.settling import Settling
from shapley_coop.extensions.people.pages import SeatPages
from shapley_coop.seats.records import overdue
from tests.background import beside
from tests.browser import PHONE, tab
from tests.coop_command import USAGE, Coop, one_line

pytestmark = pytest.mark.slow

ADA, DORA = "Ada <ada@example.org>", "Dora <dora@example.org>"
YES, NO = "<ACCEPT>", "<REJECT><s>The review took me two days.</s>"
TO_DORA = {"kind": "pay", "payer": "Ada", "payee": "Dora", "amount": 10}
COUNTER = f"{NO}<PROPOSAL>{json.dumps({'clauses': [TO_DORA]})}</PROPOSAL>"
PAY = "--for-payment"
A_DAY = (PAY, "--deadline", "86400")


@pytest.fixture
def coop(coop: Coop, tmp_path: Path) -> Coop:
    repo = Builder(tmp_path / "repo")
    repo.commit("Write", ADA, a_dot_py="first = 1\nsecond = other\nthird = more\n")
    repo.commit("Add", DORA, b_dot_py="fourth = entirely\n")
    return coop


def settled(coop: Coop, *more: str) -> tuple[dict[str, Any], dict[str, str]]:
    """Who agreed, and what each gets."""
    found = coop("settle-git", "repo", "--bounty", "100", "--json", *more).result
    amounts = {name: one["amount"] for name, one in found["contributors"].items()}
    return dict(found["consent"]), amounts


def consent(coop: Coop, *more: str) -> dict[str, Any]:
    """Who agreed to the counted split."""
    told, amounts = settled(coop, *more)
    assert amounts == {"Ada": "75.00", "Dora": "25.00"}
    return told


def comment_of(coop: Coop, folder: Path, *more: str) -> str:
    """The comment, without what keeps Markdown from reading marks in it."""
    coop("settle-git", "repo", "--bounty", "100", PAY, "--markdown", "comment.md", *more)
    return (folder / "comment.md").read_text(encoding="utf-8").replace("\\", "")


def answered(coop: Coop, run: str, who: str, reply: str) -> None:
    coop("answer", run, who)
    assert not coop("answer", run, who, reply).code


def test_a_simulation_agrees_to_nothing(coop: Coop, tmp_path: Path) -> None:
    told = consent(coop, "--markdown", "comment.md")
    assert (told["simulated"], told["agreed"]) == (["Ada", "Dora"], [])
    comment = (tmp_path / "comment.md").read_text(encoding="utf-8")
    assert "an embedded agent that speaks for nobody" in comment
    assert "contributors agreed" not in comment


@pytest.mark.parametrize("how", ["embedded:rational", "recording:letters.jsonl"])
def test_where_money_is_meant_nothing_simulated_sits_at_the_table(coop: Coop, how: str) -> None:
    said = one_line(coop("settle-git", "repo", PAY, "--agent", f"Dora={how}"), 2)
    assert f"--for-payment: {how} would answer for Dora" in said
    assert "every contributor" not in said


def test_one_person_among_agents_is_waited_for_and_named(coop: Coop) -> None:
    done = coop("settle-git", "repo", "--agent", "Dora=human")
    assert done.code == 0
    assert "waits for Dora: coop answer" in done.err
    assert "Have not answered yet: Dora." in done.out
    unknown = coop("settle-git", "repo", "--agent", "Zoe=human")
    assert "Zoe: made nothing that counts" in one_line(unknown, 2)


def test_the_counted_split_is_on_the_table_and_a_yes_is_consent(coop: Coop, tmp_path: Path) -> None:
    first = consent(coop, PAY)
    run = first["run"]
    assert (first["waiting"], first["agreed"]) == (["Ada", "Dora"], [])
    letter = coop("answer", run, "Ada").out
    for words in (
        "do you agree to this split of 100?",
        "| Ada | 3 effective lines",
        "**75**",
        "`<ACCEPT>`: you agree",
    ):
        assert words in letter
    assert not any(word in letter for word in ("game", "player", "turn ", "shapley"))
    answered(coop, run, "Ada", YES)
    half = comment_of(coop, tmp_path)
    assert "Agreed to this split: Ada. Have not answered yet: Dora." in half
    assert "contributors agreed" not in half
    answered(coop, run, "Dora", YES)
    last = consent(coop, PAY)
    assert (last["run"], last["agreed"], last["waiting"]) == (run, ["Ada", "Dora"], [])
    comment = comment_of(coop, tmp_path)
    assert "Divided as its contributors agreed. Agreed to this split: Ada, Dora." in comment
    assert "No seat was simulated" in comment
    assert "ok" in coop("verify", run).out


@pytest.fixture
def of_three(coop: Coop, tmp_path: Path) -> str:
    """A run in which three are asked, of whom Ada and Bob agreed."""
    repo = Builder(tmp_path / "repo")
    repo.commit("More", "Bob <bob@example.org>", c_dot_py="fifth = unlike\nsixth = all\n")
    run = str(settled(coop, *A_DAY)[0]["run"])
    answered(coop, run, "Ada", YES)
    answered(coop, run, "Bob", YES)
    assert settled(coop, *A_DAY)[0]["waiting"] == ["Dora"]
    return run


def test_two_agree_one_is_silent_and_the_counted_split_stands(
    coop: Coop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, of_three: str
) -> None:
    monkeypatch.setattr(
        "shapley_coop.graphs.running.overdue", lambda asked, now: overdue(asked, now + 2 * 86400)
    )
    told, amounts = settled(coop, *A_DAY)
    assert (told["agreed"], told["silent"], told["waiting"]) == (["Ada", "Bob"], ["Dora"], [])
    assert amounts == {"Ada": "50.00", "Bob": "33.33", "Dora": "16.67"}
    comment = comment_of(coop, tmp_path, *A_DAY[1:])
    assert "Agreed to this split: Ada, Bob. Did not answer: Dora. No seat was sim" in comment
    assert "contributors agreed" not in comment


def test_all_three_agree(coop: Coop, tmp_path: Path, of_three: str) -> None:
    answered(coop, of_three, "Dora", YES)
    comment = comment_of(coop, tmp_path, *A_DAY[1:])
    assert "Divided as its contributors agreed. Agreed to this split: Ada, Bob, Dora." in comment
    assert "No seat was simulated" in comment


def test_who_objects_is_named_with_its_reason(coop: Coop, tmp_path: Path) -> None:
    run = consent(coop, PAY)["run"]
    answered(coop, run, "Ada", YES)
    answered(coop, run, "Dora", NO)
    told = consent(coop, PAY)
    assert (told["agreed"], list(told["objected"]), told["waiting"]) == (["Ada"], ["Dora"], [])
    assert "Objected: Dora (“The review took me two days.”)" in comment_of(coop, tmp_path)


def test_a_reason_that_nobody_would_read_is_asked_for_where_it_can_be_read(
    coop: Coop, tmp_path: Path
) -> None:
    run = consent(coop, PAY)["run"]
    coop("answer", run, "Dora")
    refused = coop("answer", run, "Dora", "<REJECT>I did the docs too.")
    assert refused.code == USAGE
    assert "your objection has no reason; write <REJECT><s>why</s>" in refused.err
    assert consent(coop, PAY)["waiting"] == ["Ada", "Dora"]
    answered(coop, run, "Dora", "I think. <REJECT><s>I did the docs too.</s>")
    answered(coop, run, "Ada", "<REJECT>")
    assert list(consent(coop, PAY)["objected"]) == ["Ada", "Dora"]
    assert "Dora (“I did the docs too.”)" in comment_of(coop, tmp_path)


@pytest.mark.parametrize(("reply", "pays"), [(YES, ("65.00", "35.00")), (NO, ("75.00", "25.00"))])
def test_a_counter_offer_is_put_to_the_others(
    coop: Coop, tmp_path: Path, reply: str, pays: tuple[str, str]
) -> None:
    run = consent(coop, PAY)["run"]
    answered(coop, run, "Ada", YES)
    answered(coop, run, "Dora", COUNTER)
    asked = consent(coop, PAY)
    assert (asked["waiting"], asked["offer_by"]) == (["Ada"], "Dora")
    letter = coop("answer", run, "Ada").out
    assert "Dora's, another split than the counted one" in letter
    assert "**65**, 10 less than counted" in letter
    answered(coop, run, "Ada", reply)
    told, amounts = settled(coop, PAY)
    assert tuple(amounts.values()) == pays
    # Whoever accepted the counted split agreed to what is paid if the counter-offer fails.
    assert told["agreed"] == (["Ada", "Dora"] if reply == YES else ["Ada"])
    agreed = "as its contributors agreed, on a counter-offer by Dora"
    comment = comment_of(coop, tmp_path)
    assert (agreed in comment) == (reply == YES)
    failed = "A counter-offer by Dora (Ada 65.00, Dora 35.00) was not accepted by Ada."
    assert (failed in comment) == (reply == NO)


def test_neither_a_name_nor_an_objection_can_say_that_others_agreed() -> None:
    eve = "Eve. Agreed to this split: Ada, Bob"
    why = "no”). Agreed to this split: Ada, Bob. Objected: Eve (“no"
    nobody: dict[str, Any] = {key: [] for key in ("agreed", "silent", "simulated", "models")}
    found = {**nobody, "waiting": [eve], "offer_by": "", "unanimous": False, "failed": []}
    told = consent_words({"consent": {**found, "objected": {"Dora": why}}})
    assert f"Have not answered yet: “{eve}”." in told
    (objected,) = [line for line in told if line.startswith("Objected")]
    assert objected.count("“") == objected.count("”") == 1
    assert len(consent_words({"consent": {**found, "objected": {"Dora": "x" * 9999}}})[1]) < 400


def test_who_is_waited_for_is_named_where_somebody_else_has_no_letter(coop: Coop) -> None:
    run = consent(coop, PAY)["run"]
    answered(coop, run, "Ada", YES)
    said = one_line(coop("answer", run, "Ada"), 2)
    assert f"no letter waits for Ada in {run}; Dora is waited for" in said


def test_who_does_not_answer_in_time_is_named_and_the_split_by_value_stands(coop: Coop) -> None:
    told = consent(coop, PAY, "--deadline", "0.001")
    while told["waiting"]:
        told = consent(coop, PAY, "--deadline", "0.001")
    assert told["silent"] == ["Ada", "Dora"]
    assert not told["agreed"] + told["simulated"] + told["models"]


@contextmanager
def pages(folder: Path) -> Iterator[tuple[SeatPages, Any]]:
    """The seat pages of a run that waits for Ada and Dora."""
    from shapley_coop.cli.console import finish
    from shapley_coop.extensions.bounty.once import begun, went_on
    from shapley_coop.extensions.bounty.report import delivered_params

    settling = Settling.of(folder / "repo", None, None, None, None, "100", "")
    settling.seated("human", None, 0, 0, for_payment=True)
    params = delivered_params(settling.history, "100")
    run = begun(params, settling.seats, 0, 0, "tip")
    _, waiting = finish(went_on(run))
    seats = SeatPages(run, waiting, "127.0.0.1", 0)
    with beside(seats.follow()) as serving:
        yield seats, serving


def asked(link: str, reply: Any = None, kind: str = "application/json") -> tuple[int, Any]:
    """Status and JSON of a request to a page; a reply is posted."""
    url = urlsplit(link)
    there = http.client.HTTPConnection(url.hostname or "", url.port, timeout=60)
    body = None if reply is None else json.dumps(reply)
    there.request("POST" if body else "GET", url.path, body, {"content-type": kind})
    answer = there.getresponse()
    return answer.status, json.loads(answer.read())


def test_each_person_reads_and_answers_by_a_link_of_its_own(coop: Coop, tmp_path: Path) -> None:
    with pages(tmp_path) as (seats, serving):
        ada, dora = seats.links["Ada"], seats.links["Dora"]
        status, letter = asked(ada)
        assert (status, letter["agent"]) == (200, "Ada")
        assert "do you agree" in letter["letter"]
        assert asked(ada.replace("/Ada", "/Dora"))[0] == 404  # Ada's key opens Ada's seat alone
        assert asked(ada.rpartition("/")[0][:-1] + "x/Ada")[0] == 404
        given = {"id": letter["id"], "type": "response", "args": YES}
        assert asked(ada, {**given, "id": None})[0] == 422  # an answer names its letter
        place = urlsplit(ada)
        with socket.create_connection((place.hostname or "", place.port or 0)) as raw:
            raw.sendall(b"GET /seat/\xe9/Ada HTTP/1.0\r\n\r\n")
            assert b"404" in raw.recv(100)
        assert asked(ada, given, kind="text/plain")[0] == 422
        refused = asked(ada, {**given, "args": "Well"})[1]
        assert (refused["refused"], refused["why"][:11]) == ("ACK", "Words alone")
        given["id"] = asked(ada)[1]["id"]  # the same letter, asked again
        assert asked(ada, given) == (200, {"taken": given["id"]})
        assert asked(ada, given)[0] in (404, 422)  # it was taken once
        status, letter = asked(dora)
        # What the page's buttons send: a draft is foreseen, and nothing is kept of it.
        assert letter["form"]["offer"]["by"] == "the count"
        assert "decision" in letter["form"]["fields"]
        drafted = asked(dora, {"type": "draft", "args": {"decision": "accept"}})[1]
        assert (drafted["refused"], drafted["why"]) == ("", "")
        bare = {"id": letter["id"], "type": "fields", "args": {"decision": "counter"}}
        assert "has no clause" in asked(dora, bare)[1]["detail"]
        pressed = {"decision": "accept", "speech": "Fine."}
        assert asked(dora, {"id": letter["id"], "type": "fields", "args": pressed})[0] == 200
        serving.join(timeout=120)
        assert not serving.is_alive()


@pytest.mark.parametrize("size", [(1280, 800), PHONE])
def test_a_page_breaks_no_name_and_hides_what_programs_read(
    coop: Coop, tmp_path: Path, size: tuple[int, int]
) -> None:
    repo = Builder(tmp_path / "repo")
    for number in range(12):  # much work, told in a long cell beside the name
        name = "Bartholomew Featherstonehaugh <ada@example.org>"
        repo.commit(f"Work {number}", name, **{f"w{number}_dot_py": f"line{number} = {number}\n"})
    with pages(tmp_path) as (seats, _), tab(size) as opened:
        page = opened.page
        page.goto(seats.links["Dora"])
        page.get_by_role("heading", name="Dora, do you agree to this split?").wait_for()
        assert page.locator(".letter th[scope=row]").count() == 4
        assert page.evaluate(BROKEN) == []
        assert [mark for mark in ("<ACCEPT>", '{"') if mark in opened.text()] == []
        page.get_by_text("Accept it").click()
        page.get_by_role("button", name="Send").click()
        page.get_by_role("heading", name="Nothing to answer now").wait_for()


BROKEN = r"""[...document.querySelectorAll(".letter th")].flatMap((cell) => {
    const text = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT).nextNode();
    return [...(text?.data ?? "").matchAll(/\S+/g)].filter((word) => {
        const range = document.createRange();
        range.setStart(text, word.index);
        range.setEnd(text, word.index + word[0].length);
        return !word[0].includes("-") && range.getClientRects().length > 1;
    }).map((word) => word[0]);
})"""
"""The words of the tables' headings that go on in another line."""


def test_agreement_to_an_earlier_split_is_not_lost_in_silence(coop: Coop) -> None:
    first = consent(coop, PAY)["run"]
    answered(coop, first, "Ada", YES)
    done = coop("settle-git", "repo", PAY, "--bounty", "200")
    assert f"since {first} was begun, which still waits" in done.err
    assert "those who gave them are asked again" in done.err
