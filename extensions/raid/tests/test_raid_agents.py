"""Embedded agents in a raid: what they work out from a letter's facts, and how four graphs fare."""

import json
import re
from random import Random

import pytest
from langgraph.checkpoint.memory import InMemorySaver

from extensions.raid.tests.raid_plays import fireball, moments, raid, rotation
from shapley_coop.amounts import parse_exact
from shapley_coop.deals.language.clauses import Do, Share
from shapley_coop.deals.language.deal import Deal
from shapley_coop.deals.language.reading import read_deal
from shapley_coop.deals.language.rules import DEAL_RULES, first_fault
from shapley_coop.deals.language.terms import Terms
from shapley_coop.deals.language.when import Every, Turns
from shapley_coop.deals.language.wire_form import wire_form
from shapley_coop.graphs import builder
from shapley_coop.seats.embedded import CHARACTERS
from shapley_coop.seats.embedded.bargaining import Agent

HEROES = ("Hero1", "Hero2", "Hero3", "Hero4")


def facts(game, agent, ask, position=None, **more):
    position = position or game.start()
    return {
        **game.facts(),
        "you": agent,
        "ask": ask,
        "turn": position["turn"],
        "position": game.view(position, agent),
        "legal": game.legal(position, agent),
        "round": 1,
        "rounds": 3,
        **more,
    }


def answer(letter, character="rational", record=()):
    return Agent(letter, list(record), CHARACTERS[character], Random(1)).answer()


def deal_in(text):
    return read_deal(json.loads(re.search("<PROPOSAL>(.*)</PROPOSAL>", text)[1]))


def contract(*clauses):
    return {"clauses": wire_form(Deal(clauses=clauses))["clauses"]}


ROTATION = tuple(
    Do(agent=agent, action="Taunt", when=Every(every=4, start=i))
    for i, agent in enumerate(HEROES, start=1)
)


def test_without_a_deal_a_hero_does_what_pays_it_most_at_once():
    game = raid()
    for _, position in moments(game, fireball)[:3]:
        for agent in HEROES:
            if game.legal(position, agent):
                letter = facts(game, agent, "act", position)
                assert "<ACTION>Fireball</ACTION>" in answer(letter)


def test_who_was_never_asked_to_reason_asks_another_for_a_single_taunt():
    deal = deal_in(answer(facts(raid(), "Hero1", "propose")))
    # Hero1 and Hero2 would die at turn 2; Hero2 has a reason to agree.
    assert deal.clauses == (Do(agent="Hero2", action="Taunt", when=Turns(turns=(2, 2))),)


def test_a_plea_for_help_costs_its_helper_too_much_unless_it_is_doomed_itself():
    game = raid()
    for helper, agrees in (("Hero2", True), ("Hero3", False)):
        asked = contract(Do(agent=helper, action="Taunt", when=Turns(turns=(2, 2))))
        said = answer(facts(game, helper, "answer", offer=asked))
        assert ("<ACCEPT>" in said) == agrees
    asked = contract(Do(agent="Hero2", action="Taunt", when=Turns(turns=(2, 2))))
    assert "<ACCEPT>" in answer(facts(game, "Hero4", "answer", offer=asked)), "nothing is asked"


def test_reasoning_finds_the_collective_payoff_the_externality_and_a_price():
    said = answer(facts(raid(level=2), "Hero2", "reason"))
    thought = json.loads(re.search("<CONSIDER>(.*)</CONSIDER>", said)[1])
    assert thought["externality"] == "+"
    assert thought["collective_payoff"] == pytest.approx(40 + 7 * 6.5, abs=5)
    assert "Hero2 does Taunt at turn 2" in thought["plan"]
    assert thought["price"] > 0


def test_who_reasoned_proposes_to_take_turns_at_taunting():
    deal = deal_in(answer(facts(raid(), "Hero1", "propose", reasoning="…")))
    assert deal.clauses[:4] == ROTATION
    prices = list(deal.pays.values())
    assert {pay.payee for pay in prices} == {"Hero1"}
    norm_payoffs_fn = answer(facts(raid(), "Hero1", "propose", reasoning="…", norms=["shapley"]))
    assert deal_in(norm_payoffs_fn).clauses == (*ROTATION, Share(norm="shapley"))


