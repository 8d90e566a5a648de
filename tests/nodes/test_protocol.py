"""The protocol: a message can be well formed and still bind nobody."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shapley_coop.deals.language.clauses import Do
from shapley_coop.deals.language.deal import Deal, put
from shapley_coop.deals.language.faults import Fault
from shapley_coop.deals.language.rules import DEAL_RULES
from shapley_coop.graphs import builder
from shapley_coop.questions.act import QUESTION as ACT
from shapley_coop.questions.answer import QUESTION as ANSWER
from shapley_coop.questions.answer_split import QUESTION as ANSWER_SPLIT
from shapley_coop.questions.propose import QUESTION as PROPOSE
from shapley_coop.seats.records import Answer
from shapley_coop.state.evaluated import EvaluatedTable
from shapley_coop.state.judging import take
from shapley_coop.state.run_config import RunConfig
from shapley_coop.state.settings import game_of
from shapley_coop.state.table import Table
from shapley_coop.state.topics import Topic
from shapley_coop.state.turn import Question, TurnContext
from tests.scripted import Script

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


def judged(question: Question[Any], text: str, **parts: Any) -> Any:
    about = question.about(Topic("plan", DEAL_RULES))
    turn = TurnContext(EvaluatedTable(table(**parts)), about, ("Bob",))
    return take(turn, "Bob", Answer(text))


HASH = table()["offer"]["hash"]  # type: ignore[index]


def test_a_counter_offer_in_the_last_round_is_asked_back() -> None:
    counter = f"<REJECT><PROPOSAL>{OFFER}</PROPOSAL>"
    for question in (ANSWER, ANSWER_SPLIT):
        found = judged(question, counter, round=3)
        assert isinstance(found, Fault)
        assert found.label == "VOID"
        assert "the last round: nobody could answer an offer of yours" in found.feedback
        assert judged(question, "<REJECT>", round=3) == {"act": "reject", "text": ""}
    assert judged(ANSWER, counter, round=2)["deal"]["clauses"]


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
    assert judged(ANSWER, f"<s>gladly</s>{text}") == {"act": "accept", "text": "gladly"}


@given(
    st.integers(3, 10**6).map(str) | st.text("0123456789abcdef", min_size=8, max_size=64),
    st.sampled_from(["{}", "2 {}", "offer {}", "I take revision {}, thanks", "#{}", "{}."]),
)
def test_an_acceptance_of_another_offer_is_stale(named: str, how: str) -> None:
    if not any(map(str.isdigit, named)) or HASH.startswith(named):
        return
    if how in ("offer {}", "#{}", "I take revision {}, thanks") and not named.isdecimal():
        how = "{}"
    found = judged(ANSWER, f"<ACCEPT>{how.format(named)}</ACCEPT>")
    assert isinstance(found, Fault)
    assert found.label == "STALE"
    assert HASH[:12] in found.feedback


@pytest.mark.parametrize(
    "words", ["I agree", "a fair deal", "Bob pulls the lever, I pay 5.5", "offer 2", "Yes!", ":"]
)
def test_words_that_name_no_other_offer_change_nothing(words: str) -> None:
    assert judged(ANSWER, f"<ACCEPT>{words}</ACCEPT>") == {"act": "accept", "text": ""}


@pytest.mark.parametrize("words", ["if you pay 6", "I do not", "yes, but later", "never!"])
def test_an_acceptance_with_a_condition_is_asked_back(words: str) -> None:
    found = judged(ANSWER, f"<ACCEPT>{words}</ACCEPT>")
    assert isinstance(found, Fault)
    assert found.label == "ACK"
    assert "Do you accept offer 2?" in found.feedback


@pytest.mark.parametrize(
    ("question", "text", "label"),
    [
        (ANSWER, "<s>I accept revision 2, agreed!</s>", "ACK"),
        (ANSWER, "I agree.", "ACK"),
        (ANSWER, "<ACCEPT><REJECT>", "ACK"),
        (ANSWER, f"<ACCEPT><PROPOSAL>{OFFER}</PROPOSAL>", "ACK"),
        (ANSWER, f"<PROPOSAL>{OFFER}</PROPOSAL>", "ACK"),
        (ANSWER, "<ACCEPT><ACTION>lever</ACTION>", "VOID"),
        (ANSWER, "<ACCEPT>1</ACCEPT>", "STALE"),
        (ANSWER, "<ACCEPT>#1</ACCEPT>", "STALE"),
        (ANSWER, f"<ACCEPT>{HASH[:7]}</ACCEPT>", "STALE"),
        (ANSWER, f"<ACCEPT>2 {HASH[1:20]}</ACCEPT>", "STALE"),
        (ANSWER, '<REJECT><PROPOSAL>{"clauses": []}</PROPOSAL>', "EMPTY"),
        (PROPOSE, "<ACCEPT>", "VOID"),
        (PROPOSE, "<ACTION>lever</ACTION>", "VOID"),
        (PROPOSE, "<s>I propose that you pull the lever</s>", "MPT"),
        (PROPOSE, '<PROPOSAL>"deal"</PROPOSAL>', "CLAUSE"),
        (PROPOSE, f'<PROPOSAL>{OFFER[:-1]}, "by": "Alice"}}</PROPOSAL>', "CLAUSE"),
        (PROPOSE, f'<PROPOSAL>{OFFER[:-1]}, "accepted": ["Alice"]}}</PROPOSAL>', "CLAUSE"),
        (PROPOSE, f"<PROPOSAL>{OFFER.replace('Alice', 'Eve')}</PROPOSAL>", "NAME"),
        (PROPOSE, f"<PROPOSAL>{OFFER.replace('lever', 'window')}</PROPOSAL>", "ACTION"),
        (
            PROPOSE,
            '<PROPOSAL>{"clauses": [{"kind": "share", "norm": "shapley"}]}</PROPOSAL>',
            "NORM",
        ),
        (ACT, "<s>I pull</s>", "MPT"),
        (ACT, "<ACTION>window</ACTION>", "ACTION"),
        (ACT, "<ACTION>Alice: lever</ACTION>", "ACTION"),
    ],
)
def test_what_binds_nobody_is_sent_back(question: Question[Any], text: str, label: str) -> None:
    found = judged(question, text)
    assert isinstance(found, Fault)
    assert found.label == label
    assert found.feedback.endswith(".")


def test_nothing_can_be_accepted_where_no_offer_stands() -> None:
    found = judged(ANSWER, "<ACCEPT>", offer=None)
    assert isinstance(found, Fault)
    assert found.label == "VOID"


@pytest.mark.parametrize("said", ["It is too little for me.\n<LEAVE>", "Opt out", "I will leave."])
async def test_an_action_is_played_as_it_was_read_when_it_was_checked(
    script: Script, said: str
) -> None:
    listed = [
        {"play": [a, b], "pays": [0, 0]} for a in ("leave", "stay") for b in ("leave", "stay")
    ]
    actions = {agent: ["leave", "stay"] for agent in ("Ann", "Ben")}
    room = {"name": "door", "agents": ["Ann", "Ben"], "actions": actions, "payoffs": listed}
    script["Ann", "act"] = said
    context = RunConfig(game=room, seed=1)
    left = await builder("llm_only").compile().ainvoke({}, context=context)
    assert left["record"][0]["actions"]["Ann"] == "leave"
