"""What a person is told at its seat is in the words of the page: no tags, labels or masks."""

import re
from typing import Any

import pytest

from shapley_coop.deals.language.deal import Deal, put
from shapley_coop.extensions.people.form import form_of, message_of, refusal_in_words
from shapley_coop.extensions.people.preview import preview
from shapley_coop.extensions.people.standing import ending, standing
from shapley_coop.games import load
from shapley_coop.graphs.preparing import prepare
from shapley_coop.graphs.replies import OpenMail
from shapley_coop.graphs.running import follow
from shapley_coop.graphs.threads import table_of
from shapley_coop.prompts import sections_for_person, write_history
from shapley_coop.state.run_config import RunConfig
from tests.brought import brought_by

CODES = re.compile(r"<[A-Z]+>|</|`|\b[A-Z]{3,6}\b")


class Person:
    """A person who first sends an empty message, and then the answer of a script."""

    def __init__(self, **script: str) -> None:
        self._script = script
        self.refusals: dict[str, str] = {}
        self.letters: dict[str, str] = {}
        self.forms: dict[str, dict[str, Any]] = {}

    def __call__(self, mail: OpenMail) -> str:
        turn, facts = mail.question.turn(), mail.question.question().letter.facts
        self.letters[mail.act] = "\n".join(one.text for one in mail.question.for_person())
        self.forms[mail.act] = form_of(turn, mail.agent, facts)
        if mail.attempt == 1:
            return "Well."
        self.refusals[mail.act] = refusal_in_words(turn, facts["fault"])
        return self._script[mail.act]


async def played(graph: str, game: str, person: Person, **room: Any) -> Any:
    seats = {"*": "embedded:rational", "Bob": "human"}
    run = prepare(graph, RunConfig(game=game, seed=3, seats=seats, **room))
    await follow(run, person=person)
    return await table_of(run)


async def test_every_refusal_names_the_field_and_the_end_is_told_in_sentences() -> None:
    bob = Person(
        reason="Collective payoff: 9\nExternality: +\nPrice: 4",
        answer="<s>Fine.</s><ACCEPT>",
        act="<ACTION>door</ACTION>",
        claim="<CLAIM>40%</CLAIM>",
    )
    table = await played("shapley_coop", "escape_room", bob)
    assert bob.refusals.keys() == {"reason", "answer", "act", "claim"}
    assert [why for why in bob.refusals.values() if CODES.search(why)] == []
    assert "Answer “Accept it” or “Reject it”." in bob.refusals["answer"]
    assert "Give the price: as in 3, what you should be paid" in bob.refusals["reason"]
    assert 'Bob accepts offer 1: "Fine."' in bob.letters["act"], "all that was said is told"
    found = standing(table, "Bob", [], False)
    assert (found["title"], found["over"]) == ("The run is over", True)
    told = found["told"]
    assert told[0] == "You end with -1."
    assert "You broke c2 at turn 1: “Bob does lever.”" in told
    agreed = told.index("What was agreed:")
    assert told[agreed + 1 :][:2] == ["c1. Alice does door. – kept", "c2. Bob does lever. – broken"]
    assert told[-1] == "You were Bob."


@brought_by("exchange")
async def test_tasks_have_names_and_worths_are_numbers() -> None:
    bob = Person(exchange="<ACCEPT>", consider="")
    with pytest.raises(KeyError, match="act"):
        await played("task_exchange", "task_exchange", bob)
    assert [text for text in bob.letters.values() if re.search(r"\b[01]{6}\b", text)] == []
    assert "Turn 2. Alice proposes – Alice: “" in bob.letters["exchange"]
    assert "| “Install the video conferencing tool” | 0.152 |" in bob.letters["exchange"]
    told = [*bob.forms["act"]["labels"].values()]
    assert told[0].startswith("“")
    assert "take_note(" not in bob.letters["act"]


