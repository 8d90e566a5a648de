"""At the end a person reads what each ends with and what decided, at the page and the terminal."""

import json
from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any

import pytest

from shapley_coop.extensions.people import inbox
from shapley_coop.extensions.people.standing import ends_of, standing
from shapley_coop.games import load
from shapley_coop.graphs.preparing import prepare
from shapley_coop.graphs.running import follow
from shapley_coop.graphs.threads import table_of
from shapley_coop.state.result import result
from shapley_coop.state.run_config import RunConfig
from tests.coop_command import Coop


async def ended(graph: str, game: str) -> Any:
    run = prepare(graph, RunConfig(game=game, seats={"*": "embedded:rational"}))
    await follow(run)
    return await table_of(run)


async def test_the_reader_is_first_and_whoever_pays_has_a_minus_in_the_games_unit() -> None:
    table = await ended("shapley_coop", "shared_service")
    found = standing(table, "Ben", [], False)["ends"]
    assert found["columns"] == ["in EUR", "earned", "received (+) or paid (-)", "ends with"]
    assert found["rows"] == [
        ["you (Ben)", "75", "-12.5", "62.5"],
        ["Ada", "45", "+77.5", "122.5"],
        ["Cem", "105", "-65", "40"],
    ]
    why = "The contract decided; each ends with what Shapley values give it. An agent's Shapley"
    assert found["how"].startswith(why)


async def test_of_the_reader_it_is_said_what_it_would_be_left_and_others_have_names() -> None:
    pays = {"kind": "pay", "payer": "Alice", "payee": "Bob", "amount": 5}
    said = {
        "propose": f"<PROPOSAL>{json.dumps({'clauses': [pays]})}</PROPOSAL>",
        "answer": "<ACCEPT>",
        "Alice": "<ACTION>door</ACTION>",
        "Bob": "<ACTION>lever</ACTION>",
    }
    run = prepare("negotiation_priced", RunConfig(game="escape_room", seats={"*": "human"}))
    await follow(run, person=lambda mail: said[mail.agent if mail.act == "act" else mail.act])
    table = await table_of(run)
    how = {who: standing(table, who, [], False)["ends"]["how"] for who in ("Alice", "Bob")}
    assert "you end with 5, where Shapley values would leave you 4.5" in how["Alice"]
    assert "Alice ends with 5, where Shapley values would leave Alice 4.5" in how["Bob"]


async def test_who_refused_the_readers_offer_is_told_with_its_words() -> None:
    said = {
        "propose": '<PROPOSAL>{"clauses": [{"kind": "do", "agent": "Bob", "action": "door"}]}'
        "</PROPOSAL>",
        "answer": "<REJECT><s>Not so fast.</s>",
        "act": "<ACTION>door</ACTION>",
    }
    run = prepare("negotiation", RunConfig(game="escape_room", seats={"*": "human"}, rounds=1))
    await follow(run, person=lambda mail: said[mail.act])
    told = {who: standing(await table_of(run), who, [], False)["told"] for who in ("Alice", "Bob")}
    assert told["Alice"][:2] == ['Bob rejected your offer 1: "Not so fast."', "Nothing was signed."]
    assert told["Bob"][0] == "Nothing was signed."


async def test_what_was_due_is_told_beside_what_is_paid_only_if_it_differs() -> None:
    table = await ended("contracts", "shared_service")
    told = standing(table, "Ada", [], False)["told"]
    assert "Ben pays you 10.44 EUR by the contract." in told
    assert [line for line in told if "net of" in line] == []


async def test_without_a_play_nothing_decided_and_of_many_agents_the_first_ones_have_rows() -> None:
    table = await ended("shapley_coop", "shared_service")
    agents = [f"P{n}" for n in range(100)]
    sums = dict.fromkeys(agents, 1.0)
    outcome = result("", "", table) | {"agents": agents, "rewards": sums, "payoffs": sums}
    outcome["happened"] = {"at_stake": False}
    found = ends_of(outcome, "P99", load("escape_room", {}, 0))
    assert found["columns"][0] == "in points"
    assert [row[0] for row in found["rows"][:2]] == ["you (P99)", "P0"]
    assert found["rows"][-1] == ["… and 36 more", "", "", ""]
    assert found["how"] == ""


@pytest.mark.parametrize("tenants", [True, False])
async def test_who_may_not_see_the_whole_run_is_not_told_what_the_others_end_with(
    tenants: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def thread(_: str) -> Any:
        return {"thread_id": "t", "status": "idle"}

    async def state(_: str) -> Any:
        return {"values": await ended("negotiation_priced", "escape_room")}

    server = SimpleNamespace(threads=SimpleNamespace(get_state=state))
    monkeypatch.setattr(inbox, "thread_of", thread)
    monkeypatch.setattr(inbox, "inside", lambda: server)
    monkeypatch.setattr(inbox, "waiting_in", lambda _: [])
    monkeypatch.setattr(inbox, "_owner_of", lambda _: nullcontext())
    monkeypatch.setattr(inbox, "configured", lambda: tenants)
    found = await inbox.ThreadInbox().standing("e", "Alice")
    assert found["over"]
    assert ("ends" in found, "run" in found) == (not tenants, not tenants)


def test_the_terminal_tells_it_too(coop: Coop) -> None:
    options = ("--agent", "Alice=embedded:rational", "--name", "r")
    assert coop("run", "escape_room", *options).code == 0
    told = coop("answer", "r", "Alice").out
    assert told.startswith("r is over.\nYou end with ")
    assert "in points" in told
    assert "you (Alice)" in told
    assert "The contract decided" in told
