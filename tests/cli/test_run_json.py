"""What `run --json` prints: one object, as `docs/run.schema.json` says, whatever is played."""

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator

from shapley_coop.deals.contract import sign
from shapley_coop.deals.language.clauses import Pay
from shapley_coop.deals.language.deal import Deal, put
from shapley_coop.graphs.threads import configure, open_workflow
from shapley_coop.state.storage.home import home
from tests.coop_command import ABLATION, SCHEMA, Coop, valid
from tests.root import ROOT
from tests.scripted import Script


def game_file(path: Path, agents: int = 2, **changes: Any) -> Path:
    """A payoff file: everybody earns one for each agent that gives, and giving costs one."""
    names = ["Ann", "Ben", "Cleo"][:agents]
    plays: list[list[str]] = [[]]
    for _ in names:
        plays = [[*play, action] for play in plays for action in ("give", "keep")]
    content = {
        "name": "Gifts",
        "agents": names,
        "actions": {name: ["give", "keep"] for name in names},
        "payoffs": [
            {"play": play, "pays": [play.count("give") - (a == "give") for a in play]}
            for play in plays
        ],
        **changes,
    }
    path.write_text(json.dumps(content) if path.suffix == ".json" else yaml.safe_dump(content))
    return path


def test_the_schema_is_one_and_describes_every_key() -> None:
    Draft202012Validator.check_schema(SCHEMA)

    def walk(schema: dict[str, Any], at: str) -> None:
        for name, inner in schema.get("properties", {}).items():
            assert inner.get("description") or at.endswith("clause"), f"{at}.{name}"
            walk(inner, f"{at}.{name}")
        if "properties" in schema:
            assert schema["additionalProperties"] is False, at
        for n, inner in enumerate(schema.get("oneOf", [])):
            walk(inner, f"{at}|{n}")
        if "items" in schema:
            walk(schema["items"], f"{at}[]")

    walk(SCHEMA, "run")
    assert set(SCHEMA["properties"]) - set(SCHEMA["required"]) == {"cost", "reasons"}


def test_a_key_that_is_missing_or_new_is_no_valid_outcome(coop: Coop) -> None:
    outcome = coop("run", "escape_room", "--graph", "llm_only", "--json").result
    check = Draft202012Validator(SCHEMA)
    for key in outcome:
        assert not check.is_valid({k: v for k, v in outcome.items() if k != key})
    assert not check.is_valid({**outcome, "extra": 1})


@pytest.mark.parametrize("graph", ABLATION)
@pytest.mark.parametrize("character", ["rational", "random"])
def test_every_workflow_prints_one_valid_object(coop: Coop, graph: str, character: str) -> None:
    options = ("--graph", graph, "--seed", "5", "--set", "rounds=2")
    ended = coop("run", "escape_room", "--model", f"embedded:{character}", *options, "--json")
    outcome = valid(ended.result)
    assert (outcome["graph"], outcome["seed"], outcome["turns_played"]) == (graph, 5, 2)
    assert outcome["seats"] == dict.fromkeys(outcome["agents"], f"embedded:{character}")
    assert outcome["simulated"] is True
    assert (outcome["contract"] is None) == (outcome["agreed_at"] is None)
    assert ended.err == ""


def test_taxes_breaches_and_a_third_agent_are_within_the_schema(coop: Coop, tmp_path: Path) -> None:
    three = str(game_file(tmp_path / "gifts.yaml", agents=3))
    outcome = valid(coop("run", three, "--json", "--seed", "1").result)
    assert (outcome["game"], outcome["agents"]) == ("Gifts", ["Ann", "Ben", "Cleo"])
    broken = coop("run", three, "--json", "--model", "embedded:random", "--seed", "1")
    assert valid(broken.result)["breaches"]
    taxed = valid(coop("run", "escape_room", "--json", "--constraint", "tax=0.1").result)
    assert taxed["transfers"][-1]["payee"] == "treasury"


