"""Words alone: a model drafts the clauses where one sits, and nothing agreed vanishes silently."""

import json
from pathlib import Path
from typing import Any

import pytest

from shapley_coop.deals.language.clauses import Do
from shapley_coop.deals.language.deal import Deal
from shapley_coop.deals.language.terms import Terms
from shapley_coop.deals.written.document import compose
from shapley_coop.evals.verifying import verify_run
from shapley_coop.games import load
from shapley_coop.graphs.preparing import prepare
from shapley_coop.graphs.running import follow, play
from shapley_coop.graphs.threads import table_of
from shapley_coop.seats.answers import tag_fields
from shapley_coop.seats.letters import facts
from shapley_coop.seats.schema import schema_of
from shapley_coop.state.outsiders import IMPARTIAL
from shapley_coop.state.run_config import RunConfig
from shapley_coop.state.storage.home import home
from tests.coop_command import coop_in
from tests.scripted import Script
from tests.stub_openai import StubOpenAI

DILEMMA = load("prisoners_dilemma", {"rounds": 2})
TERMS = Terms(DILEMMA.agents, DILEMMA.actions, DILEMMA.turns)
BOTH = Deal(clauses=tuple(Do(agent=agent, action="cooperate") for agent in DILEMMA.agents))
DRAFT = (
    f"<s>{compose(BOTH, TERMS)}</s>"
    f"<PROPOSAL>{json.dumps({'clauses': BOTH.record()['clauses']})}</PROPOSAL>"
)
SAID = "Let us be good to each other all the time."
"""What no code reads as clauses, and any model does."""

ROOM: dict[str, Any] = {"game": "prisoners_dilemma", "params": {"rounds": 2}}


def model(messages: list[dict[str, Any]], request: dict[str, Any]) -> str:
    """A model that talks in words and drafts what they mean."""
    known = facts("\n".join(str(message["content"]) for message in messages))
    said = {
        "contract_propose": f"<s>{SAID}</s>",
        "contract_answer": "<s>Fine.</s><ACCEPT>",
        "contract_sign": "<ACCEPT>",
        "contract_write": DRAFT,
        "act": "<ACTION>cooperate</ACTION>",
    }
    return said[known["ask"]]


def writer(episode: str) -> str:
    (entry,) = [e for e in home().journal.entries(episode) if e.act == "contract_write"]
    return entry.model


@pytest.mark.usefixtures("openai_key")
async def test_a_model_at_the_table_drafts_what_was_agreed_in_words() -> None:
    with StubOpenAI(model) as stub:
        seat = {"model": "openai:any", "base_url": stub.base_url}
        room = RunConfig.model_validate({**ROOM, "seats": {"*": seat}})
        outcome = await play("contracts", room, run="words")
    assert (outcome["status"], outcome["lapsed"]) == ("agreed", None)
    assert outcome["audit"]["duties"] == {"kept": 4, "owed": 4}
    assert writer(outcome["episode"]) == "openai:any"
    assert all(check.sound for check in await verify_run("words"))


@pytest.mark.usefixtures("openai_key")
async def test_the_model_is_the_proposers_else_the_first_there_is(script: Script) -> None:
    """Embedded seats are scripted here: they draft nothing while a model sits."""
    talk_in_words(script)
    script["Alice", "contract_sign"] = script["Bob", "contract_sign"] = "<ACCEPT>"
    for agent in ("Alice", "Bob"):
        seats = {"*": "embedded:rational", agent: "openai:mine"}
        script["summariser", "contract_write"] = DRAFT
        room = RunConfig.model_validate({**ROOM, "seats": seats})
        assert writer((await play("contracts", room))["episode"]) == "openai:mine"
    named = {**seats, "summariser": "openai:another"}
    room = RunConfig.model_validate({**ROOM, "seats": named})
    assert writer((await play("contracts", room))["episode"]) == "openai:another"


@pytest.mark.usefixtures("openai_key")
async def test_clauses_that_were_agreed_are_written_down_by_code(script: Script) -> None:
    room = RunConfig.model_validate({**ROOM, "seats": {"*": "openai:mine"}})
    outcome = await play("contracts", room)
    assert outcome["contract"]
    assert writer(outcome["episode"]) == IMPARTIAL.model


def talk_in_words(script: Script) -> None:
    script["Alice", "contract_propose"] = f"<s>{SAID}</s>"
    script["Bob", "contract_answer"] = "<s>Fine.</s><ACCEPT>"


async def lapsed(script: Script) -> tuple[Any, list[str]]:
    """The table of a run in which words were agreed, and every act letter."""
    talk_in_words(script)
    run = prepare("contracts", RunConfig.model_validate(ROOM), "run")
    outcome = await follow(run)
    table = await table_of(run)
    assert outcome["lapsed"] == table["lapsed"]
    assert (outcome["status"], outcome["contract"]) == ("no_deal", None)
    assert all(check.sound for check in await verify_run("run"))
    return table, script.shown_to("Alice", "act") + script.shown_to("Bob", "act")


