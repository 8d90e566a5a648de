"""Embedded opponents: what they do follows from the payoffs and the history, not from names."""

from random import Random

import pytest

from shapley_coop.deals.language.clauses import Do, Forbid
from shapley_coop.deals.language.deal import Deal
from shapley_coop.deals.language.when import Every, Turns
from shapley_coop.deals.language.wire_form import wire_form
from shapley_coop.deals.monitor import Monitor
from shapley_coop.games import load
from shapley_coop.games.foresight import Missing
from shapley_coop.seats.embedded.strategies import (
    DRAWN,
    STRATEGIES,
    Player,
    course_of,
    selfish,
    stage_of,
)
from tests.deals.made_contracts import ACTIONS
from tests.deals.promised import promise

DILEMMA = load("prisoners_dilemma")
GRAB = load("cash_grab")


def facts_for(game, agent, turn, **more):
    return {**game.facts(), "you": agent, "turn": turn, "legal": game.actions[agent], **more}


def match(game, strategies, seed=0, contract=None, **more):
    """Play a repeated game between strategies; the record."""
    record, position, rng = [], game.start(), Random(seed)
    while not game.over(position):
        turn = len(record) + 1
        told = more | (
            {"contract": {"clauses": wire_form(contract)["clauses"]}} if contract else {}
        )
        actions = {
            agent: Player(facts_for(game, agent, turn, **told), record, rng=rng).choose(strategy)
            for agent, strategy in zip(game.agents, strategies, strict=True)
        }
        after = game.step(position, actions)
        record.append({"turn": turn, "actions": actions, "rewards": after.rewards})
        position = after.position
    return record


def letters(record, agent):
    """One agent's actions as C and D."""
    return "".join(t["actions"][agent][0].upper() for t in record)


@pytest.mark.parametrize(
    ("mine", "theirs", "played"),
    [
        ("cooperator", "defector", "CCCCCCCCCC"),
        ("tit_for_tat", "defector", "CDDDDDDDDD"),
        ("tit_for_tat", "alternator", "CCDCDCDCDC"),
        ("tit_for_tat", "tit_for_tat", "CCCCCCCCCC"),
        ("grim", "alternator", "CCDDDDDDDD"),
        ("grim", "cooperator", "CCCCCCCCCC"),
        ("pavlov", "defector", "CDCDCDCDCD"),
        ("pavlov", "pavlov", "CCCCCCCCCC"),
        ("pavlov", "alternator", "CCDDCCDDCC"),
        ("alternator", "cooperator", "CDCDCDCDCD"),
        ("defector", "cooperator", "DDDDDDDDDD"),
    ],
)
def test_each_strategy_plays_the_dilemma_as_the_literature_says(mine, theirs, played):
    assert letters(match(DILEMMA, [mine, theirs]), "Alice") == played


def test_generous_tit_for_tat_forgives_about_one_defection_in_three():
    game = load("prisoners_dilemma", {"rounds": 300})
    played = letters(match(game, ["generous_tit_for_tat", "defector"]), "Alice")
    assert 70 < played.count("C") < 130


def test_cooperating_is_found_in_the_payoffs_and_not_in_the_names():
    names = {"defect": "north", "cooperate": "south"}
    table = DILEMMA.params.model_dump()
    table["actions"] = {a: [names[x] for x in known] for a, known in table["actions"].items()}
    for cell in table["payoffs"]:
        cell["play"] = [names[x] for x in cell["play"]]
    for strategy in [*STRATEGIES, "contract_breaker"]:
        plain = match(DILEMMA, [strategy, "alternator"], seed=3)
        renamed = match(load(table), [strategy, "alternator"], seed=3)
        assert [[names[x] for x in t["actions"].values()] for t in plain] == [
            list(t["actions"].values()) for t in renamed
        ]


def test_where_several_plays_are_best_for_all_cooperators_take_turns():
    record = match(GRAB, ["cooperator"] * 3)
    assert sum(sum(t["rewards"].values()) for t in record) == 40
    assert len(course_of(stage_of(GRAB.facts()))) == 3
    waits = [next(a for a, x in t["actions"].items() if x == "wait") for t in record[:3]]
    assert set(waits) == set(GRAB.agents)


