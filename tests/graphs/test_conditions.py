"""Conditions are what they say: what each workflow's letters speak of, and what it admits."""

import json
import re
from typing import Any

import pytest
from pydantic import ValidationError

from shapley_coop.extensions.sweeps.suite import load_suite
from shapley_coop.graphs.running import play
from shapley_coop.seats.letters import facts
from shapley_coop.state.run_config import RunConfig
from shapley_coop.state.storage.home import home
from tests.scripted import Script

GAMES = ["escape_room", "prisoners_dilemma", "public_goods"]
DEALING = re.compile(
    r"<PROPOSAL>|<ACCEPT>|<REJECT>|<CLAIM>|\"clauses\"|"
    r"\b(?:offers?|proposals?|deals?|contracts?|prices?|transfers?|compensat\w+)\b",
    re.IGNORECASE,
)
PAYING = re.compile(
    r"\"(?:kind|basis)\": ?\"(?:pay|share|once)\"|<CLAIM>|\bprices?\b|`share`|`pay`"
)


def do(agent: str, action: str) -> dict[str, Any]:
    return {"kind": "do", "agent": agent, "action": action}


PAY = {"kind": "pay", "payer": "Bob", "payee": "Alice", "amount": 5}
PLAN = [do("Alice", "lever"), do("Bob", "door")]


def proposal(*clauses: dict[str, Any]) -> str:
    return f"<s>Let us do this.</s><PROPOSAL>{json.dumps({'clauses': clauses})}</PROPOSAL>"


def texts(script: Script) -> list[str]:
    """The system part and the request of every letter."""
    return [str(message.text) for _, _, messages in script.letters for message in messages]


@pytest.mark.parametrize("game", GAMES)
async def test_alone_no_letter_speaks_of_offers_or_prices(script: Script, game: str) -> None:
    await play("llm_only", RunConfig(game=game))
    assert {act for _, act, _ in script.letters} == {"act"}
    for text in texts(script):
        assert DEALING.findall(text.replace('"deals": false', "")) == []


@pytest.mark.parametrize("game", GAMES)
async def test_over_actions_alone_no_letter_teaches_to_pay(script: Script, game: str) -> None:
    await play("negotiation", RunConfig(game=game, rounds=1))
    assert {"propose", "act"} <= {act for _, act, _ in script.letters}
    for text in texts(script):
        assert PAYING.findall(text) == []
    script.letters.clear()
    await play("negotiation_priced", RunConfig(game=game, rounds=1))
    assert any(PAYING.findall(text) for text in texts(script))


async def test_a_payment_is_sent_back_where_none_is_admitted(script: Script) -> None:
    script["Alice", "propose"] = [proposal(*PLAN, PAY), proposal(*PLAN)]
    script["Bob", "answer"] = "<ACCEPT>"
    outcome = await play("negotiation", RunConfig())
    assert [clause["kind"] for clause in outcome["contract"]["clauses"]] == ["do", "do"]
    assert outcome["transfers"] == []
    assert len(script.shown_to("Alice", "propose")) == 2
    assert "only do, forbid are admitted here" in script.shown_to("Alice", "propose")[1]


async def test_where_prices_are_admitted_nobody_is_asked_to_reason(script: Script) -> None:
    script["Alice", "propose"] = proposal(*PLAN, PAY)
    script["Bob", "answer"] = "<ACCEPT>"
    outcome = await play("negotiation_priced", RunConfig())
    assert outcome["transfers"][0]["amount"] == 5
    assert "reason" not in {act for _, act, _ in script.letters}


async def test_reasoning_comes_before_every_bargaining(script: Script) -> None:
    room = RunConfig(game="prisoners_dilemma", params={"rounds": 3}, renegotiate="every 1")
    await play("short_term", room)
    acts = [act for agent, act, _ in script.letters if agent == "Alice"]
    assert acts.count("reason") == 3
    told = [act for act in acts if act in ("reason", "propose")]
    assert told == ["reason", "propose"] * 3


# Presets


def test_a_preset_fills_in_what_nobody_has_set() -> None:
    plain = RunConfig.model_validate({"preset": "contracts_paper"})
    assert (plain.enforcement, plain.certificates, plain.duties) == ("notional", False, False)
    mixed = RunConfig.model_validate({"preset": "contracts_paper", "enforcement": "escrow"})
    assert (mixed.enforcement, mixed.certificates) == ("escrow", False)
    again = RunConfig.model_validate_json(plain.resolve().model_dump_json())
    assert again == plain.resolve()
    assert RunConfig().preset == "none"


