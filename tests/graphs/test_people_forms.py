"""People reply by forms: in the shape of today's agents, in that of older inboxes, and plainly."""

import json
from collections.abc import Mapping
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from shapley_coop.games import Game
from shapley_coop.graphs.preparing import prepare
from shapley_coop.graphs.running import follow
from shapley_coop.graphs.threads import configure, open_workflow, table_of
from shapley_coop.seats.asked import names
from shapley_coop.seats.person import (
    SERVER_URL,
    as_message,
    fields_of,
    form,
    open_choices,
    request,
)
from shapley_coop.seats.records import PASS, Mail
from shapley_coop.state.run_config import RunConfig
from shapley_coop.state.storage.home import home
from tests.graphs.test_people import ALL, DEAL

POINTER = {"episode": "5c1f0e", "agent": "Alice", "attempt": 1}
DOOR = "<ACTION>door</ACTION>"
FILLED: dict[str, dict[str, Any]] = {
    "reason": {"thoughts": "Collective payoff: 9\nExternality: +\nPrice: 5.5"},
    "propose": {"speech": "Let us share.", **DEAL},
    "answer": {"decision": "accept", "speech": "Fine."},
    "claim": {"percent": 50, "speech": "Half of it."},
    "propose_split": {"clauses": None},
    "answer_split": {"decision": "reject"},
}


def filled(facts: Mapping[str, Any]) -> dict[str, Any]:
    """What a sensible person fills in."""
    if facts["ask"] == "act":
        return {"action": "door" if facts["you"] == "Alice" else "lever"}
    return FILLED[facts["ask"]]


def as_edit(act: str, args: Any) -> Any:
    return {"decisions": [{"type": "edit", "edited_action": {"name": act, "args": args}}]}


def of_inbox(act: str, args: Any) -> Any:
    return [{"type": "edit", "args": {"action": act, "args": args}}]


def bare(act: str, args: Any) -> Any:
    return args


@pytest.mark.parametrize("shape", [as_edit, of_inbox, bare])
async def test_a_whole_run_is_answered_in_fields_without_one_refusal(shape: Any) -> None:
    asked: list[Mail] = []

    def person(mail: Mail) -> Any:
        asked.append(mail)
        args = filled(mail.facts)
        Draft202012Validator(form(mail.act, open_choices(mail.facts))).validate(args)
        return shape(mail.act, args)

    run = prepare("shapley_coop", RunConfig(seats=ALL))
    outcome = await follow(run, person=person)
    assert {mail.act for mail in asked} >= {"reason", "propose", "answer", "claim", "act"}
    assert (await table_of(run))["claims"] == {"Alice": "0.5", "Bob": "0.5"}
    assert outcome["payoffs"] == {"Alice": 4.5, "Bob": 4.5}
    refused = [one["refused"] for phase in outcome["spending"].values() for one in phase.values()]
    assert sum(refused) == 0


@pytest.mark.parametrize("act", names())
def test_a_request_is_in_both_shapes_and_leads_to_the_seat(act: str) -> None:
    asked = request(POINTER, "Alice", act, "")
    (action,), (config,) = asked["action_requests"], asked["review_configs"]
    assert action["name"] == config["action_name"] == asked["action_request"]["action"] == act
    assert (
        action["args"].keys() == set(fields_of(act)) == config["args_schema"]["properties"].keys()
    )
    assert action["description"].endswith("/seat/5c1f0e/Alice")
    assert asked["seat"] == "/seat/5c1f0e/Alice"
    assert ("approve" in config["allowed_decisions"]) == asked["config"]["allow_accept"]
    assert asked["config"]["allow_ignore"]
    assert len(json.dumps(asked)) < 4_000


async def asked_of_bob() -> dict[str, Any]:
    """The value of the interrupt that asks a person for an action."""
    run = prepare("llm_only", RunConfig(seats={"*": "embedded:rational", "Bob": "human"}))
    async with open_workflow(run.graph) as app:
        place = configure(run)
        await app.ainvoke({"room": run.room}, place, context=RunConfig())
        (asked,) = (await app.aget_state(place)).interrupts
    return dict(asked.value)


