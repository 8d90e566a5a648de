"""Answers as models write them: form does not matter, what binds does, and no question is lost."""

import os
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from shapley_coop.amounts import plain
from shapley_coop.deals.language.choices import choose
from shapley_coop.deals.language.clauses import Clause, Do
from shapley_coop.deals.language.deal import Deal, put
from shapley_coop.deals.language.faults import Fault
from shapley_coop.deals.language.lenient_json import read_json
from shapley_coop.deals.language.reading import read_deal
from shapley_coop.deals.language.rules import DEAL_RULES
from shapley_coop.deals.language.wire import Message, scan
from shapley_coop.deals.language.wire_form import wire_form
from shapley_coop.questions import reason
from shapley_coop.seats.asked import find_question
from shapley_coop.seats.records import Answer
from shapley_coop.state.evaluated import EvaluatedTable
from shapley_coop.state.judging import take
from shapley_coop.state.run_config import RunConfig
from shapley_coop.state.settings import game_of
from shapley_coop.state.topics import Topic
from shapley_coop.state.turn import TurnContext
from tests.deals.language.sloppy_answers import (
    BATTERY,
    PAY,
    REFUSED_IN_THE_TRIAL,
    Written,
    clauses,
    proposal,
)
from tests.deals.made_deals import deals
from tests.root import ROOT
from tests.steps import steps

PAGE = ROOT / "docs" / "answers.md"
WHOLE = Path(__file__).parent / "snapshots" / "answers.md"
DILEMMA = RunConfig(game="prisoners_dilemma", params={"rounds": 5})
PAIR = ["Alice", "Bob"]
COOPERATES = (Do(agent="Alice", action="cooperate"),)


def turn(
    act: str, room: RunConfig = DILEMMA, stands: tuple[Clause, ...] = COOPERATES, **more: Any
) -> TurnContext:
    """Bob is asked; Alice's second offer stands, in a dilemma of five turns."""
    config = room.resolve()
    told = config.model_dump(mode="json")
    game = game_of(told)
    offer = put(Deal(clauses=stands), by="Alice", revision=2)
    table: Any = {
        "settings": told,
        "agents": list(game.agents),
        "position": game.start(),
        "record": [],
        "contract": None,
        "offer": offer,
        "round": 1,
        **more,
    }
    # The battery's thoughts are plans, without the results that reasoning has to give.
    plans = replace(reason.QUESTION, read=reason.read_thought)
    question: Any = plans if act == "reason" else find_question(act)
    about = question.about(Topic("plan", DEAL_RULES))
    return TurnContext(EvaluatedTable(table), about, ("Bob",))


def judged(act: str, text: str, room: RunConfig = DILEMMA, **more: Any) -> Any:
    return take(turn(act, room, **more), "Bob", Answer(text))


def verdict(one: Written, room: RunConfig = DILEMMA, **more: Any) -> tuple[str, str]:
    """How an answer is read, or the label it is asked back under; and the words that go with it."""
    said = judged(one.act, one.text, room, **more)
    if isinstance(said, Fault):
        return said.label, said.feedback
    repairs = "; ".join(said.get("repairs", []))
    if one.act == "act":
        action = choose(scan(one.text), ["cooperate", "defect"])
        assert not isinstance(action, Fault)
        return action
    if one.act == "claim":
        return f"{plain(Fraction(said['part']) * 100)} %", repairs
    if "deal" in said:
        return Deal.model_validate(said["deal"]).text().removeprefix("c1. "), repairs
    words = said["text"].replace("\n", " / ")
    return f"{said['act']}, says {words}" if words else said["act"], repairs


@pytest.mark.parametrize("one", REFUSED_IN_THE_TRIAL, ids=lambda one: one.what)
def test_what_a_model_wrote_in_the_trial_is_read_as_it_was_meant(one: Written) -> None:
    assert verdict(one)[0] == one.verdict


def test_of_the_trials_refusals_two_remain_with_words_to_act_on() -> None:
    asked = [verdict(one) for one in REFUSED_IN_THE_TRIAL if one.verdict.isupper()]
    assert len(REFUSED_IN_THE_TRIAL) == 21
    assert len(asked) == 2
    for _, words in asked:
        assert "<ACTION>" in words or "give one" in words