async def test_an_amount_in_the_games_unit_is_read_and_a_refusal_has_no_words_of_programs() -> None:
    seen: dict[str, Any] = {}

    def answers(mail: OpenMail) -> str:
        turn, facts = mail.question.turn(), mail.question.question().letter.facts
        seen["form"] = form_of(turn, mail.agent, facts)
        for name, clause in CLAUSES.items():
            seen[name] = preview(turn, mail.agent, {"decision": "offer", "clauses": [clause]})
        seen["mask"] = refusal_in_words(turn, {"label": "EMP", "feedback": NO_TASK, "read": ()})
        raise KeyboardInterrupt

    seats = {"*": "embedded:rational", "Ada": "human"}
    run = prepare("negotiation_priced", RunConfig(game="shared_service", seats=seats))
    with pytest.raises(KeyboardInterrupt):
        await follow(run, person=answers)
    assert seen["form"]["unit"] == "EUR"
    assert seen["unit"]["words"] == ["c1. Ada pays Ben 20, once."]
    assert seen["empty"]["why"] == "Clause 1: Somebody pays: write the amount."
    assert seen["other"]["why"].endswith("'3 USD' is in another unit: write the number, in EUR.")
    assert seen["word"]["why"] == "clause 1, amount: 'some' is no number: write one, as in 3."
    assert seen["when"]["why"] == "clause 1, turn: '1.5' names no turns: choose it anew."
    assert seen["mask"] == "Ada would have no task: everyone keeps at least one."


NO_TASK = "Ada would have no task (mask=000000): everyone keeps at least one."
PAYS = {"kind": "pay", "payer": "Ada", "payee": "Ben", "per": "once"}
CLAUSES = {
    "unit": {**PAYS, "amount": "20 EUR"},
    "empty": {**PAYS, "amount": ""},
    "other": {**PAYS, "amount": "3 USD"},
    "word": {**PAYS, "amount": "some"},
    "when": {**PAYS, "amount": "3", "when": {"turn": 1.5}},
}
"""Name → a payment as a person fills it in."""


@pytest.mark.parametrize(("drafter", "offered"), [("embedded:impartial", False), ("human", True)])
async def test_words_alone_are_offered_and_taken_only_where_somebody_drafts_clauses(
    drafter: str, offered: bool
) -> None:
    seen: dict[str, Any] = {}

    def answers(mail: OpenMail) -> str:
        turn, facts = mail.question.turn(), mail.question.question().letter.facts
        seen["decisions"] = form_of(turn, mail.agent, facts)["decisions"]
        fields = {"decision": "words", "speech": "Let us both hold back."}
        seen["why"] = preview(turn, mail.agent, fields)["why"]
        raise KeyboardInterrupt

    seats = {"*": "embedded:rational", "Alice": "human", "summariser": drafter}
    run = prepare("contracts", RunConfig(game="escape_room", seats=seats))
    with pytest.raises(KeyboardInterrupt):
        await follow(run, person=answers)
    assert ("words" in seen["decisions"]) is offered
    refusal = "" if offered else "Nobody here drafts clauses from words: write clauses."
    assert seen["why"] == refusal


def test_a_draft_in_words_alone_needs_words() -> None:
    with pytest.raises(ValueError, match="Write your proposal into “Your proposal in words”"):
        message_of("contract_propose", {"decision": "words", "speech": ""})


@pytest.mark.parametrize(("bobs", "agreed"), [("<REJECT>", False), ("<ACCEPT>", True)])
async def test_that_no_deal_was_reached_is_said_before_the_first_action(
    bobs: str, agreed: bool
) -> None:
    told: dict[str, str] = {}
    offer = '{"clauses": [{"kind": "do", "agent": "Bob", "action": "lever"}]}'
    says = {"propose": f"<PROPOSAL>{offer}</PROPOSAL>", "answer": bobs}

    def answers(mail: OpenMail) -> str:
        told[mail.act] = mail.question.for_person()[-1].text
        return says.get(mail.act, "<ACTION>lever</ACTION>")

    seats = {"*": "human"}
    run = prepare("negotiation", RunConfig(game="escape_room", seats=seats, rounds=1))
    await follow(run, person=answers)
    assert told["act"].startswith("**No deal was reached:** no offer had") is not agreed
    assert "No deal" not in told["answer"]


