"""Payments that may fall due under conditions are summed as a bound, which says that it is one."""

from typing import Any

import pytest

from shapley_coop.deals.analysis.ability_to_pay import means_of
from shapley_coop.deals.analysis.certificate import certify
from shapley_coop.deals.analysis.stage import facts_of
from shapley_coop.deals.language.deal import Deal
from shapley_coop.deals.language.faults import Fault
from shapley_coop.games import load
from shapley_coop.games.matrix import MatrixGame
from shapley_coop.questions import contract_propose, propose
from tests.brought import brought_by
from tests.graphs.test_ability_to_pay import paying, proposing
from tests.state.test_tools import at

OFFER, PROPOSE = propose.QUESTION, contract_propose.QUESTION


def last(agent: str, action: str) -> dict[str, Any]:
    return {"last": {"agent": agent, "action": action}}


LEVER, DOOR, HURRY = last("Bob", "lever"), last("Bob", "door"), last("Alice", "door")


def bounds(*clauses: dict[str, Any], game: str = "escape_room", **params: Any) -> list[str]:
    """What the certificate of Alice's payments to Bob says of bounds."""
    deal = Deal.model_validate({"clauses": list(clauses)})
    certificate = certify(deal, facts_of(load(game, params)))
    assert certificate.faults == ()
    return [note for note in certificate.notes if "bound" in note]


def pay(amount: Any, when: Any, **more: Any) -> dict[str, Any]:
    return {
        "kind": "pay", "payer": "Alice", "payee": "Bob", "amount": amount, "when": when, **more
    }  # fmt: skip


@pytest.mark.parametrize("asking", [OFFER, PROPOSE], ids=["bargaining", "contracts"])
def test_what_may_never_fall_due_together_is_not_refused(asking: Any) -> None:
    turn = at("escape_room", asking)
    for other in (DOOR, HURRY):
        found = proposing(turn, paying(turn, 6, when=LEVER), paying(turn, 6, when=other))
        assert not isinstance(found, Fault)


def test_a_sum_beyond_all_that_a_payer_can_have_is_told_as_a_bound() -> None:
    assert bounds(pay(6, LEVER), pay(4, HURRY)) == []
    (told,) = bounds(pay(6, LEVER), pay(6, HURRY))
    assert told.startswith("Alice could owe 12 and has at most 10: the first is a bound")


def test_what_is_paid_back_counts() -> None:
    back = {**pay(2, LEVER), "payer": "Bob", "payee": "Alice"}
    assert bounds(pay(6, LEVER), pay(6, HURRY), back) == []


def test_one_that_can_fall_due_again_and_again_is_summed_over_the_turns() -> None:
    each = pay(5, last("Bob", "defect"), basis="turn")
    (told,) = bounds(each, game="prisoners_dilemma", rounds=3)
    assert "Alice could owe 15" in told


def test_a_penalty_for_what_the_payer_does_itself_counts_once() -> None:
    """It can stop; a deterrent is no promise to break the deal at every turn."""
    fine = pay(5, last("Alice", "defect"), basis="turn")
    assert bounds(fine, game="prisoners_dilemma", rounds=3) == []


@brought_by("exchange")
def test_a_bound_is_told_of_a_game_that_is_not_enumerated() -> None:
    """Its facts say what agents can have, and not what each joint action pays."""
    game = load("task_exchange")
    one, other = game.agents[:2]
    action = game.actions[other][0]
    each = {**pay(1_000_000, last(other, action), basis="turn"), "payer": one, "payee": other}
    deal = Deal.model_validate({"clauses": [{**each, "basis": "once"}]})
    assert certify(deal, {**facts_of(game), **means_of(game)}).faults, "one alone is refused"
    most = means_of(game)["means"]["most"][one]
    part = {**each, "amount": most, "basis": "once"}
    twice = Deal.model_validate(
        {"clauses": [part, {**part, "when": last(other, game.actions[other][1])}]}
    )
    found = certify(twice, {**facts_of(game), **means_of(game)})
    assert found.faults == ()
    assert any("could owe" in note and "bound" in note for note in found.notes)


def test_what_a_payer_may_be_paid_back_covers_no_certain_payment() -> None:
    turn = at("escape_room", OFFER)
    back = {**pay(1_000, HURRY), "payer": "Bob", "payee": "Alice"}
    found = proposing(turn, paying(turn, 1_000), back)
    assert isinstance(found, Fault)
    assert found.label == "ABLE"
    assert found.feedback.startswith("c1: Alice can never pay 1000")
    sure = {key: x for key, x in back.items() if key != "when"}
    both = proposing(turn, paying(turn, 12), {**sure, "amount": 5})
    assert not isinstance(both, Fault)


def test_a_value_by_a_norm_may_exceed_the_total_and_is_no_bound() -> None:
    """Bob loses 10 unless Alice helps, and then earns 10: Shapley gives 20 and −10."""
    pays = [{"play": ["help", "-"], "pays": [0, 10]}, {"play": ["idle", "-"], "pays": [0, -10]}]
    actions = {"Alice": ["help", "idle"], "Bob": ["-"]}
    game = MatrixGame({"agents": [*actions], "actions": actions, "payoffs": pays, "absent": "idle"})
    split = {"kind": "share", "norm": "shapley"}
    deal = Deal.model_validate({"clauses": [pay(15, "always"), split]})
    assert certify(deal, facts_of(game), norms=("shapley",)).faults == ()
    alone = Deal.model_validate({"clauses": [pay(15, "always")]})
    assert certify(alone, facts_of(game)).faults[0].label == "ABLE"
