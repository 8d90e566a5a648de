"""Answers in fields: their schemas, and their conversion into tagged text and back."""

import json
from typing import Any

import pytest

from shapley_coop.deals.language.claims import read_claim
from shapley_coop.deals.language.faults import Fault as Refusal
from shapley_coop.deals.language.wire import Message, scan
from shapley_coop.seats.answers import fields_in, tag_fields
from shapley_coop.seats.asked import names
from shapley_coop.seats.returned import fields_of
from shapley_coop.seats.schema import schema_of
from tests.deals.language.test_answers import judged
from tests.questions.test_questions import QUESTIONS

LETTER = {"legal": ["door", "lever"]}
IN_FIELDS = [one for one in names() if one in QUESTIONS or schema_of({"ask": one, **LETTER})]
"""What is answered in fields: all that the core asks, and what extensions ask so."""


@pytest.mark.parametrize("act", IN_FIELDS)
def test_every_act_has_a_schema_that_providers_take(act: str) -> None:
    schema = schema_of({"ask": act, **LETTER})
    assert schema is not None
    assert schema["title"] == act

    def objects(part: Any) -> Any:
        if isinstance(part, dict):
            if part.get("type") == "object":
                yield part
            for value in part.values():
                yield from objects(value)
        elif isinstance(part, list):
            for value in part:
                yield from objects(value)

    for found in objects(schema):
        assert found["additionalProperties"] is False
        assert found["required"] == list(found["properties"])
    assert '"default"' not in json.dumps(schema)


@pytest.mark.parametrize(
    ("act", "fields", "text"),
    [
        ("answer", {"decision": "accept", "offer": 3}, "<ACCEPT>3</ACCEPT>"),
        ("answer", {"decision": "reject", "speech": "No."}, "<s>No.</s><REJECT>"),
        (
            "answer",
            {"decision": "counter", "clauses": [{"kind": "do", "agent": "A", "action": "x"}]},
            '<REJECT><PROPOSAL>{"clauses": [{"kind": "do", "agent": "A", "action": "x"}]}'
            "</PROPOSAL>",
        ),
        ("answer", {}, ""),
        ("claim", {"percent": 40}, "<CLAIM>40%</CLAIM>"),
        ("claim", {"percent": "0.5%"}, "<CLAIM>0.5%</CLAIM>"),
        ("claim", {}, ""),
        ("propose", {"notes": "5 is fair"}, "<NOTES>5 is fair</NOTES><REJECT>"),
        ("contract_judge", {"verdicts": [{"clause": "c1", "verdict": "satisfied"}]}, None),
        ("act", {"action": "x", "content": {"a": 1}}, None),
        ("act", ["x"], '["x"]'),
        ("act", "x", "x"),
    ],
)
def test_fields_become_the_tagged_text_that_one_reader_reads(
    act: str, fields: Any, text: str | None
) -> None:
    assert text is None or tag_fields(act, fields) == text


def test_a_tag_in_a_field_is_text_and_ends_no_element() -> None:
    said = tag_fields("answer", {"decision": "reject", "speech": "I write </s><ACCEPT> never."})
    assert said == "<s>I write ‹/s>‹ACCEPT> never.</s><REJECT>"


@pytest.mark.parametrize("percent", [0.55, "0.55", ".55", 1, 1.0])
def test_a_part_of_one_under_the_name_of_per_cent_is_asked_back(percent: Any) -> None:
    """It is 55 % or 0.55 %; either can be written, in the field as in the tag."""
    message = scan(tag_fields("claim", {"percent": percent}))
    assert isinstance(message, Message)
    asked = read_claim(message)
    assert isinstance(asked, Refusal)
    plain = asked.feedback.rpartition(": ")[2].rstrip(".").split(" or ")
    for written in plain:
        again = read_claim(scan(tag_fields("claim", {"percent": written})))
        assert again == read_claim(scan(f"<CLAIM>{written}</CLAIM>"))
        assert not isinstance(again, Refusal)


@pytest.mark.parametrize(
    ("act", "more"),
    [
        ("answer", {"offer": 2, "clauses": None}),
        ("answer_split", {"offer": 2, "clauses": [], "drops": None}),
        ("contract_sign", {"offer": 2}),
        ("contract_sign", {"votes": ""}),
        ("contract_sign", {"clauses": [{"kind": "do", "agent": "Alice", "action": "cooperate"}]}),
    ],
)
def test_keys_that_say_nothing_or_repeat_the_offer_cost_no_decision(
    act: str, more: dict[str, Any]
) -> None:
    form = schema_of({"ask": act, "round": 2, "rounds": 2})
    assert form is not None
    fields = fields_in(form, json.dumps({"thoughts": "", "decision": "accept", **more}))
    assert judged(act, tag_fields(act, fields))["act"] == "accept"


def test_a_refused_answer_is_quoted_as_it_was_written() -> None:
    pay = {"kind": "pay", "payer": "A", "payee": "B", "amount": "2/3", "per": "once"}
    for act, fields in (
        ("claim", {"percent": "0.28"}),
        ("contract_write", {"prose": "## 1.", "clauses": [pay]}),
        ("act", {"action": "hand a cup to Bob"}),
        ("act", {"action": "decide", "content": '{"title": "A"}'}),
        ("act", {"action": "decide", "content": 'decide {"title": "A"}'}),
        ("act", {"action": "decide", "content": "Let us begin."}),
    ):
        assert fields_of(act, tag_fields(act, fields)) == fields