def test_notes_are_apart_from_what_is_at_stake_which_stays_as_it_was() -> None:
    you = "# You\n\nAnn."
    before, after = (
        sections_for_person("Win.\n\n# The game\n\nA race.", f"{user}\n\n# Go")
        for user in (you, f"{you}\n\n**Your notes** (private): Ben hurries.")
    )
    new = [(one.title, one.text) for one in after if one not in before]
    assert new == [("Your notes, which nobody else reads", "Ben hurries.")]


def test_a_claim_without_words_is_a_claim() -> None:
    said = {"by": "Ben", "does": "claim", "topic": "split", "before_turn": 2}
    assert "Ben claims its part without a word" in write_history([said])


def test_who_is_waited_for_is_told_and_why_a_run_stopped_is_not() -> None:
    settings = RunConfig(game="shared_service").resolve().model_dump(mode="json")
    table: Any = {"agents": ["Ada", "Ben", "Cem"], "error": "CANARY", "settings": settings}
    game, waited = standing(table, "Ada", ["Ada", "Ben", "Cem"], False)["told"]
    assert game.startswith("You are Ada. Three firms run one service.")
    assert waited == "The run waits for Ben and Cem."
    assert standing(table, "Ada", [], True)["title"] == "The run has stopped"
    assert "CANARY" not in str(standing(table, "Ada", [], True))
    assert standing(table, "Zed", ["Ben"], False)["told"] == [], "a stranger is told nothing"
    pay = {"kind": "pay", "payer": "Ada", "payee": "Ben", "amount": "20"}
    table["offer"] = put(Deal.model_validate({"clauses": [pay]}), "Ada", 1)
    offers = [standing(table, who, ["Ben"], False)["told"][2:] for who in ("Ada", "Cem")]
    assert offers == [
        ["Your offer:", "c1. Ada pays Ben 20, once."],
        ["Ada's offer:", "c1. Ada pays Ben 20, once."],
    ]


def test_what_one_answered_stands_at_its_seat_while_others_answer() -> None:
    settings = RunConfig(game="shared_service").resolve().model_dump(mode="json")
    table: Any = {"agents": ["Ada", "Ben", "Cem"], "settings": settings}
    pay = {"kind": "pay", "payer": "Ada", "payee": "Ben", "amount": "20"}
    table["offer"] = put(Deal.model_validate({"clauses": [pay]}), "Ada", 1)
    counter = {"clauses": [{**pay, "payee": "Cem"}]}
    table["answers"] = {"Ben": {"act": "accept"}, "Cem": {"act": "reject", "deal": counter}}
    told = {who: standing(table, who, ["Ada"], False)["told"][2:] for who in ("Ben", "Cem")}
    assert told["Ben"] == ["You accepted offer 1."]
    assert told["Cem"] == ["You rejected offer 1 and proposed:", "c1. Ada pays Cem 20, once."]
    table["answers"] = {"Ben": {"act": "reject"}}
    assert standing(table, "Ben", ["Ada"], False)["told"][2:] == ["You rejected offer 1."]


