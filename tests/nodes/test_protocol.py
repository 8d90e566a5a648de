"""The protocol: a message can be well formed and still bind nobody."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shapley_coop.deals.language.clauses import Do
from shapley_coop.deals.language.deal import Deal, put
from shapley_coop.deals.language.faults import Fault
from shapley_coop.deals.language.rules import DEAL_RULES
from shapley_coop.nodes.agent.checks import an_action, an_answer, an_offer
from shapley_coop.seats.records import Answer
from shapley_coop.state.evaluated import EvaluatedTable
from shapley_coop.state.run_config import RunConfig
from shapley_coop.state.settings import game_of
from shapley_coop.state.table import Table
from shapley_coop.state.topics import Topic
from shapley_coop.state.turn import Asking, TurnContext

OFFER = '{"clauses": [{"kind": "do", "agent": "Alice", "action": "lever"}]}'


def table(**parts: Any) -> Table:
    settings_ = RunConfig().resolve().model_dump(mode="json")
    game = game_of(settings_)
    offer = put(Deal(clauses=(Do(agent="Bob", action="lever"),)), by="Alice", revision=2)
    return {  # type: ignore[return-value]
        "settings": settings_,
        "agents": list(game.agents),
        "position": game.start(),
        "record": [],
        "contract": None,
        "offer": offer,
        "round": 1,
        **parts,
    }


def judged(check: Callable[..., Any], text: str, **parts: Any) -> Any:
    asking = Asking("answer", Topic("plan", DEAL_RULES), lambda _: ["Bob"], check, lambda *_: {})
    turn = TurnContext(EvaluatedTable(table(**parts)), asking, ("Bob",))
    return check(turn, "Bob", Answer(text))


HASH = table()["offer"]["hash"]  # type: ignore[index]


@pytest.mark.parametrize(
    "text",
    [
        "<ACCEPT>",
        "<ACCEPT>2</ACCEPT>",
        f"<ACCEPT>2 {HASH}</ACCEPT>",
        f"<ACCEPT>{HASH[:8]}</ACCEPT>",
    ],
)
def test_an_acceptance_binds_to_what_the_letter_showed(text: str) -> None:
    assert judged(an_answer, f"<s>gladly</s>{text}") == {"act": "accept", "text": "gladly"}


@given(
    st.integers(3, 10**6).map(str) | st.text("0123456789abcdef", min_size=8, max_size=64),
    st.sampled_from(["{}", "2 {}", "offer {}", "I take revision {}, thanks", "#{}", "{}."]),
)
def test_an_acceptance_of_another_offer_is_stale(named: str, how: str) -> None:
    if not any(map(str.isdigit, named)) or HASH.startswith(named):
        return
    if how in ("offer {}", "#{}", "I take revision {}, thanks") and not named.isdecimal():
        how = "{}"
    found = judged(an_answer, f"<ACCEPT>{how.format(named)}</ACCEPT>")
    assert isinstance(found, Fault)
    assert found.label == "STALE"
    assert HASH[:12] in found.feedback


@pytest.mark.parametrize(
    "words", ["I agree", "a fair deal", "Bob pulls the lever, I pay 5.5", "offer 2", "Yes!", ":"]
)
def test_words_that_name_no_other_offer_change_nothing(words: str) -> None:
    assert judged(an_answer, f"<ACCEPT>{words}</ACCEPT>") == {"act": "accept", "text": ""}


@pytest.mark.parametrize("words", ["if you pay 6", "I do not", "yes, but later", "never!"])
def test_an_acceptance_with_a_condition_is_asked_back(words: str) -> None:
    found = judged(an_answer, f"<ACCEPT>{words}</ACCEPT>")
    assert isinstance(found, Fault)
    assert found.label == "ACK"
    assert "Do you accept offer 2?" in found.feedback


@pytest.mark.parametrize(
    ("check", "text", "label"),
    [
        (an_answer, "<s>I accept revision 2, agreed!</s>", "ACK"),
        (an_answer, "I agree.", "ACK"),
        (an_answer, "<ACCEPT><REJECT>", "ACK"),
        (an_answer, f"<ACCEPT><PROPOSAL>{OFFER}</PROPOSAL>", "ACK"),
        (an_answer, f"<PROPOSAL>{OFFER}</PROPOSAL>", "ACK"),
        (an_answer, "<ACCEPT><ACTION>lever</ACTION>", "VOID"),
        (an_answer, "<ACCEPT>1</ACCEPT>", "STALE"),
        (an_answer, f"<ACCEPT>{HASH[:7]}</ACCEPT>", "STALE"),
        (an_answer, f"<ACCEPT>2 {HASH[1:20]}</ACCEPT>", "STALE"),
        (an_answer, '<REJECT><PROPOSAL>{"clauses": []}</PROPOSAL>', "EMPTY"),
        (an_offer, "<ACCEPT>", "VOID"),
        (an_offer, "<ACTION>lever</ACTION>", "VOID"),
        (an_offer, "<s>I propose that you pull the lever</s>", "MPT"),
        (an_offer, '<PROPOSAL>"deal"</PROPOSAL>', "CLAUSE"),
        (an_offer, f'<PROPOSAL>{OFFER[:-1]}, "by": "Alice"}}</PROPOSAL>', "CLAUSE"),
        (an_offer, f'<PROPOSAL>{OFFER[:-1]}, "accepted": ["Alice"]}}</PROPOSAL>', "CLAUSE"),
        (an_offer, f"<PROPOSAL>{OFFER.replace('Alice', 'Eve')}</PROPOSAL>", "NAME"),
        (an_offer, f"<PROPOSAL>{OFFER.replace('lever', 'window')}</PROPOSAL>", "ACTION"),
        (
            an_offer,
            '<PROPOSAL>{"clauses": [{"kind": "share", "norm": "shapley"}]}</PROPOSAL>',
            "NORM",
        ),
        (an_action, "<s>I pull</s>", "MPT"),
        (an_action, "<ACTION>window</ACTION>", "ACTION"),
        (an_action, "<ACTION>Alice: lever</ACTION>", "ACTION"),
    ],
)
def test_what_binds_nobody_is_sent_back(check: Callable[..., Any], text: str, label: str) -> None:
    found = judged(check, text)
    assert isinstance(found, Fault)
    assert found.label == label
    assert found.feedback.endswith(".")


def test_nothing_can_be_accepted_where_no_offer_stands() -> None:
    found = judged(an_answer, "<ACCEPT>", offer=None)
    assert isinstance(found, Fault)
    assert found.label == "VOID"
