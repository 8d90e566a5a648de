"""Whatever a run came to, its export is recomputed: amended, broken, by norm, redistributed."""

import json
from typing import Any

import pytest

from shapley_coop.extensions.proof.checking import check
from shapley_coop.extensions.proof.envelope import as_bytes
from shapley_coop.extensions.proof.home_keys import key_of, new_key
from shapley_coop.extensions.proof.keys import PrivateKey
from shapley_coop.extensions.proof.parties import OPERATOR
from shapley_coop.extensions.proof.statement import envelope_signed, statement_of
from shapley_coop.games import load
from shapley_coop.graphs.running import play
from shapley_coop.graphs.threads import table_of
from shapley_coop.state.run_config import RunConfig
from shapley_coop.state.storage.home import home
from tests.scripted import Script

SIGNER = PrivateKey.new("ES256")


async def exported(graph: str, **config: Any) -> dict[str, Any]:
    """What a signed run's export states, once it is checked and every party's signature needed."""
    agents = load(config["game"], config.get("params")).agents
    for number, _ in enumerate(agents):
        new_key(f"party{number}")
    names = {agent: f"party{number}" for number, agent in enumerate(agents)}
    given = {"keys": names, "require_signed": True, **config}
    outcome = await play(graph, RunConfig.model_validate(given))
    table = await table_of(home().runs.get(outcome["run"]))
    statement = statement_of(table, graph, "2026-11-22T12:00:00+00:00")
    told: dict[str, Any] = statement["predicate"]
    need = agents if told["agreements"] else ()
    keys = {OPERATOR: SIGNER.public} | {a: key_of(names[a]).public for a in need}
    findings = check(as_bytes(envelope_signed(statement, [SIGNER])), keys, need)
    assert [finding for finding in findings if not finding.sound] == []
    assert sum(map(int, told["payoffs"].values())) == sum(map(int, told["rewards"].values()))
    return told


async def test_a_contract_that_was_amended_and_broken() -> None:
    told = await exported(
        "shapley_coop",
        game="prisoners_dilemma",
        params={"rounds": 6},
        renegotiate="every 2",
        seats={"*": "embedded:sloppy"},
        seed=2,
    )
    assert len(told["agreements"]) == 3
    assert len({one["contract"] for one in told["agreements"]}) == 3
    assert told["breaches"]


async def test_deposits_that_were_forfeited() -> None:
    told = await exported(
        "contracts",
        game="prisoners_dilemma",
        params={"rounds": 4},
        seats={"*": "embedded:random", "Bob": "embedded:cooperator"},
        enforcement="escrow",
        deposit="1",
        seed=1,
    )
    assert told["breaches"]
    assert any(int(amount) for amount in told["forfeits"].values())


@pytest.mark.slow
async def test_a_redistribution_replaces_what_was_signed() -> None:
    told = await exported("shapley_coop", game="raid_battle", seats={"*": "embedded:stubborn"})
    assert told["basis"] == "redistribution"
    assert [one["contract"] for one in told["agreements"] if one["topic"] != "plan"] == [None]


async def test_the_norm_where_nobody_agrees(script: Script) -> None:
    lever = {"clauses": [{"kind": "do", "agent": "Bob", "action": "lever"}]}
    script["Alice", "propose"] = f"<PROPOSAL>{json.dumps(lever)}</PROPOSAL>"
    script["Bob", "answer"] = "<ACCEPT>"
    script["Alice", "propose_split"] = script["Bob", "propose_split"] = "<REJECT>"
    told = await exported("shapley_coop", game="escape_room", disagreement="norm")
    assert (told["basis"], told["reckoned"]) == ("norm", True)


async def test_a_play_without_any_agreement_has_nothing_to_sign() -> None:
    told = await exported("llm_only", game="escape_room")
    assert (told["agreements"], told["clauses"], told["transfers"]) == ([], [], [])


async def test_names_that_are_not_in_the_order_of_the_file(script: Script) -> None:
    """Canonical JSON sorts Abe before Zed, so that words and breaches must not depend on it."""
    split = {"kind": "share", "fractions": {"Zed": "0.5", "Abe": "0.5"}}
    clauses = [{"kind": "do", "agent": "everyone", "action": "cooperate"}, split]
    script["Zed", "propose"] = f"<PROPOSAL>{json.dumps({'clauses': clauses})}</PROPOSAL>"
    script["Abe", "answer"] = "<ACCEPT>"
    script["Zed", "act"] = script["Abe", "act"] = "<ACTION>defect</ACTION>"
    params = {
        "agents": ["Zed", "Abe"],
        "actions": {name: ["defect", "cooperate"] for name in ("Zed", "Abe")},
        "rounds": 1,
    }
    told = await exported("shapley_coop", game="prisoners_dilemma", params=params)
    assert told["clauses"][-1] == "c2. At the end the total is split: Abe 50 %, Zed 50 %."
    assert [breach["agent"] for breach in told["breaches"]] == ["Abe", "Zed"]
