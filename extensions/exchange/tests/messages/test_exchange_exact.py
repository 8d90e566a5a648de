"""The paper's validator: what it refuses in messages that are repaired or merged by default."""

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shapley_coop.extensions.exchange.domain import scenario
from shapley_coop.extensions.exchange.messages.checking import check_message

TASKS = scenario("paper_cooperative").tasks
EXACT = replace(TASKS, exact=True)
SAYS = TASKS.registry.describe
TRADE = {"Alice": [SAYS(0b010001)], "Bob": [SAYS(0b101110)]}
JSON = json.dumps(TRADE)
PENDING = {"Alice": "111000", "Bob": "000111"}
REJECT = "<REJECT>Let's try another allocation.</REJECT>"


def proposal(**listed: Any) -> str:
    return f"<PROPOSAL>{json.dumps(listed)}</PROPOSAL>"


MASKS = proposal(Alice=["010001"], Bob=["101110"])
SEVERAL = proposal(Alice=[SAYS(0b010000), SAYS(0b000001)], Bob=[SAYS(0b101110)])

REPAIRED = [
    ("MPT", None, f"<proposal>{JSON}</proposal>"),
    ("MPT", None, f"< PROPOSAL >{JSON}</PROPOSAL>"),
    ("MPT", None, f"<CONSIDER>My <PROPOSAL>:</CONSIDER><proposal>{JSON}</proposal>"),
    ("MPT", PENDING, "<accept/>"),
    ("MET", None, f"<PROPOSAL>{JSON}"),
    ("MET", None, f"<PROPOSAL>{JSON}</proposal>"),
    ("MET", PENDING, f"<PROPOSAL>{JSON}{REJECT}"),
    ("JSON", None, f"<PROPOSAL>{JSON[:-1]},}}</PROPOSAL>"),
    ("JSON", None, f"<PROPOSAL>```json\n{JSON}\n```</PROPOSAL>"),
    ("JSON", None, f"<PROPOSAL>Mine: {JSON}</PROPOSAL>"),
    ("JSON", None, proposal(Alice=SAYS(0b010001), Bob=SAYS(0b101110))),
    (
        "JSON",
        None,
        f'<PROPOSAL>{{"Alice": ["{SAYS(0b100000)}"], "Bob": ["{SAYS(0b011111)}"]}}</PROPOSAL>',
    ),
    ("ACK", PENDING, f"<reject>No.</reject><PROPOSAL>{JSON}</PROPOSAL>"),
    ("UNK", None, MASKS),
    ("UNK", PENDING, REJECT + MASKS),
    ("UNK", None, proposal(Alice=[SAYS(0b010001)[:-1]], Bob=[SAYS(0b101110)])),
    ("MDA", None, SEVERAL),
    ("MDA", PENDING, REJECT + SEVERAL),
]


@pytest.mark.parametrize(("label", "pending", "text"), REPAIRED)
def test_what_is_taken_by_default_has_the_papers_label(
    label: str, pending: dict[str, str] | None, text: str
) -> None:
    assert check_message(text, TASKS, "Bob", pending).label is None
    verdict = check_message(text, EXACT, "Bob", pending)
    assert (verdict.label, verdict.act) == (label, None)
    assert verdict.feedback


@pytest.mark.parametrize(
    ("label", "listed"),
    [
        ("EMP", {"Alice": [SAYS(63)], "Bob": []}),
        ("OVL", {"Alice": [SAYS(0b111000)], "Bob": [SAYS(0b001111)]}),
        ("MAT", {"Alice": [SAYS(0b110000)], "Bob": [SAYS(0b000111)]}),
    ],
)
def test_no_repair_hides_a_wrong_allocation(label: str, listed: dict[str, Any]) -> None:
    text = proposal(**listed)
    assert check_message(text, EXACT, "Bob") == check_message(text, TASKS, "Bob")
    assert check_message(text, EXACT, "Bob").label == label


def test_the_first_label_in_the_papers_order_wins() -> None:
    def label(text: str) -> str | None:
        return check_message(text, EXACT, "Bob").label

    assert label(proposal(Alice=["010000", "000001"], Bob=[SAYS(0b101110)])) == "UNK"
    assert label(proposal(Alice=[SAYS(1), SAYS(2)], Bob=[])) == "MDA"
    assert label(f"<PROPOSAL>{MASKS.removeprefix('<PROPOSAL>').partition('<')[0]}") == "MET"


def test_the_feedback_on_several_descriptions_names_the_one_that_merges_them() -> None:
    feedback = check_message(SEVERAL, EXACT, "Bob").feedback
    assert SAYS(0b010001) in feedback
    assert "mask=010001" in feedback
    assert "Bob" not in feedback


def test_a_part_of_exact_tasks_is_exact() -> None:
    assert EXACT.among({"Alice": 0b100000, "Bob": 0b000001}).exact
    assert not TASKS.among({"Alice": 0b100000, "Bob": 0b000001}).exact


@given(st.integers(0, 63), st.integers(0, 63), st.sampled_from([None, PENDING]))
def test_well_formed_messages_have_one_verdict(
    mine: int, theirs: int, pending: dict[str, str] | None
) -> None:
    put = proposal(Alice=[SAYS(mine)], Bob=[SAYS(theirs)])
    for text in (
        put,
        REJECT + put,
        f"<CONSIDER>a plan</CONSIDER>{put}",
        "<ACCEPT>I agree.</ACCEPT>",
    ):
        assert check_message(text, EXACT, "Bob", pending) == check_message(
            text, TASKS, "Bob", pending
        )


PIECES = ["<PROPOSAL>", "</PROPOSAL>", "<proposal>", "<ACCEPT>", "<accept/>", "<REJECT>", REJECT]
PIECES += ["<CONSIDER>", "</CONSIDER>", "<s>", "</s>", "I agree.", "null", JSON, JSON[:-1]]
PIECES += [JSON.replace('"', "'"), MASKS, SEVERAL, f"<PROPOSAL>{JSON}</PROPOSAL>"]


@given(st.lists(st.sampled_from(PIECES), max_size=7).map("".join), st.sampled_from([None, PENDING]))
def test_what_the_papers_validator_takes_is_taken_by_default_and_means_the_same(
    text: str, pending: dict[str, str] | None
) -> None:
    exact, default = (check_message(text, each, "Bob", pending) for each in (EXACT, TASKS))
    if exact.label is None:
        assert (default.act, default.masks) == (exact.act, exact.masks)
    elif default.label is None:
        assert exact.label in {label for label, _, _ in REPAIRED}
