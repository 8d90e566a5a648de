"""Talk in words: it is read where it can be, drafted by somebody impartial, and signed again."""

import json
from typing import Any

import pytest

from shapley_coop.deals.language.clauses import Do, Pay, Share
from shapley_coop.deals.language.deal import Deal
from shapley_coop.deals.language.faults import Fault
from shapley_coop.deals.language.reading import read_deal
from shapley_coop.deals.language.terms import Terms
from shapley_coop.deals.language.when import Event, Last
from shapley_coop.deals.language.wire_form import wire_form
from shapley_coop.deals.written.reading import agrees, read_words
from shapley_coop.evals.verifying import verify_run
from shapley_coop.games import load
from shapley_coop.graphs.running import play
from shapley_coop.seats.embedded import character
from shapley_coop.seats.embedded.clerk import Clerk
from shapley_coop.seats.embedded.contracting import Party
from shapley_coop.state.run_config import RunConfig
from tests.chance import dice
from tests.deals.made_contracts import ACTIONS, AGENTS, a_deal, a_game, a_sound_deal
from tests.deals.promised import table_after
from tests.scripted import events, facts
from tests.stub_openai import StubOpenAI

TERMS = Terms(AGENTS, ACTIONS, 9)
DILEMMA = load("prisoners_dilemma")
FINED = Deal(
    clauses=[
        *(Do(agent=agent, action="cooperate") for agent in DILEMMA.agents),
        *(
            Pay(payer=payer, payee=payee, amount=2, basis="turn", when=Last(last=wrong))
            for payer, payee in (("Alice", "Bob"), ("Bob", "Alice"))
            for wrong in [Event(agent=payer, action="defect")]
        ),
    ]
)
OFFER = f"I propose the following.\n{FINED.text()}\nWhat do you think?"


def test_what_is_written_in_plain_words_is_read_as_it_was_meant():
    rng = dice("plain words")
    for _ in range(1_000):
        deal = a_deal(rng, 9, most=4)
        assert read_words(deal.text(), TERMS).text() == deal.text()
    for _ in range(500):
        deal = read_deal(a_sound_deal(rng, a_game(rng, 6)))
        said = f"Here is what I have in mind:\n{deal.text()}\nShall we?"
        assert read_words(said, TERMS) == deal


def test_shares_are_read_exactly():
    for share in (Share(fractions={"Ann": "1/3", "Ben": "2/3"}), Share(norm="shapley")):
        deal = Deal(clauses=[share])
        assert read_words(deal.text(), TERMS) == deal


def test_the_end_of_what_stands_is_read_as_well():
    deal = Deal(clauses=[Do(agent="Ann", action="left")], drops=["c3", "c12"])
    assert read_words(deal.text(), TERMS) == deal


@pytest.mark.parametrize(
    ("said", "named"),
    [
        ("", "no clause"),
        ("Let us be fair to each other.", "no clause"),
        ("Ann does left at every turn. Ben is kind.", "of Ben"),
        ("Ann does left at every turn, or so.", "of Ann, left"),
        ("Ann does left at every turn. I want 5 for it.", "of 5"),
        ("Ann does left at every turn. Nobody goes right.", "of right"),
        ("Ann does left at turn 2 and every turn after it.", "of Ann, left, 2"),
        ("Ann pays Ben 3", "of Ann, Ben, 3"),
        ("Ann pays Ben 3 (at turn 1 and at turn 2.", "of Ann, Ben, 3, 1, 2"),
        ("Eve pays Ben 3.", "of Ben, 3"),
    ],
)
def test_what_is_not_understood_is_never_left_out(said, named):
    found = read_words(said, TERMS)
    assert isinstance(found, Fault)
    assert named in found.feedback


def loopback(messages: list[dict[str, Any]], request: dict[str, Any]) -> str:
    """Models that talk in words, and a summariser that drafts what it can read."""
    letter = "\n".join(str(message["content"]) for message in messages)
    known = facts(letter)
    match known["ask"]:
        case "contract_propose":
            return f"<s>{OFFER}</s>"
        case "contract_answer" | "contract_sign":
            return "<s>Fine.</s><ACCEPT>"
        case "contract_write":
            return Clerk(known, talk=events(letter)).write()
        case _:
            return "<ACTION>cooperate</ACTION>"


@pytest.mark.usefixtures("openai_key")
async def test_words_are_drafted_signed_and_played_by_models_behind_an_endpoint():
    with StubOpenAI(loopback) as stub:
        seat = {"model": "openai:any", "base_url": stub.base_url}
        seats = {"*": seat, "summariser": seat}
        room = RunConfig(game="prisoners_dilemma", params={"rounds": 2}, seats=seats)
        outcome = await play("contracts", room, run="words")
    assert outcome["status"] == "agreed"
    assert Deal.model_validate({"clauses": outcome["contract"]["clauses"]}) == FINED
    assert outcome["audit"]["duties"] == {"kept": 4, "owed": 4}
    assert all(check.sound for check in await verify_run("words"))


def in_words(script, said):
    script["Alice", "contract_propose"] = f"<s>{said}</s>"
    script["Bob", "contract_answer"] = "<s>Fine.</s><ACCEPT>"
    script["summariser", "contract_write"] = lambda known: Clerk(
        known, talk=events(script.shown_to("summariser")[-1])
    ).write()


SHORT = {"rounds": 2}


async def test_words_that_nobody_could_draft_end_without_a_contract_and_say_so(script):
    in_words(script, "Let us both cooperate all the time.")
    table = await table_after(RunConfig(game="prisoners_dilemma", params=SHORT))
    *_, last = table["talk"]
    assert (last["by"], last["act"], last["label"]) == ("summariser", "pass", "UNWRITTEN")
    assert "cannot draft clauses from these words" in last["text"]
    assert (table["contract"], table["status"]) == (None, "no_deal")
    assert [s["topic"] for s in table["talk"]] == ["prose", "prose", "contract"]
    assert script.shown_to("Alice", "contract_sign") == []
    assert all(check.sound for check in await verify_run("run"))