async def test_an_interrupt_carries_the_choices_and_the_seats_whole_address(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(SERVER_URL, "https://table.example/")
    asked = await asked_of_bob()
    (action,), (config,) = asked["action_requests"], asked["review_configs"]
    assert asked["choices"] == {"action": ["door", "lever"]}
    assert config["args_schema"]["properties"]["action"]["enum"] == ["door", "lever"]
    assert action["description"].startswith("Bob, choose your action (door, lever).")
    episode = asked["pointer"]["episode"]
    assert asked["seat"] == f"https://table.example/seat/{episode}/Bob"
    assert "You are **Bob**" not in json.dumps(asked)
    last = {"ask": "answer", "round": 3, "rounds": 3}
    assert open_choices(last) == {"decision": ["accept", "reject"]}


async def test_an_interrupt_tells_no_choice_of_a_position_that_only_its_agent_sees(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Game, "view", lambda game, position, agent: {**position, "holds": agent})
    asked = await asked_of_bob()
    assert asked["choices"] == {}
    assert "lever" not in json.dumps(asked)


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        ({"decisions": [{"type": "approve"}]}, "<ACCEPT>"),
        ({"decisions": [{"type": "reject"}]}, "<REJECT>"),
        ({"decisions": [{"type": "reject", "message": "Too dear."}]}, "<s>Too dear.</s><REJECT>"),
        ({"decisions": [{"type": "respond", "message": DOOR}]}, DOOR),
        ({"type": "respond", "message": "Well."}, "Well."),
        (as_edit("claim", {"percent": 33.5}), "<CLAIM>33.5%</CLAIM>"),
        (as_edit("claim", {"percent": "a third"}), "<CLAIM>a third</CLAIM>"),
        (as_edit("claim", {"percent": 0}), "<CLAIM>0%</CLAIM>"),
        (as_edit("claim", {"claim": 50}), "(unreadable)"),
        ({"type": "accept", "args": None}, "<ACCEPT>"),
        ({"type": "response", "args": "Well."}, "Well."),
        ({"type": "ignore"}, PASS),
        ([{"type": "edit", "args": {"action": "act", "args": {"action": "door"}}}], DOOR),
        (DOOR, DOOR),
        ({"decisions": []}, "(unreadable)"),
        ({"decisions": [{"type": "approve"}, {"type": "approve"}]}, "(unreadable)"),
        (as_edit("act", None), "(unreadable)"),
    ],
)
def test_replies_of_todays_agents_and_of_older_clients_are_read(reply: Any, message: str) -> None:
    assert as_message(reply) == message


async def test_sealed_words_that_are_edited_are_refused_and_nothing_is_played() -> None:
    run = prepare("llm_only", RunConfig(seed=4))
    async with open_workflow(run.graph) as app:
        place = configure(run)
        await app.ainvoke({"room": run.room}, place, context=RunConfig(), interrupt_before=["step"])
        sealed = (await app.aget_state(place)).values["sealed"]
        edited = {"Alice": {**sealed["Alice"], "text": "<ACTION>lever</ACTION>"}}
        fork = await app.aupdate_state(place, {"sealed": edited})
        with pytest.raises(ValueError, match=r"sealed\.Alice was edited.*answer at its seat"):
            await app.ainvoke(None, fork)
        assert (await app.aget_state(fork)).values["record"] == []
        chosen = {"Alice": {"act": "act", "text": "", "action": "lever"}}
        again = await app.aupdate_state(place, {"sealed": chosen})
        with pytest.raises(ValueError, match=r"sealed\.Alice was edited"):
            await app.ainvoke(None, again)
        passed = {"Alice": {"act": "pass", "text": "", "label": "PASS"}}
        effect = await app.aupdate_state(place, {"sealed": passed})
        table = await app.ainvoke(None, effect)
    assert table["record"][0]["actions"].keys() == {"Bob"}
    assert home().ledger.lines(table["episode"])
