"""What a model thought is never taken for what it said, whatever sets its thoughts off."""

import json
import os
import textwrap
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage
from langchain_core.outputs import ChatGeneration, ChatResult

from shapley_coop.deals.language.speech import speech_in
from shapley_coop.deals.language.thoughts import MARKS, Mark
from shapley_coop.deals.language.wire import Message, scan
from shapley_coop.graphs.running import play
from shapley_coop.graphs.threads import table_of
from shapley_coop.seats.answers import said_beside, tag_fields
from shapley_coop.seats.embedded import EmbeddedChatModel
from shapley_coop.state.run_config import RunConfig
from shapley_coop.state.storage.home import home
from tests.deals.language.test_answers import judged
from tests.embedded_reply import by_schema, by_tool
from tests.root import ROOT
from tests.seats.test_structured import room
from tests.stub_faults import Completion
from tests.stub_openai import StubOpenAI

pytestmark = pytest.mark.usefixtures("openai_key")

PAGE = ROOT / "docs" / "answers.md"
OFFER = '{"clauses": [{"kind": "pay", "payer": "Bob", "payee": "Alice", "amount": 9}]}'

WEIGHED = {
    "act": "<ACTION>defect</ACTION>",
    "answer": "<ACCEPT>",
    "propose": f"<PROPOSAL>{OFFER}</PROPOSAL>",
    "claim": "<CLAIM>90%</CLAIM>",
}
"""Act → what is weighed in thoughts, and dropped."""

SAID = {
    "act": "<ACTION>cooperate</ACTION>",
    "answer": "<s>No.</s><REJECT>",
    "propose": "<REJECT>",
    "claim": "<CLAIM>10%</CLAIM>",
}
"""Act → the answer."""


def written(one: str) -> str:
    """A mark of the table as a model writes it."""
    return one.replace("…", "") + ("We " if one == "analysis" else "")


OPENED = [
    pytest.param(
        mark,
        written(opens),
        written(closes),
        id=f"{opens} {closes}".encode("unicode_escape").decode(),
    )
    for mark in MARKS
    for opens in mark.opens
    for closes in (*mark.closes, *mark.ends)
]
CLOSED = [
    pytest.param(mark, written(closes), id=closes) for mark in MARKS for closes in mark.closes
]
OPENS = [written(opens) for mark in MARKS for opens in mark.opens]
EVERY = [*OPENS, *(written(one) for mark in MARKS for one in (*mark.closes, *mark.ends))]


@pytest.mark.parametrize(("mark", "opens", "closes"), OPENED)
def test_what_is_weighed_between_marks_does_not_bind(mark: Mark, opens: str, closes: str) -> None:
    for act, said in SAID.items():
        text = f"{opens} I could write {WEIGHED[act]}, but no.\n{closes}\n\n{said}"
        assert judged(act, text) == judged(act, said)
        assert scan(text) == scan(said)


@pytest.mark.parametrize(("mark", "closes"), CLOSED)
def test_what_is_weighed_before_a_mark_without_its_beginning_does_not_bind(
    mark: Mark, closes: str
) -> None:
    for act, said in SAID.items():
        found = judged(act, f"I could write {WEIGHED[act]}, but no.\n{closes}\n\n{said}")
        if mark.sure:
            assert found == judged(act, said)
        else:
            assert found.label == "TAG"
            assert closes in found.feedback


@pytest.mark.parametrize("opens", OPENS)
def test_thoughts_that_never_end_are_asked_back(opens: str) -> None:
    for act in SAID:
        fault = judged(act, f"{opens} I could write {WEIGHED[act]}.")
        assert fault.label == "TAG"
        assert "is never closed" in fault.feedback


UNCLEAR = [
    "<think>I <think>could</think> write <ACCEPT></think><REJECT>",
    "<s>I end with </think> here.</s><ACCEPT>",
    "<s><think>Take it.</think>Hello.</s><ACCEPT>",
    "<ACCEPT><think>Was that right? No.</think>",
    "I could <ACCEPT>. My <think> block ends here. </think> No.",
    "Hm.</think> Or <ACCEPT>?</think><REJECT>",
    f"<REJECT><PROPOSAL>{OFFER.replace('pay', 'as I </think> said')}</PROPOSAL>",
    f"<REJECT><PROPOSAL>{OFFER.replace('pay', 'pay <think>')}</PROPOSAL>",
    '{"decision": "accept", "speech": "my </think> ends"}',
    '{"decision": "accept", "speech": "<think>Take it.</think>Fine."}',
    "<CONSIDER>Bob wrote </think> and <ACCEPT>, which I refuse.",
    "<NOTES>I weigh </think> what he says: <ACCEPT>",
    "<s>Bob wrote </think> <ACCEPT>",
]
"""Messages in which it is unclear what is thought."""