def test_an_offer_of_a_later_bargaining_that_fails_is_not_when_all_agreed(
    coop: Coop, script: Script
) -> None:
    """Offers are counted anew in each bargaining, so that both first ones are number 1."""
    clause = {"kind": "do", "agent": "Alice", "action": "volunteer"}
    offer = f"<PROPOSAL>{json.dumps({'clauses': [clause]})}</PROPOSAL>"
    for agent in ("Alice", "Bob", "Carol"):
        script[agent, "propose"], script[agent, "answer"] = offer, "<ACCEPT>"
    script["Carol", "answer"] = lambda facts: "<ACCEPT>" if facts["turn"] == 1 else "<REJECT>"
    options = ("--graph", "negotiation", "--rounds", "1", "--renegotiate", "every 1")
    outcome = valid(coop("run", "volunteers", "--set", "rounds=2", *options, "--json").result)
    assert outcome["agreed_at"] == {"round": 1, "message": "m3"}
    asked = [agent for agent, act, _ in script.letters if act == "answer"]
    assert len(asked) == 4, "two in each bargaining; m5 accepts the second's number 1"


def test_an_amendment_is_within_the_schema(coop: Coop, script: Script) -> None:
    def plan(facts: dict[str, Any]) -> str:
        who, other = ("Alice", "Bob") if facts["turn"] % 2 else ("Bob", "Alice")
        clauses = [
            {"kind": "do", "agent": who, "action": "lever"},
            {"kind": "do", "agent": other, "action": "door"},
            {"kind": "pay", "payer": other, "payee": who, "amount": "5.5", "basis": "turn"},
        ]
        drops = ["c3"] if facts["turn"] == 2 else []
        return f"<PROPOSAL>{json.dumps({'clauses': clauses, 'drops': drops})}</PROPOSAL>"

    for agent in ("Alice", "Bob"):
        script[agent, "propose"] = plan
        script[agent, "answer"] = "<ACCEPT>"
    options = ("--graph", "negotiation_priced", "--set", "rounds=2", "--renegotiate", "every 1")
    outcome = valid(coop("run", "escape_room", *options, "--json").result)
    (amendment,) = outcome["amendments"]
    assert (amendment["turn"], amendment["drops"]) == (2, ["c3"])
    assert outcome["contract"]["hash"] == amendment["hash"] != amendment["previous"]


def test_standard_output_holds_the_object_and_nothing_else(tmp_path: Path) -> None:
    environment = {**os.environ, "COOP_HOME": str(tmp_path), "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "shapley_coop", "run", "escape_room", "--json"]
    ended = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
    )
    valid(json.loads(ended.stdout))
    assert ended.stderr == ""


def test_what_a_fork_came_to_says_that_it_was_not_paid(coop: Coop) -> None:
    fresh = coop("run", "escape_room", "--graph", "negotiation", "--json").result
    name = fresh["run"]
    assert valid(fresh)["ledger"] == "paid"

    async def branch() -> None:
        run = home().runs.get(name)
        async with open_workflow(run.graph) as app:
            config = configure(run)
            history = [state async for state in app.aget_state_history(config)]
            before = next(state.config for state in history if state.next == ("settle",))
            stolen = put(Deal(clauses=(Pay(payer="Bob", payee="Alice", amount=1),)), "Alice", 9)
            offer = {**stolen, "accepted": ["Alice", "Bob"]}
            contract = {"contract": sign(offer, from_turn=1)}
            await app.aupdate_state(before, contract, as_node="step")

    asyncio.run(branch())
    assert valid(coop("resume", name, "--json").result)["ledger"] == "counterfactual"
    assert coop("show", name, "--json").result["ledger"] == "counterfactual"
    assert "nothing is paid" in coop("show", name).out
    assert home().ledger.balances(fresh["episode"])["Alice"] == 1e6 * fresh["payoffs"]["Alice"]
