"""An action that a game admits at some turns alone is promised for those, and for no others.

In a market of several issues the others accept, in the last turn, what the first left them.
"""

import json
from typing import Any

import pytest

from shapley_coop import RunConfig, play
from shapley_coop.deals.analysis.checked import certify_terms
from shapley_coop.deals.analysis.outlook import Prospect, outlook
from shapley_coop.deals.contract import sign
from shapley_coop.deals.language.clauses import Do
from shapley_coop.deals.language.deal import Deal, put
from shapley_coop.deals.language.when import Event, Last, Turns
from shapley_coop.deals.monitor import Monitor
from shapley_coop.games import Turn, load
from shapley_coop.graphs import names
from shapley_coop.state.evaluated import EvaluatedTable
from shapley_coop.state.playing import Choices, play_turn
from tests.games.opened_turns import admits_what_it_calls_open
from tests.scripted import Script

ISSUES = RunConfig(game="trade", params={"mode": "issues"}, enforcement="escrow", deposit="2")
ACCEPTS: dict[str, Any] = {"kind": "do", "agent": "Bob", "action": "accept"}
TOLD = 'Bob cannot accept at turn 1: it can at turn 2, as in "when": {"turn": 2}.'
KEEPS = {"kind": "do", "agent": "Alice", "action": "keep", "when": {"turn": 1}}
SIGNING = ["negotiation", "negotiation_priced", "short_term", "shapley_coop", "contracts"]
SIGNING += ["delegates"] if "delegates" in names() else []


def offered(*clauses: dict[str, Any]) -> str:
    return f"<s>As follows.</s><PROPOSAL>{json.dumps({'clauses': clauses})}</PROPOSAL>"


def all_sign(script: Script, offer: str) -> None:
    """Alice proposes something, and Bob and all who are asked accept it."""
    for ask in ("propose", "contract_propose"):
        script["Alice", ask], script["Bob", ask] = offer, "<REJECT>"
    for agent in ("Alice", "Bob"):
        for ask in ("answer", "contract_answer", "ratify"):
            script[agent, ask] = "<ACCEPT>"


@pytest.mark.parametrize("graph", SIGNING)
async def test_no_workflow_signs_what_can_never_be_kept(script: Script, graph: str) -> None:
    all_sign(script, offered(KEEPS, {**ACCEPTS, "when": {"turn": 1}}))
    outcome = await play(graph, ISSUES)
    assert outcome["contract"] is None
    assert outcome["breaches"] == []
    assert outcome["happened"]["answers"]["Alice"]["labels"]["TURN"] > 0
    assert any(TOLD in letter for letter in script.shown_to("Alice")), "and is told how to mend it"


@pytest.mark.parametrize("graph", SIGNING)
async def test_every_workflow_signs_it_for_its_only_turn(script: Script, graph: str) -> None:
    all_sign(script, offered(KEEPS, ACCEPTS))
    outcome = await play(
        graph, ISSUES.model_copy(update={"params": {"mode": "issues", "protect": False}})
    )
    _, clause = outcome["contract"]["clauses"]
    assert (clause["action"], clause["when"]) == ("accept", {"turns": [2, 2]})
    told = "read no `when` as turn 2, the only one for accept"
    assert any(told in json.dumps(letter.facts) for letter in script.shown_to("Bob"))


async def test_clauses_drafted_from_words_pass_the_same_rule(script: Script) -> None:
    script["Alice", "contract_propose"] = "<s>Let Bob accept at once.</s>"
    script["Bob", "contract_answer"] = "<ACCEPT>"
    script["summariser", "contract_write"] = offered(KEEPS, {**ACCEPTS, "when": {"turn": 1}})
    outcome = await play("contracts", ISSUES)
    assert outcome["contract"] is None
    assert outcome["breaches"] == []
    assert any(TOLD in letter for letter in script.shown_to("summariser"))


def test_a_certificate_refuses_it_too() -> None:
    early = {**ACCEPTS, "when": {"turn": 1}}
    record, words = certify_terms({"clauses": [early]}, load("trade", {"mode": "issues"}))
    assert not record["sound"]
    assert f"Not to be signed (TURN): c1: {TOLD}" in words
    assert certify_terms(
        {"clauses": [{**ACCEPTS, "when": {"turn": 2}}]}, load("trade", {"mode": "issues"})
    )[0]["sound"]


def test_a_duty_that_falls_due_where_nobody_could_keep_it_is_no_breach() -> None:
    """Whether it falls due depends on what is done, so that it can be signed."""
    turned_down = Last(last=Event(agent="Alice", action="keep"))
    deal = Deal(clauses=[Do(agent="Bob", action="accept", when=turned_down)])
    market = ISSUES.model_copy(update={"params": {"mode": "issues", "rounds": 2}})
    table: Any = {"episode": "closed turn", "settings": market.resolve().model_dump(mode="json")}
    game = EvaluatedTable(table).game
    contract = sign({**put(deal, "Alice", 1), "accepted": list(game.agents)}, 1)
    table |= {"position": game.start(), "record": [], "contract": contract}
    for did in (
        {"Bob": "keep", "Alice": "keep"},
        {"Bob": "keep", "Alice": "keep"},
        {"Bob": "refuse"},
    ):
        made = play_turn(EvaluatedTable(table), Choices(did))
        table = {**table, **made, "record": [*table["record"], *made["record"]]}
    signed = EvaluatedTable(table).signed
    assert [(b.turn, b.evidence) for b in signed.monitor.breaches] == [
        (3, "turn 3: Bob did refuse, owed accept")
    ]
    assert signed.monitor.owed == 1, "of three turns at which it was due, one admits it"
    assert [duty.action for asked in signed.monitor.asked for duty in asked] == ["accept"]


def test_of_a_duty_of_everyone_nobody_breaks_what_it_cannot_do() -> None:
    game = load("trade", {"mode": "issues"})
    deal = Deal(clauses=[Do(agent="everyone", action="accept")])
    turn: Turn = {"turn": 2, "actions": {"Bob": "refuse"}, "rewards": {"Alice": 0, "Bob": 0}}
    monitor = Monitor(deal, game.open_turns)
    monitor.observe({**turn, "turn": 1, "actions": {"Alice": "keep", "Bob": "keep"}})
    monitor.observe(turn)
    assert [(b.agent, b.turn) for b in monitor.breaches] == [("Bob", 2)]


def test_what_a_game_calls_open_is_what_it_admits() -> None:
    """In every play an action is legal at no other turn."""
    admits_what_it_calls_open(load("trade", {"mode": "issues", "rounds": 2}))


def test_the_best_breach_of_an_agent_with_many_actions_is_one_that_it_can_choose() -> None:
    game = load("trade", {"mode": "options"})
    gift, yes = "give 2 start to Bob", Turns(turns=(2, 2))
    deal = Deal(
        clauses=[Do(agent="Alice", action=gift), Do(agent="Bob", action="accept", when=yes)]
    )
    for me, how in (("Alice", "keep at turn 1"), ("Bob", "refuse at turn 2")):
        found = outlook(Prospect(game, game.start(), [], None, deal, viewer=me))
        assert [row.by for row in found.rows if row.who == me] == [how]