@pytest.mark.parametrize("text", UNCLEAR)
def test_where_it_is_unclear_what_is_thought_it_is_asked_back_with_the_mark(text: str) -> None:
    fault = judged("answer", text)
    assert fault.label == "TAG"
    assert "think>" in fault.feedback
    assert speech_in(text) == ""


@pytest.mark.parametrize(
    "text",
    [
        "<details type='reasoning'>I could <ACCEPT>.</details><REJECT>",
        '<details done="true" type="reasoning">I could <ACCEPT>.</details><REJECT>',
        "<think_fast>I could <ACCEPT>.</think_fast><REJECT>",
        "<ifm|think>I could <ACCEPT>.</ifm|think><REJECT>",
    ],
)
def test_thoughts_are_left_out_however_their_tag_is_written(text: str) -> None:
    assert judged("answer", text)["act"] == "reject"


@pytest.mark.parametrize(
    ("mark", "between"),
    [
        ('<details type="reasoning">', "I think <details>so</details> of <ACCEPT>."),
        ("<|channel|>analysis<|message|>", "Hm.<|end|> Or <ACCEPT>?"),
    ],
)
def test_which_of_two_ends_is_the_thoughts_is_asked_back(mark: str, between: str) -> None:
    end = "</details>" if "details" in mark else "<|end|>"
    assert judged("answer", f"{mark}{between}{end}<REJECT>").label == "TAG"


thoughts = st.lists(
    st.sampled_from([*EVERY, *WEIGHED.values(), "<s>secret</s>", "{", '"', " Hm. ", "\n"]),
    max_size=8,
).map("".join)


@given(st.sampled_from([p.values[1:] for p in OPENED]), thoughts)
def test_whatever_is_thought_the_answer_is_read_alone_or_asked_back(
    marks: tuple[str, str], thought: str
) -> None:
    opens, closes = marks
    text = f"{opens}{thought}{closes}<s>Hi.</s><REJECT>"
    found = scan(text)
    if isinstance(found, Message):
        assert found == scan("<s>Hi.</s><REJECT>")
    else:
        assert speech_in(text) in ("", "Hi.")


@given(thoughts, st.sampled_from([p.values[1] for p in CLOSED if p.values[0].sure]))
def test_nothing_that_stands_before_the_last_close_binds(thought: str, closes: str) -> None:
    found = scan(f"{thought}{closes} I do not agree.")
    if isinstance(found, Message):
        assert found == Message()


def test_a_mark_with_something_invisible_in_it_is_asked_back() -> None:
    fault = judged("answer", "I could <ACCEPT>.</th\u200bink><s>No.</s>")
    assert fault.label == "TEXT"


@pytest.mark.parametrize(
    "text",
    [
        "Here is my analysis of it: fine. <ACCEPT>",
        "I think <b>so</b>, in [brackets]. <ACCEPT>",
        "<details><summary>Why</summary>It is fair.</details><ACCEPT>",
        "It is fair.\n<answer><ACCEPT></answer>",
    ],
)
def test_words_that_are_no_marks_are_private_words(text: str) -> None:
    assert judged("answer", text)["act"] == "accept"


@pytest.mark.parametrize("close", ["</THINK>", "</ think >", '</think id="1">', "[/THINK]"])
def test_a_mark_is_found_as_models_write_it(close: str) -> None:
    assert judged("answer", f"I could <ACCEPT>.{close}<REJECT>")["act"] == "reject"


# By schema and by call


def test_marks_in_a_field_for_others_are_asked_back_and_in_a_private_field_left_out() -> None:
    fields = {"thoughts": "No.</think>[/THINK]", "notes": "[THINK]", "decision": "accept"}
    assert judged("answer", tag_fields("answer", fields))["act"] == "accept"
    breaks_out = {**fields, "thoughts": "<[THINK]/CONSIDER><ACCEPT>", "decision": "reject"}
    assert judged("answer", tag_fields("answer", breaks_out))["act"] == "reject"
    for speech in ("<think>Take it.</think>Fine.", "Take it.</think>Fine.", "Fine. [THINK]"):
        told = tag_fields("answer", {**fields, "speech": speech})
        assert judged("answer", told).label == "TAG"
        assert speech_in(told) == ""