async def test_a_signature_that_cannot_be_read_is_asked_for_again(script):
    in_words(script, OFFER)
    script["Alice", "contract_sign"] = ["I might sign.", "<s>I sign.</s><ACCEPT>"]
    script["Bob", "contract_sign"] = "<ACCEPT>"
    table = await table_after(RunConfig(game="prisoners_dilemma", params=SHORT))
    assert "could not be used** (ACK," in script.shown_to("Alice", "contract_sign")[1]
    assert table["contract"]["signatures"].keys() >= {"Alice", "Bob"}


async def test_whoever_never_signs_readably_has_not_signed(script):
    in_words(script, OFFER)
    script["Alice", "contract_sign"] = "I might sign."
    script["Bob", "contract_sign"] = "<ACCEPT>"
    table = await table_after(RunConfig(game="prisoners_dilemma", params=SHORT))
    assert len(script.shown_to("Alice", "contract_sign")) == 3
    assert (table["contract"], table["status"]) == (None, "no_deal")


def party(said, clauses=()):
    told = {**DILEMMA.facts(), "you": "Bob", "turn": 1, "round": 1, "rounds": 3}
    told |= {"offer": {"clauses": list(clauses), "drops": []}, "enforcement": {"mode": "enforced"}}
    talk = [{"id": "m1", "by": "Alice", "does": "propose", "says": said, "revision": 1}]
    return Party(told, [], character("generous"), talk=talk)


def test_an_embedded_party_weighs_words_that_it_can_read_as_it_weighs_clauses():
    assert "<ACCEPT>" in party(OFFER).answer()
    assert "<ACCEPT>" in party("", wire_form(FINED)["clauses"]).answer()
    greedy = f"{FINED.text()} Bob pays Alice 9 at turn 10."
    for said in (greedy, "Let us cooperate.", "Alice does defect at turn 40.", ""):
        assert "<PROPOSAL>" in party(said).answer()


def test_an_embedded_summariser_drafts_only_what_was_said():
    told = {**DILEMMA.facts(), "offer": {"clauses": [], "drops": []}}
    talk = [{"does": "propose", "says": "Forget it."}, {"does": "propose", "says": OFFER}]
    drafted = Clerk(told, talk=talk).write()
    assert read_deal(json.loads(drafted.partition("<PROPOSAL>")[2].partition("</")[0])) == FINED
    assert "<PROPOSAL>" not in Clerk(told, talk=talk[:1]).write()


@pytest.mark.parametrize(
    "said",
    ["I agree.", "Yes, I accept!", "Fine.", "That is fair. I agree.", "I fully agree with Alice"],
)
def test_words_of_agreement_are_known(said):
    assert agrees(said)


@pytest.mark.parametrize(
    "said",
    [
        "",
        "I do not agree.",
        "I agree, but only if you pay me 3.",
        "We agree that Alice pays Bob 3.",
        "Let us both cooperate. I agree to pay 5 for it at the end.",
        FINED.text(),
        OFFER,
    ],
)
def test_a_text_of_its_own_is_no_mere_agreement(said):
    assert not agrees(said)


async def test_agreement_in_words_leaves_what_stands_and_is_asked_for_again(script):
    in_words(script, OFFER)
    script["Bob", "contract_answer"] = ["<s>I agree.</s>", "<s>I agree.</s><ACCEPT>"]
    table = await table_after(RunConfig(game="prisoners_dilemma", params=SHORT))
    asked = script.shown_to("Bob", "contract_answer")
    assert "could not be used** (ACK," in asked[1]
    assert [facts(letter)["offer"]["revision"] for letter in asked] == [1, 1]
    assert [(s["by"], s["act"]) for s in table["talk"][:2]] == [
        ("Alice", "propose"),
        ("Bob", "accept"),
    ]


async def test_a_counter_draft_in_words_alone_takes_the_place_of_what_stands(script):
    in_words(script, "I propose to cooperate, as long as you do.")
    script["Bob", "contract_answer"] = f"<s>{FINED.text()}</s>"
    script["Alice", "contract_answer"] = "<ACCEPT>"
    for agent in ("Alice", "Bob"):
        script[agent, "contract_sign"] = "<ACCEPT>"
    table = await table_after(RunConfig(game="prisoners_dilemma", params=SHORT))
    assert table["talk"][1]["puts"] == 2
    assert table["contract"]["text"] == FINED.text()


async def test_parties_say_no_more_than_all_can_read_and_the_contract_may_be_longer(script):
    in_words(script, OFFER)
    script["Alice", "contract_propose"] = [f"<s>{'a' * 4_001}</s>", f"<s>{OFFER}</s>"]
    for agent in ("Alice", "Bob"):
        script[agent, "contract_sign"] = "<ACCEPT>"
    intents = "- Intent (unenforceable): all of us mean to be kind.\n" * 100

    def at_length(known):
        drafted = Clerk(known, talk=events(script.shown_to("summariser")[-1])).write()
        return drafted.replace("## 3.", f"{intents}\n## 3.", 1)

    script["summariser", "contract_write"] = at_length
    table = await table_after(RunConfig(game="prisoners_dilemma", params=SHORT))
    again = script.shown_to("Alice", "contract_propose")[1]
    assert "could not be used** (LONG," in again
    assert "limit 4000" in again
    (prose,) = [s["text"] for s in table["talk"] if s["by"] == "summariser"]
    assert len(prose) > 4_000
    assert table["contract"]["text"] == FINED.text()