def test_without_a_contract_self_interest_ends_where_nobody_gains():
    assert selfish(stage_of(GRAB.facts()), 0) == "take"
    for game in (DILEMMA, GRAB):
        record = match(game, ["contract_breaker"] * len(game.agents))
        assert sum(sum(t["rewards"].values()) for t in record) == 0


@pytest.mark.parametrize(
    ("fine", "enforcement", "played"),
    [
        (0, {"mode": "enforced"}, "DDDDDDDDDD"),
        (2, {"mode": "enforced"}, "CCCCCCCCCC"),
        (1, {"mode": "enforced"}, "CCCCCCCCCC"),
        (2, {"mode": "notional"}, "DDDDDDDDDD"),
        (0, {"mode": "escrow", "deposit": "10"}, "CCCCCCCCCC"),
        (0, {"mode": "escrow", "deposit": "7"}, "DDDDDDDDDD"),
    ],
)
def test_a_contract_breaker_breaks_exactly_what_pays(fine, enforcement, played):
    players = ["contract_breaker", "cooperator"]
    record = match(DILEMMA, players, contract=promise(DILEMMA, fine=fine), enforcement=enforcement)
    assert letters(record, "Alice") == played


def backwards():
    """Taking turns in Cash Grab, the other way round than cooperators would by themselves."""
    plays = list(reversed(course_of(stage_of(GRAB.facts()))))
    return Deal(
        clauses=[
            Do(agent=agent, action=play[i], when=Every(every=3, start=n))
            for n, play in enumerate(plays, start=1)
            for i, agent in enumerate(GRAB.agents)
        ]
    )


@pytest.mark.parametrize("strategy", ["cooperator", "tit_for_tat", "grim", "pavlov"])
def test_where_a_contract_stands_to_cooperate_is_to_keep_it(strategy):
    record = match(GRAB, [strategy] * 3, contract=backwards())
    assert Monitor(backwards()).on(record).breaches == []
    assert sum(sum(t["rewards"].values()) for t in record) == 40


def test_who_answers_in_kind_answers_a_breach_of_the_contract():
    record = match(GRAB, ["tit_for_tat", "defector", "cooperator"], contract=backwards())
    broken = [b.turn for b in Monitor(backwards()).on(record).breaches if b.agent == "Bob"]
    answered = [b.turn for b in Monitor(backwards()).on(record).breaches if b.agent == "Alice"]
    assert broken
    assert set(answered) <= {turn + 1 for turn in broken}
    assert all(record[turn]["actions"]["Alice"] == "take" for turn in broken if turn < len(record))


def test_what_a_contract_only_forbids_leaves_the_rest_to_the_best_course():
    ban = Deal(clauses=[Forbid(agent="Alice", action="defect", when=Turns(turns=(1, 5)))])
    record = match(DILEMMA, ["alternator", "defector"], contract=ban)
    assert letters(record, "Alice") == "CDCDCDCDCD"
    bound = Deal(clauses=[Forbid(agent="Alice", action="cooperate")])
    assert letters(match(DILEMMA, ["cooperator", "defector"], contract=bound), "Alice") == "D" * 10


def test_a_strategy_that_is_not_said_to_draw_does_the_same_for_every_seed():
    for strategy in STRATEGIES:
        played = {
            letters(match(DILEMMA, [strategy, "defector"], seed=n), "Alice") for n in range(8)
        }
        assert (len(played) > 1) == (strategy in DRAWN)


def test_a_letter_without_payoffs_leaves_a_strategy_undecided():
    facts = {"agents": list(ACTIONS), "actions": ACTIONS, "turns": 3, "you": "Ann", "turn": 1}
    with pytest.raises(Missing, match="payoffs"):
        Player({**facts, "legal": ACTIONS["Ann"]}, rng=Random(0)).choose("tit_for_tat")