@pytest.mark.parametrize("one", BATTERY, ids=lambda one: one.what)
def test_each_way_of_writing_an_answer_has_its_verdict(one: Written) -> None:
    as_written_in_the_table(one, *verdict(one))


def as_written_in_the_table(one: Written, found: str, words: str) -> None:
    assert found == one.verdict
    assert words or not found.isupper(), "whoever is asked back is told why"
    assert "Field required" not in words
    assert "clauses." not in words, "no path into a data structure"


def shown(text: str, longest: int = 90) -> str:
    """A text in a cell of a table of the page."""
    line = " ".join(text.encode("unicode_escape").decode().replace("\\n", " ").split())
    line = line if text.isascii() else " ".join(text.split())
    return line.replace("|", "\\|")[:longest] + ("…" if len(line) > longest else "")


Verdict = Callable[[Written], tuple[str, str]]


def as_a_table(answers: list[Written], judge: Verdict = verdict) -> str:
    rows = []
    for one in answers:
        found, words = judge(one)
        read = f"asked back ({found})" if found.isupper() else f"read: {found}"
        rows.append(f"| {shown(one.what)} | {one.act} | {shown(read, 120)} | {shown(words, 160)} |")
    head = "| written | asked for | verdict | told |\n| --- | --- | --- | --- |"
    return "\n".join([head, *rows])


@pytest.mark.parametrize(
    ("name", "answers"),
    [
        ("trial", REFUSED_IN_THE_TRIAL),
        ("battery", BATTERY),
    ],
)
def test_every_verdict_is_as_reviewed(name: str, answers: list[Written]) -> None:
    on_a_page(WHOLE, name, answers)


def test_the_page_shows_some_with_their_verdicts() -> None:
    page = PAGE.read_text("utf-8").partition("<!-- examples -->\n")[2]
    shown_there = [one for one in BATTERY if f"\n| {shown(one.what)} |" in page]
    assert len(shown_there) == 8
    on_a_page(PAGE, "examples", shown_there)


def on_a_page(page: Path, name: str, answers: list[Written], judge: Verdict = verdict) -> None:
    begin, end = f"<!-- {name} -->\n", f"\n<!-- /{name} -->"
    before, rest = page.read_text("utf-8").split(begin)
    found, after = rest.split(end)
    if os.environ.get("COOP_UPDATE_SNAPSHOTS"):
        found = as_a_table(answers, judge)
        page.write_text(f"{before}{begin}{found}{end}{after}", "utf-8")
    assert found == as_a_table(answers, judge)


# What is repaired is told, and what is wrong is told at once


def test_what_is_repaired_is_told_to_all_in_words() -> None:
    said = judged("propose", proposal(clauses({**PAY, "amount": "$3", "note": "fair"})))
    assert said["deal"]["clauses"][0]["amount"] == "3"
    assert "clause 1: read $3 as 3" in said["repairs"]
    assert "clause 1: left out note" in said["repairs"]
    assert not any("fair" in repair for repair in said["repairs"]), "a note is its author's own"


def test_a_repair_tells_nothing_of_an_action_that_is_sealed() -> None:
    assert judged("act", "<action>Cooperate</action>") == {"act": "act", "text": ""}


def test_all_faults_of_an_answer_are_told_at_once_and_what_was_read() -> None:
    wrong = clauses(
        {"kind": "do", "agent": "Alice", "action": "cooperate"},
        {**PAY, "amount": "some"},
        {"kind": "do", "agent": "Bob", "when": {"turns": "all"}},
        {"kind": "gift"},
    )
    fault = judged("propose", proposal(wrong))
    assert fault.label == "CLAUSE"
    assert fault.feedback.count("\n") == 3
    for words in ("clause 2, `amount`", "clause 3, `turns`", "clause 3, `action`", "clause 4"):
        assert words in fault.feedback
    assert fault.read == ("your speech", "clause 1")
    strangers = clauses({**PAY, "payee": "Eve"}, {**PAY, "payer": "Zoe", "amount": -1})
    fault = judged("propose", proposal(strangers))
    for words in ("c1 names Eve", "c2 names Zoe", "c2 pays -1"):
        assert words in fault.feedback