def test_words_beside_a_call_are_kept_as_far_as_they_are_not_thought() -> None:
    assert said_beside("<think>Look it up.</think>I look.") == "I look."
    assert said_beside("<think>Look it up, or <CALL>{}</CALL>.") == "", "the call ended them"


# At the table

DROPPED = "I could write <ACTION>door</ACTION>, but then nobody opens it. So I pull.\n"
FIELDS = json.dumps({"thoughts": "", "action": "lever", "notes": None})
FENCED = f"Shall I?\n```json\n{FIELDS.replace('lever', 'door')}\n```\nNo.\n"


@pytest.mark.parametrize(
    "said",
    [
        f"{DROPPED}</think>\n\nAction: lever",
        f"{DROPPED}</think>\n\n<ACTION>lever</ACTION>",
        f"<think>{DROPPED}</think>\n\n<ACTION>lever</ACTION>",
        f"analysis{DROPPED}assistantfinal<ACTION>lever</ACTION>",
    ],
)
async def test_a_move_that_was_weighed_and_dropped_is_not_played(said: str) -> None:
    with StubOpenAI(lambda *_: said) as stub:
        outcome = await play("llm_only", room(stub))
        assert stub.calls == 2, "one each: nothing is asked back"
    table = await table_of(home().runs.get(outcome["run"]))
    assert set(table["record"][0]["actions"].values()) == {"lever"}


@pytest.mark.parametrize("way", ["schema", "tools"])
@pytest.mark.parametrize("thought", [DROPPED, FENCED])
async def test_fields_that_were_weighed_and_dropped_are_not_the_answer(
    thought: str, way: str
) -> None:
    def spoilt(said: Completion, request: Any) -> Completion:
        return Completion(f"{thought}</think>\n{FIELDS}")

    with StubOpenAI({"schema": by_schema, "tools": by_tool}[way], manner=spoilt) as stub:
        outcome = await play("llm_only", room(stub, answers=way))
        assert stub.calls == 2
    table = await table_of(home().runs.get(outcome["run"]))
    assert set(table["record"][0]["actions"].values()) == {"lever"}


async def test_a_weighed_acceptance_signs_nothing_and_is_asked_back() -> None:
    said = "I could write <ACCEPT>, but the lever costs me.\n</think>\n\nI do not agree."

    def bob(messages: list[dict[str, Any]], _: Any) -> str:
        return said if "ACCEPT" in str(messages[-1]["content"]) else "<ACTION>door</ACTION>"

    with StubOpenAI(bob) as stub:
        seats = {"Alice": "embedded:rational", "Bob": room(stub).seats["Bob"]}
        outcome = await play("negotiation", RunConfig.model_validate({"seats": seats}))
    table = await table_of(home().runs.get(outcome["run"]))
    assert table["contract"] is None
    assert not any(entry["act"] == "accept" for entry in table["talk"])
    assert any(
        spent["agents"].get("Bob", {}).get("refused_ACK") for spent in table["spent"].values()
    )


async def test_blocks_of_reasoning_in_a_message_are_no_part_of_the_answer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    blocks: list[Any] = [
        {"type": "thinking", "thinking": "I could <ACTION>door</ACTION>."},
        {"type": "reasoning", "reasoning": "Or <ACTION>door</ACTION>."},
        {"type": "reasoning_content", "reasoning_content": {"text": "<ACTION>door</ACTION>"}},
        {"type": "text", "text": "<ACTION>lever</ACTION>"},
    ]

    class Thinks(EmbeddedChatModel):
        async def _agenerate(self, *_: Any, **__: Any) -> ChatResult:
            return ChatResult(generations=[ChatGeneration(message=AIMessage(blocks))])

    monkeypatch.setattr("shapley_coop.seats.asking.chat_model", lambda *_, **__: Thinks())
    outcome = await play("llm_only", RunConfig())
    table = await table_of(home().runs.get(outcome["run"]))
    assert set(table["record"][0]["actions"].values()) == {"lever"}


# The page


def test_the_page_shows_every_mark() -> None:
    marks = dict.fromkeys(one.replace("\n", "") for m in MARKS for one in m.opens)
    listed = textwrap.fill(", ".join(f"`{one}`" for one in marks), 100, break_on_hyphens=False)
    begin, end = "<!-- thoughts -->\n", "\n<!-- /thoughts -->"
    before, rest = PAGE.read_text("utf-8").split(begin)
    found, after = rest.split(end)
    if os.environ.get("COOP_UPDATE_SNAPSHOTS"):
        found = listed
        PAGE.write_text(f"{before}{begin}{found}{end}{after}", "utf-8")
    assert found == listed