def test_a_preset_sets_a_games_parameter_beside_those_that_are_given() -> None:
    params = {"scenario": "paper_competitive"}
    given = {"game": "task_exchange", "preset": "task_exchange_paper"}
    found = RunConfig.model_validate({**given, "params": params})
    assert (found.params, found.outlook) == ({**params, "exact": True}, False)
    assert params == {"scenario": "paper_competitive"}
    assert RunConfig.model_validate(given).params == {"exact": True}
    own = RunConfig.model_validate({**given, "params": {"exact": False}})
    assert own.params == {"exact": False}
    with pytest.raises(ValidationError, match="params"):
        RunConfig.model_validate({**given, "params": [1]})


async def test_the_papers_contracts_show_no_certificate_and_no_duties(script: Script) -> None:
    room = {"game": "prisoners_dilemma", "params": {"rounds": 2}}
    for preset, shown in (("none", True), ("contracts_paper", False)):
        script.letters.clear()
        config = RunConfig.model_validate({**room, "preset": preset})
        outcome = await play("contracts", config, run=preset)
        assert outcome["status"] == "agreed"
        assert outcome["enforcement"] == ("enforced" if shown else "notional")
        asked = script.shown_to("Bob", "contract_answer")
        assert asked
        assert all(("certificate" in letter.facts["offer"]) == shown for letter in asked)
        assert all(("duties" in one.facts) == shown for one in script.shown_to("Bob", "act"))


@pytest.mark.parametrize("preset", ["none", "shapley_coop_paper"])
async def test_without_duties_a_program_reads_the_contract_itself(
    script: Script, preset: str
) -> None:
    """Alternating turns: what the contract asks for now is not what it asks for next."""
    turns = [{**do("Alice", "lever"), "when": {"every": 2, "start": 1}}]
    turns += [{**do("Alice", "door"), "when": {"every": 2, "start": 2}}]
    script["Alice", "propose"] = proposal(*turns)
    script["Bob", "answer"] = "<ACCEPT>"
    room = {"params": {"rounds": 4}, "preset": preset, "seats": {"*": "embedded:rational"}}
    outcome = await play("shapley_coop", RunConfig.model_validate(room))
    assert outcome["audit"]["duties"] == {"kept": 4, "owed": 4}


def test_the_papers_suites_name_their_preset() -> None:
    for name in ("escape_room", "first_mover"):
        suite = load_suite(name)
        assert suite.base["preset"] == "shapley_coop_paper"
        assert "Preset: shapley_coop_paper" in suite.about
    notional = load_suite("contracts_table").axes["contract"]["notional"]
    assert notional == {"graph": "contracts", "preset": "contracts_paper"}


# The whole chain


async def test_shapley_coop_writes_enforces_claims_blind_and_computes(script: Script) -> None:
    """Alice breaks what she signed in turn 1: her deposit is gone before turn 2 is played."""
    both = [do(agent, "cooperate") for agent in ("Alice", "Bob")]
    script["Alice", "propose"], script["Bob", "answer"] = proposal(*both), "<ACCEPT>"
    nodes, posted, episode = list[str](), list[int](), list[str]()

    def act(known: dict[str, Any]) -> str:
        posted.append(len(home().ledger.lines(episode[0])))
        return f"<ACTION>{'defect' if known['turn'] == 1 else 'cooperate'}</ACTION>"

    def claim(known: dict[str, Any]) -> str:
        posted.append(len(home().ledger.lines(episode[0])))
        return "<CLAIM>50%</CLAIM>"

    script["Alice", "act"], script["Alice", "claim"] = act, claim

    def watch(node: str, written: dict[str, Any]) -> None:
        nodes.append(node)
        episode.extend([written["episode"]] if "episode" in written else [])

    room = {"game": "prisoners_dilemma", "params": {"rounds": 2}}
    escrow = {"enforcement": "escrow", "deposit": "2"}
    outcome = await play("shapley_coop", RunConfig.model_validate({**room, **escrow}), watch=watch)
    assert outcome["forfeits"] == {"Alice": -2, "Bob": 2}
    deposits, first, second = posted
    assert 0 < deposits < first == second, "the forfeit is posted after the breach, and once"
    order = ["reason", "propose", "tally", "write", "summarize", "act", "step"]
    order += ["account", "claim", "attribute", "settle"]
    first_seen = [nodes.index(node) for node in order]
    assert first_seen == sorted(first_seen)
    for agent in ("Alice", "Bob"):
        (claim,) = script.shown_to(agent, "claim")
        assert "computed" not in facts(claim), "claims are made before any value is shown"
        assert "claims" not in facts(claim)