def test_what_is_there_twice_was_not_read_soundly() -> None:
    twice = "<ACTION>cooperate</ACTION> or <ACTION>defect</ACTION>"
    assert judged("act", twice).read == ()
    assert judged("act", f"<s>Hm.</s>{twice}").read == ("your speech",)


def test_words_of_agreement_are_asked_back_with_the_number_of_the_offer() -> None:
    asked = "Do you accept offer 2? Answer <ACCEPT> or <REJECT>."
    for text in (
        "I agree.",
        "<ACCEPT>but pay me 4</ACCEPT>",
        f"<REJECT><ACCEPT>{'x' * 200}</ACCEPT>",
    ):
        assert asked in judged("answer", text).feedback


def test_who_makes_no_offer_may_say_so_in_one_word_and_is_told_how() -> None:
    assert judged("propose", "REJECT")["act"] == "pass"
    asked = judged("propose", "Leave it as it is: I REJECT.").feedback
    assert "write <REJECT> to propose nothing" in asked


def test_a_call_may_be_named_without_its_arguments_where_only_one_is_meant() -> None:
    legal = ["take_note(content=Milk)", "apply(job=Cook)", "apply(job=Baker)"]
    assert choose(Message(action="take_note"), legal) == (legal[0], f"read take_note as {legal[0]}")
    assert choose(Message(action="apply"), legal) == ("apply", ""), "refused: there are two"
    tool = "software_management(software=Video Conferencing Tool, instruction=install)"
    said = Message(action="software_management (install the Video Conferencing Tool)")
    assert choose(said, [*legal, tool])[0] == tool
    other = "software_management (remove the Video Conferencing Tool)"
    assert choose(Message(action=other), [*legal, tool]) == (other, ""), "refused: another call"


def test_a_condition_in_words_is_asked_back_with_the_form_that_it_meant() -> None:
    fault = judged("propose", proposal(clauses({**PAY, "when": "Bob cooperates"})))
    assert '{"last": {"agent": …, "action": …}}' in fault.feedback


def test_who_forgets_to_close_its_thoughts_is_told_why_nothing_was_read() -> None:
    fault = judged("answer", "<CONSIDER>Take it. <ACCEPT>")
    assert "<CONSIDER> is never closed" in fault.feedback


def test_notes_are_read_apart_from_speech() -> None:
    message = scan("<NOTES>limit 4</NOTES><s>Hi</s>")
    assert not isinstance(message, Fault)
    assert (message.notes, message.speech) == ("limit 4", "Hi")


# The form that agents write


@given(deals)
def test_what_is_written_in_the_wires_form_reads_back_to_the_same_deal(deal: Deal) -> None:
    again = read_deal(wire_form(deal))
    assert again == deal
    assert isinstance(again, Deal)
    assert again.hash() == deal.hash()


def test_a_list_of_turns_is_a_list_and_a_stored_pair_a_range() -> None:
    written = {"clauses": [{"kind": "do", "agent": "A", "action": "x", "when": {"turns": [1, 3]}}]}
    listed, stored = read_deal(written), Deal.model_validate(written)
    assert isinstance(listed, Deal)
    assert listed.text() == "c1. A does x at turns 1 and 3."
    assert stored.text() == "c1. A does x from turn 1 to turn 3."
    assert wire_form(stored)["clauses"][0]["when"] == {"from": 1, "to": 3}
    assert stored.record() == {"clauses": [{**written["clauses"][0]}]}


HOSTILE = {
    "brackets": "[" * 60_000,
    "pairs": "['" * 30_000,
    "numbers": "[1" + ",1" * 30_000,
    "quotes": '["' + '\\"' * 30_000,
    "comments": "[/*" + "*" * 60_000,
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_json_is_read_or_refused_in_linear_time(text: str) -> None:
    read_json(text, 0)
    half = steps(lambda: read_json(text[: len(text) // 2], 0))
    whole = steps(lambda: read_json(text, 0))
    assert whole <= 2.2 * half + 1_000