@pytest.mark.parametrize(("heroes", "boss_hp"), [(3, 1500), (4, 3000), (10, 8000), (100, 60000)])
@pytest.mark.parametrize("norms", [[], ["shapley"]])
def test_every_proposal_passes_the_rules_of_deals(heroes, boss_hp, norms):
    game = raid(heroes=heroes, boss_hp=boss_hp)
    terms = Terms(game.agents, game.actions, game.turns, norms)
    for more in ({}, {"reasoning": "…", "norms": norms}):
        deal = deal_in(answer(facts(game, "Hero1", "propose", **more)))
        assert first_fault(DEAL_RULES, deal, terms) is None


def test_a_rotation_that_stands_needs_no_other_proposal():
    standing = facts(raid(), "Hero3", "propose", reasoning="…", contract=contract(*ROTATION))
    assert "<REJECT>" in answer(standing)


def test_a_free_rider_breaks_a_promise_that_does_not_pay():
    game = raid(boss_hp=400)
    letter = facts(
        game,
        "Hero1",
        "act",
        reasoning="…",
        contract=contract(*ROTATION),
        duties=[{"clause": "c1", "action": "Taunt", "forbidden": False}],
    )
    assert "<ACTION>Taunt</ACTION>" in answer(letter, "rational")
    assert "<ACTION>Fireball</ACTION>" in answer(letter, "free_rider")


def test_an_over_claimer_states_more_than_it_did():
    game = raid(seed=1)
    record = [turn for turn, _ in moments(game, rotation(4))]
    letter = {"you": "Hero2", "ask": "claim", "agents": list(HEROES), "total": "80"}
    claims = [
        parse_exact(re.search("<CLAIM>(.*)</CLAIM>", answer(letter, who, record))[1])
        for who in ("rational", "over_claimer")
    ]
    assert claims[0] < 0.35 < claims[1]


def test_where_no_value_was_computed_a_split_is_claimed_by_what_was_seen():
    game = raid(seed=1)
    record = [turn for turn, _ in moments(game, rotation(4))]
    letter = {
        "you": "Hero1",
        "ask": "propose_split",
        "agents": list(HEROES),
        "total": "80",
        "as_signed": dict.fromkeys(HEROES, "20"),
    }
    share = deal_in(answer(letter, record=record)).split
    assert sum(share.fractions.values()) == 1
    assert share.fractions["Hero1"] > max(share.fractions[a] for a in HEROES[2:])
    # Who did less than it is to get leaves things as they are.
    letter["as_signed"]["Hero1"] = "60"
    assert "<REJECT>" in answer(letter, record=record)


async def run(graph, level, seed, **context):
    app = builder(graph).compile(checkpointer=InMemorySaver())
    room = {"game": "raid_battle", "params": {"level": level}, "seed": seed, **context}
    config = {"configurable": {"thread_id": "1"}, "recursion_limit": 1000}
    return await app.ainvoke({}, config, context=room, durability="sync")


def ending(table):
    return table["record"][-1]["effects"][-1]["effect"]


@pytest.mark.parametrize(
    ("graph", "level", "expected"),
    [
        ("llm_only", 1, "lost"),
        pytest.param("negotiation", 3, "lost", marks=pytest.mark.slow),
        pytest.param("short_term", 3, "won", marks=pytest.mark.slow),
        ("shapley_coop", 3, "won"),
    ],
)
async def test_who_prices_externalities_wins_what_others_lose(graph, level, expected):
    table = await run(graph, level, seed=3)
    assert ending(table) == expected
    assert sum(table["settlement"]["payoffs"].values()) == sum(
        table["settlement"]["rewards"].values()
    )


@pytest.mark.slow
async def test_a_raid_bargained_over_at_every_turn_comes_to_its_end():
    table = await run("shapley_coop", 2, seed=3, renegotiate="every 1")
    assert ending(table) == "won"
    assert table["settlement"]["breaches"] == []