async def test_words_without_a_draft_bind_nobody_and_every_letter_says_why(script: Script) -> None:
    table, letters = await lapsed(script)
    assert table["lapsed"].startswith("All accepted an offer in words, but the summariser made no")
    assert "I cannot draft clauses from these words" in table["lapsed"]
    (asked,) = script.shown_to("summariser", "contract_write")
    assert "`pay` and `share`" in asked
    assert "`give`" not in asked, "nobody holds goods"
    assert len(letters) == 4
    for letter in letters:
        assert letter.facts["no_contract"] == table["lapsed"]
        assert "I cannot draft clauses from these words" in letter


@pytest.mark.parametrize("graph", ["contracts", "negotiation"])
async def test_after_talk_that_failed_each_letter_for_an_action_says_that_no_deal_binds(
    script: Script, graph: str
) -> None:
    offer = f"<PROPOSAL>{json.dumps({'clauses': BOTH.record()['clauses']})}</PROPOSAL>"
    script["Alice", "propose"] = script["Alice", "contract_propose"] = offer
    script["Bob", "answer"] = script["Bob", "contract_answer"] = "<REJECT>"
    await play(graph, RunConfig.model_validate({**ROOM, "rounds": 1}))
    letters = script.shown_to("Alice", "act") + script.shown_to("Bob", "act")
    assert len(letters) == 4
    assert all("**No deal was reached:** no offer had everybody's yes" in one for one in letters)


async def test_a_summariser_that_cannot_be_read_is_named_as_the_reason(script: Script) -> None:
    script["summariser", "contract_write"] = "I shall write it soon."
    table, _ = await lapsed(script)
    assert "no draft of its clauses was sound (MPT)" in table["lapsed"]


async def test_who_did_not_sign_is_named(script: Script) -> None:
    script["summariser", "contract_write"] = DRAFT
    script["Alice", "contract_sign"] = "<ACCEPT>"
    script["Bob", "contract_sign"] = "<s>That is not what I meant.</s><REJECT>"
    table, letters = await lapsed(script)
    assert table["lapsed"].endswith("were not signed by Bob")
    assert all("no_contract" in letter.facts for letter in letters)


async def test_the_next_bargaining_begins_anew(script: Script) -> None:
    talk_in_words(script)
    room = RunConfig.model_validate({**ROOM, "renegotiate": "every 1"})
    await play("contracts", room)
    first, second = script.shown_to("Alice", "contract_propose")
    assert "no_contract" not in first.facts
    assert "no_contract" not in second.facts


async def test_words_in_fields_are_drafts_where_clauses_are_null(script: Script) -> None:
    fields = {
        "contract_propose": {"speech": SAID, "clauses": None},
        "contract_answer": {"speech": "Except at the end.", "decision": "counter", "clauses": None},
    }
    for ask, filled in fields.items():
        script["Alice", ask] = script["Bob", ask] = tag_fields(ask, filled)
    run = prepare("contracts", RunConfig.model_validate({**ROOM, "rounds": 2}), "run")
    await follow(run)
    told = [(said["by"], said["act"]) for said in (await table_of(run))["talk"]]
    assert told[:3] == [("Alice", "propose"), ("Bob", "propose"), ("Alice", "propose")]


@pytest.mark.parametrize("fields", [{"speech": None}, {"speech": "No.", "decision": "none"}])
def test_no_words_or_a_persons_no_is_no_draft(fields: dict[str, Any]) -> None:
    assert tag_fields("contract_propose", fields).endswith("<REJECT>")


@pytest.mark.parametrize("ask", ["contract_propose", "contract_answer"])
def test_only_where_words_are_a_draft_the_fields_say_so(ask: str) -> None:
    told = {of: json.dumps(schema_of({"ask": of})) for of in (ask, ask.removeprefix("contract_"))}
    assert "your draft in words" in told[ask]
    assert "it binds nobody" in told[ask.removeprefix("contract_")]


async def test_a_summary_is_told_as_one_and_not_as_an_offer(script: Script) -> None:
    run = prepare("contracts", RunConfig.model_validate(ROOM), "run")
    await follow(run)
    table = await table_of(run)
    (written,) = [said for said in table["talk"] if said["by"] == "summariser"]
    assert (written["act"], written["topic"]) == ("write", "contract")
    told = script.shown_to("Alice", "act")[0].facts["history"]
    assert [event["does"] for event in told if event["by"] == "summariser"] == ["write"]


def test_the_command_says_first_that_no_contract_binds(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    script: Script,
) -> None:
    talk_in_words(script)
    coop = coop_in(tmp_path, monkeypatch, capsys)
    ended = coop("run", "prisoners_dilemma", "--graph", "contracts", "--set", "rounds=2")
    assert "No contract binds in" in ended.out
    assert ended.code == 1


async def test_who_signs_is_shown_the_drafted_clauses_once(script: Script) -> None:
    talk_in_words(script)
    script["summariser", "contract_write"] = DRAFT
    script["Alice", "contract_sign"] = script["Bob", "contract_sign"] = "<ACCEPT>"
    await play("contracts", RunConfig.model_validate(ROOM))
    letter = script.shown_to("Bob", "contract_sign")[0]
    assert letter.count("Alice does cooperate at every turn") == 1
    assert SAID in letter, "what they said is there to compare with"
