"""Markets of many: gives and holdings are told by rule, large contracts by what concerns one."""

import json
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import pytest

from shapley_coop.cli.inspecting.show import _tell
from shapley_coop.deals.analysis.checked import certify_terms
from shapley_coop.deals.language.choices import choose
from shapley_coop.deals.language.clauses import Give, Pay
from shapley_coop.deals.language.wire import Message
from shapley_coop.deals.parties import MOST_TOLD
from shapley_coop.evals.transcripts.transcript import transcript
from shapley_coop.evals.verifying import verify_run
from shapley_coop.extensions.markets.market import MarketFile, market_of
from shapley_coop.extensions.markets.points import welfare
from shapley_coop.extensions.markets.words import MOST_KNOWN
from shapley_coop.games import GameError, load
from shapley_coop.games.gives import Gives, actions_in, legal_in
from shapley_coop.graphs import names
from shapley_coop.graphs.running import play
from shapley_coop.graphs.threads import table_of
from shapley_coop.many import MANY
from shapley_coop.seats.schema import schema_of
from shapley_coop.state.evaluated import EvaluatedTable
from shapley_coop.state.run_config import RunConfig
from shapley_coop.state.storage.home import home


def room(folder: Path, n: int, pool: bool = False) -> dict[str, Any]:
    """A market of one good: every other agent owns four units, and each values each of them."""
    draw, agents = Random(1), {}
    for k in range(n):
        worth = sorted((draw.randint(1, 20) for _ in range(4)), reverse=True)
        agents[f"A{k}"] = {
            "holds": {"wood": 4 * (not k if pool else k % 2)},
            "worth": {"wood": worth},
        }
    file = folder / f"{n}.json"
    file.write_text(json.dumps({"agents": agents, "pool": pool}))
    return {"market": str(file)}


async def played(folder: Path, n: int) -> tuple[dict[str, Any], EvaluatedTable, dict[str, Any]]:
    """The outcome, the table, and the longest letter of each act that was sent first."""
    config = RunConfig(game="trade", params=room(folder, n), seed=1)
    outcome = await play("call_market", config)
    table = await table_of(home().runs.get(outcome["run"]))
    letters: dict[str, Any] = {}
    for entry in home().journal.entries(outcome["episode"]):
        known = letters.get(entry.act)
        if entry.attempt == 1 and (not known or len(known.letter_text) < len(entry.letter_text)):
            letters[entry.act] = entry
    return outcome, EvaluatedTable(table), letters


@pytest.mark.parametrize("pool", [False, True])
def test_programs_read_back_from_the_rule_exactly_what_can_be_done(tmp_path: Path, pool) -> None:
    few, many = (load("trade", room(tmp_path, n, pool)) for n in (MANY, MANY + 1))
    for game in (few, many):
        facts = json.loads(json.dumps(game.facts()))
        assert {a: [*x] for a, x in actions_in(facts).items()} == {
            a: [*x] for a, x in game.actions.items()
        }
    assert few.facts()["actions"]["A1"][1] == "give 1 wood to A0"
    n = 4 if pool else 12
    assert many.facts()["actions"]["everyone"][:2] == ["keep", f"give 1…{n} wood to AGENT"]
    position, giver = many.start(), "A0" if pool else "A1"
    able = many.legal(position, giver)
    told = {"you": giver, "agents": list(many.agents), "legal": able.told()}
    assert isinstance(able, Gives)
    assert legal_in(told) == able
    others = [agent for agent in many.agents if agent != giver]
    pairs = product(range(1, 5), others)
    assert [*able] == ["keep", *(f"give {n} wood to {agent}" for n, agent in pairs)]
    assert all(action in able for action in able)
    for wrong in (
        f"give 1 wood to {giver}",
        "give 5 wood to A2",
        "give 1 wood to AGENT",
        "give 01 wood to A2",
    ):
        assert wrong not in able


def test_what_is_given_among_many_is_executed_and_refused_in_few_words(tmp_path: Path) -> None:
    game = load("trade", room(tmp_path, 300))
    after = game.step(game.start(), {"A1": "give 3 wood to A298", "A3": "keep"}).position
    assert (after["holds"]["A1"]["wood"], after["holds"]["A298"]["wood"]) == (1, 3)
    with pytest.raises(GameError, match=r"only keep, give 1…4 wood to AGENT$"):
        game.step(game.start(), {"A1": "give 3 wood to A1"})
    legal = game.legal(game.start(), "A1")
    assert choose(Message(action="`Give 2 wood to a7`"), legal)[0] == "give 2 wood to A7"
    assert len(game.objection(game.start(), "A1", "sing")) < 100
    schema = schema_of({"ask": "act", "you": "A1", "agents": [*game.agents], "legal": legal.told()})
    assert schema is not None
    assert schema["properties"]["action"]["type"] == "string"


def test_rules_are_as_long_for_a_thousand_as_for_thirteen(tmp_path: Path) -> None:
    some, many = (load("trade", room(tmp_path, n)).rules() for n in (MANY + 2, 1000))
    assert "- 500 agents (A1, A3, A5, …) each hold 4 wood." in many
    assert len(many) < len(some) + 20