@brought_by("exchange")
async def test_a_proposed_trade_is_told_with_the_names_of_its_tasks() -> None:
    def answers(mail: OpenMail) -> str:
        if mail.act != "exchange":
            return "<CONSIDER>Hm.</CONSIDER>"
        if mail.agent != "Alice":
            raise KeyboardInterrupt
        turn, facts = mail.question.turn(), mail.question.question().letter.facts
        tasks = [task["says"] for task in form_of(turn, mail.agent, facts)["trade"]["tasks"]]
        parts = {"Alice": tasks[1:], "Bob": tasks[:1]}
        return message_of(
            "exchange", {"allocation": [{"agent": a, "tasks": x} for a, x in parts.items()]}
        )

    run = prepare("task_exchange", RunConfig(game="task_exchange", seed=2, seats={"*": "human"}))
    with pytest.raises(KeyboardInterrupt):
        await follow(run, person=answers)
    told = standing(await table_of(run), "Alice", ["Bob"], False)["told"]
    assert told[2].startswith("Turn 2. Alice proposes – Alice: “")
    assert not re.search(r"<|\b[01]{6}\b", told[2])


def test_the_end_is_told_as_a_sum_and_net_payments_are_explained() -> None:
    game = load("shared_service", {}, 0)
    due = [("c1", "Ada", "Ben", "20"), ("c2", "Ben", "Ada", "30")]
    outcome = {
        "status": "agreed",
        "game": "shared_service",
        "rewards": {"Ada": 45.0, "Ben": 75.0, "Cem": 105.0},
        "payoffs": {"Ada": 55.0, "Ben": 65.0, "Cem": 105.0},
        "transfers": [{"payer": "Ben", "payee": "Ada", "amount": 10.0, "reason": "contract"}],
        "forfeits": {},
        "breaches": [],
        "enforcement": "enforced",
        "ledger": "paid",
        "contract": {
            "clauses": [
                {"kind": "pay", "payer": payer, "payee": payee, "amount": much}
                for _, payer, payee, much in due
            ]
        },
        "audit": {
            "clauses": {"c1": "Ada pays Ben 20, once.", "c2": "Ben pays Ada 30, once."},
            "verdicts": {"c1": "satisfied", "c2": "satisfied"},
            "payments": [
                dict(zip(("clause", "payer", "payee", "amount"), one, strict=True)) for one in due
            ],
        },
    }
    assert ending(outcome, "Ben", game) == [
        "You end with 65 EUR: 75 earned, less 10 paid.",
        "You pay Ada 10 EUR by the contract.",
        "This is net of what each owed the other: c1 Ada pays Ben 20, c2 Ben pays Ada 30.",
        "What was agreed:",
        "c1. Ada pays Ben 20, once. – kept",
        "c2. Ben pays Ada 30, once. – kept",
        "You were Ben.",
    ]
    outcome["audit"]["payments"].pop()
    assert "c2. Ben pays Ada 30, once. – nothing was due" in ending(outcome, "Ben", game)
    told = ending(outcome, "Ben", game, later="c1. The total is split evenly.")
    at = told.index("What was agreed after the play, and decides:")
    assert told[at + 1 : at + 4] == [
        "c1. The total is split evenly.",
        "What was agreed before:",
        "c1. Ada pays Ben 20, once.",
    ]


@pytest.mark.parametrize(
    ("typed", "read"),
    [
        (["60 %", "0,4"], ["60%", "0.4"]),
        (["3/5", "40 percent"], ["3/5", "40%"]),
        (["60", "40"], "Clause 1: Is “60” 60 %? Write 60 % or 0.6."),
        (["33.3%", "66.6%"], "The parts sum to 99.9 %: let them sum to 100 %; a third is 1/3."),
        (["all", "0"], "“all” is no share: write 60 %, 0.6 or 3/5."),
    ],
)
def test_parts_are_read_as_people_write_them_or_asked_back(typed: list[str], read: Any) -> None:
    clause = {"kind": "share", "fractions": dict(zip(("Ann", "Ben"), typed, strict=True))}
    fields = {"decision": "offer", "clauses": [clause]}
    if isinstance(read, str):
        with pytest.raises(ValueError, match=re.escape(read)):
            message_of("propose", fields)
    else:
        assert f'"fractions": {{"Ann": "{read[0]}", "Ben": "{read[1]}"}}' in message_of(
            "propose", fields
        )
