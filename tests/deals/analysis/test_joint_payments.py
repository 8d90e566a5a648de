"""Payments that may fall due together are looked at together: the dearest course that there is."""

from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shapley_coop.deals.analysis.certificate import certify
from shapley_coop.deals.analysis.joint_payments import dearest
from shapley_coop.deals.analysis.stage import facts_of
from shapley_coop.deals.analysis.world import World
from shapley_coop.deals.contract import sign
from shapley_coop.deals.language.deal import Deal, put
from shapley_coop.deals.language.faults import Fault
from shapley_coop.deals.language.reading import read_deal
from shapley_coop.games import load
from shapley_coop.questions.contract_propose import QUESTION as PROPOSE
from tests.deals.brute_force import fell_due
from tests.graphs.test_ability_to_pay import OFFER, paying, proposing
from tests.state.test_tools import at


def last(agent: str, action: str) -> dict[str, Any]:
    return {"last": {"agent": agent, "action": action}}


LEVER, DOOR, HURRY = last("Bob", "lever"), last("Bob", "door"), last("Alice", "door")


@pytest.mark.parametrize("asking", [OFFER, PROPOSE], ids=["bargaining", "contracts"])
def test_two_that_fall_due_together_are_summed_and_the_refusal_says_when(asking: Any) -> None:
    turn = at("escape_room", asking)
    found = proposing(turn, paying(turn, 6, when=LEVER), paying(turn, 6, when=HURRY))
    assert isinstance(found, Fault)
    assert found.label == "ABLE"
    assert "c1 and c2 can fall due together, if " in found.feedback
    assert "Bob does lever" in found.feedback
    assert "Alice does door" in found.feedback
    assert "Alice would owe 12" in found.feedback
    assert "it can have at most 10." in found.feedback


@pytest.mark.parametrize("asking", [OFFER, PROPOSE], ids=["bargaining", "contracts"])
def test_two_that_can_never_fall_due_together_are_not_summed(asking: Any) -> None:
    turn = at("escape_room", asking)
    found = proposing(turn, paying(turn, 6, when=LEVER), paying(turn, 6, when=DOOR))
    assert not isinstance(found, Fault)


def test_what_is_paid_back_in_the_same_course_counts_and_in_another_does_not() -> None:
    turn = at("escape_room", OFFER)
    one, other = turn.evaluated.agents
    dear = paying(turn, 15, when=LEVER)
    for when, able in ((LEVER, True), (DOOR, False)):
        back = {"kind": "pay", "payer": other, "payee": one, "amount": 9, "when": when}
        assert isinstance(proposing(turn, dear, back), Fault) is not able


def test_one_that_falls_due_again_and_again_is_summed_over_the_turns() -> None:
    turn = at("public_goods", OFFER)
    one, other, *_ = turn.evaluated.agents
    game = turn.evaluated.game
    most, action = game.ahead().most()[one], game.actions[other][0]
    each = paying(turn, str(most / game.turns), per="turn", when=last(other, action))
    assert not isinstance(proposing(turn, each), Fault)
    found = proposing(turn, {**each, "amount": str(most / game.turns + 1)})
    assert isinstance(found, Fault)
    assert game.turns > 1
    said = f"c1 ({game.turns} times) can fall due, if {other} does {action} at turn 1 and"
    assert said in found.feedback


def test_a_penalty_for_what_the_payer_does_itself_counts_once() -> None:
    """It can stop; a deterrent is no promise to break the deal at every turn."""
    turn = at("public_goods", OFFER)
    one = turn.evaluated.agents[0]
    game = turn.evaluated.game
    most = game.ahead().most()[one]
    fine = paying(turn, str(most), per="turn", when=last(one, game.actions[one][0]))
    assert not isinstance(proposing(turn, fine), Fault)
    again = paying(turn, "1", when=last(one, game.actions[one][0]))
    assert isinstance(proposing(turn, fine, again), Fault)


def test_what_the_rules_of_a_raid_rule_out_is_no_reason_to_refuse() -> None:
    """A taunt is ready again some turns later: nobody can do it at turns 1 and 2."""
    turn = at("raid_battle", OFFER)
    taunt = last("Hero2", "Taunt")
    twice = [paying(turn, 30, when={"all": [taunt, {"turn": n}]}) for n in (1, 2)]
    assert not isinstance(proposing(turn, *twice), Fault)
    found = proposing(turn, twice[0], paying(turn, 30, when=last("Hero3", "Heal")))
    assert isinstance(found, Fault)
    assert "if Hero2 does Taunt and Hero3 does Heal: Hero1 would owe 60" in found.feedback


def test_where_rewards_are_unknown_what_depends_on_them_is_left_out() -> None:
    turn = at("raid_battle", OFFER)
    rich = {"earned": "Hero2", "at_least": 10_000}
    assert not isinstance(proposing(turn, *[paying(turn, 30, when=rich)] * 2), Fault)


def test_a_certificate_of_facts_alone_says_the_same() -> None:
    room = load("escape_room")
    pays = [{"kind": "pay", "payer": "Alice", "payee": "Bob", "amount": 6, "when": when}
            for when in (LEVER, HURRY)]  # fmt: skip
    certificate = certify(Deal.model_validate({"clauses": pays}), facts_of(room))
    assert [fault.label for fault in certificate.faults] == ["ABLE"]


ACTIONS = {"Alice": ("door", "lever"), "Bob": ("door", "lever")}
CONDITIONS = st.sampled_from(
    [
        *(last(agent, action) for agent, known in ACTIONS.items() for action in known),
        {"not": LEVER},
        {"all": [LEVER, HURRY]},
        {"any": [DOOR, {"turn": 2}]},
        {"count": {"agent": "Bob", "action": "door"}, "at_least": 2},
        "always",
    ]
)


def payments(agents: Any) -> Any:
    payer, payee = agents

    def once_by_oneself(clause: dict[str, Any]) -> dict[str, Any]:
        own = payer == "Alice" and "Alice" in str(clause["when"])
        return {**clause, "per": "once"} if own else clause

    return st.fixed_dictionaries(
        {
            "payer": st.just(payer),
            "payee": st.just(payee),
            "amount": st.integers(1, 9),
            "per": st.sampled_from(["once", "turn"]),
            "when": CONDITIONS,
        }
    ).map(once_by_oneself)


EITHER_WAY = st.sampled_from([("Alice", "Bob"), ("Bob", "Alice")]).flatmap(payments)


@settings(max_examples=60)
@given(st.lists(EITHER_WAY, min_size=1, max_size=4), st.integers(1, 3))
def test_the_dearest_course_is_the_dearest_of_all_courses(written: Any, turns: int) -> None:
    """Against every course written out, and what falls due in it by the definitions alone."""
    deal = read_deal({"clauses": [{"kind": "pay", **clause} for clause in written]})
    assert isinstance(deal, Deal)
    found = dearest(sign(put(deal, "Alice", 1), 1), "Alice", World(ACTIONS, turns))
    plays = [dict(zip(ACTIONS, play, strict=True)) for play in product(*ACTIONS.values())]
    owed = []
    for course in product(plays, repeat=turns):
        record = [{"turn": n, "actions": x, "rewards": {}} for n, x in enumerate(course, 1)]
        due = [(deal.pays[cid].payer, x) for cid, _, x in fell_due(deal, record)]
        owed.append(sum(x if payer == "Alice" else -x for payer, x in due))
    assert found is not None
    assert found.owed == max(owed)