@pytest.mark.parametrize("seed", range(5))
def test_units_worth_less_and_less_are_ranked_to_what_every_division_shows(seed: int) -> None:
    draw = Random(seed)
    agents = {
        name: {
            "holds": {"wood": draw.randint(0, 3)},
            "worth": {
                "wood": draw.choice(
                    [draw.randint(-2, 5), sorted(draw.choices(range(6), k=3))[::-1]]
                )
            },
        }
        for name in ("Ann", "Ben", "Cem")
    }
    agents["Ann"]["holds"]["wood"] += 1
    market = market_of(MarketFile.model_validate({"agents": agents}))
    total = market.totals["wood"]
    divisions = (x for x in product(range(total + 1), repeat=3) if sum(x) == total)
    found = (
        sum(market.worth(a, {"wood": n}) for a, n in zip(agents, x, strict=True)) for x in divisions
    )
    assert welfare(market) == max(found)


async def test_of_a_large_contract_each_is_told_what_concerns_it(tmp_path: Path) -> None:
    _, table, letters = await played(tmp_path, 90)
    clauses, act = table.clauses, letters["act"]
    assert len(clauses) > MOST_TOLD
    assert table.contract is not None
    for agent in table.agents:
        own = table.told_clauses(agent)
        assert list(own) == [
            cid
            for cid, x in clauses.items()
            if agent in ((x.giver, x.receiver) if isinstance(x, Give) else (x.payer, x.payee))
        ]
    told = act.facts["contract"]
    assert told["hash"] == table.contract["hash"]
    named = json.dumps({key: x for key, x in act.facts.items() if key != "agents"})
    others = [agent for agent in table.agents if f'"{agent}"' in named]
    assert len(others) <= MOST_KNOWN + len(told["clauses"]) + 1, "facts name no more than words do"
    assert told["others"] + len(told["clauses"]) == len(clauses)
    assert f"{told['others']} further clauses bind others, not you" in act.letter_text
    price = table.table["prices"]["wood"]
    assert f"{price['volume']} wood for {price['price']} each" in act.letter_text
    assert table.table["contract"]["text"].count("\n") == len(clauses) - 1  # outsiders read all
    assert all(isinstance(x, Give | Pay) for x in clauses.values())


@pytest.mark.slow
async def test_a_thousand_trade_at_one_price_and_all_of_it_is_verified(tmp_path: Path) -> None:
    _, _, short = await played(tmp_path, 10)
    outcome, table, letters = await played(tmp_path, 1000)
    longest = max(len(entry.letter_text) for entry in letters.values())
    assert longest <= 1.5 * max(len(entry.letter_text) for entry in short.values())
    assert len(table.clauses) > 1000
    assert outcome["credit"]["method"].startswith("exact")
    assert sum(table.without_more().values()) == table.total
    best = table.game.analysis.reference_points.best
    assert best is not None
    assert float(table.total) > 0.99 * best
    assert not [check for check in await verify_run(outcome["run"]) if not check.sound]


async def test_what_a_run_of_many_did_is_printed_in_sums(tmp_path: Path, capsys: Any) -> None:
    outcome, table, _ = await played(tmp_path, 140)
    _tell(home().runs.get(outcome["run"]), table.table, outcome)
    told = capsys.readouterr().out
    paid = sum(t["amount"] for t in outcome["transfers"])
    assert f"{len(outcome['transfers'])} net transfers of {paid:g} in all (contract)" in told
    assert f"{len(table.clauses)} clauses: coop show --markdown prints all" in told
    assert "turn 1  140 agents: keep ×140  →" in told
    assert "76 more do the same" in told
    alone = sum(outcome["credit"]["alone"].values())
    assert f"Payoffs include the baseline: {alone:g} in all." in told
    assert len(told.encode()) < 6000
    whole = transcript(home().runs.get(outcome["run"]), table.table, outcome)
    assert all(f"{t['payer']} pays {t['payee']}" in whole for t in outcome["transfers"])


@pytest.mark.parametrize(
    "graph",
    [
        "llm_only",
        "negotiation",
        *([pytest.param("delegates", marks=pytest.mark.slow)] if "delegates" in names() else []),
        pytest.param("contracts", marks=pytest.mark.slow),
    ],
)
async def test_other_workflows_play_a_market_of_thirty(tmp_path: Path, graph: str) -> None:
    config = RunConfig(game="trade", params=room(tmp_path, 30), seed=1)
    outcome = await play(graph, config)
    assert outcome["status"] in ("agreed", "no_deal", "no_play")
    assert len(outcome["payoffs"]) == 30


def test_a_certificate_knows_the_actions_that_a_rule_tells(tmp_path: Path) -> None:
    game = load("trade", room(tmp_path, 30))
    keep = [{"kind": "do", "agent": "everyone", "action": "keep"}]
    give = [{"kind": "do", "agent": "A1", "action": "give 99 wood to A2"}]
    assert "(ACTION)" not in certify_terms({"clauses": keep}, game, "enforced", "", ())[1]
    refused = certify_terms({"clauses": give}, game, "enforced", "", ())[1]
    assert "A1 has no action give 99 wood to A2; it has keep, give 1…" in refused
