"""Certificates: what may be signed, and what a contract does to everybody's incentives."""

import json
from collections import Counter
from fractions import Fraction

import nashpy
import numpy as np
import pytest

from shapley_coop.deals.agreement import Agreement
from shapley_coop.deals.analysis.certificate import certify, vet
from shapley_coop.deals.analysis.certificate_words import as_record, in_words
from shapley_coop.deals.analysis.incentives import deposit_of
from shapley_coop.deals.analysis.stage import NotFinite, StageGame
from shapley_coop.deals.contract import amend, sign
from shapley_coop.deals.enforcement import Enforcement
from shapley_coop.deals.language.clauses import Do, Pay, Share
from shapley_coop.deals.language.deal import Deal, put
from shapley_coop.deals.language.faults import Fault
from shapley_coop.deals.language.when import Count, Event, Every, Last
from shapley_coop.games import load
from tests.chance import dice
from tests.deals.brute_force import BruteForce
from tests.deals.made_contracts import (
    ACTIONS,
    AGENTS,
    POISONS,
    a_deal,
    a_game,
    a_sound_deal,
    poisoned,
)
from tests.deals.promised import promise


@pytest.mark.slow
def test_a_thousand_poisoned_deals_are_never_signed_and_never_raise():
    rng, refused = dice("poisoned deals"), Counter()
    for _ in range(1_000):
        facts = a_game(rng, turns=rng.randint(2, 4))
        kind, raw = poisoned(rng, a_sound_deal(rng, facts), facts)
        for mode in ("notional", "enforced", "escrow"):
            found = vet(raw, facts, Enforcement(mode))
            assert isinstance(found, Fault) or found.faults, (kind, raw)
        refused[kind] += 1
    assert set(refused) == set(POISONS)


@pytest.mark.slow
def test_a_thousand_sound_deals_are_never_refused():
    rng = dice("sound deals")
    for _ in range(1_000):
        facts = a_game(rng, turns=rng.randint(2, 3))
        raw = a_sound_deal(rng, facts)
        found = vet(raw, facts)
        assert not isinstance(found, Fault), (raw, found)
        assert found.sound, (raw, found.faults)
        assert found.parties


@pytest.mark.parametrize("mode", ["notional", "enforced", "escrow"])
def test_a_certificate_says_what_brute_force_over_whole_histories_says(mode):
    rng, checked, tempted = dice(f"certificates {mode}"), 0, 0
    while checked < 20 or tempted < 3:  # so many that tempt somebody are among them
        facts, deal = a_game(rng, turns=2), a_deal(rng, 2)
        found = certify(deal, facts, Enforcement(mode, Fraction(2) if mode == "escrow" else None))
        if not found.sound:
            continue
        brute = BruteForce(deal, facts, found.enforcement)
        alone = BruteForce(Deal(), facts, Enforcement("notional"))
        for agent, party in found.parties.items():
            for how in ("worst", "expected", "best"):
                assert getattr(party.within, how) == brute.value(how, agent)
                assert getattr(party.without, how) == alone.value(how, agent)
            assert party.guaranteed == brute.value("guaranteed", agent)
            gain = brute.value("deviating", agent) - brute.value("keeping", agent)
            assert (party.deviation.gain if party.deviation else 0) == gain
            tempted += gain > 0
        checked += 1


def pure(play):
    """A joint action as mixed strategies."""
    return [
        np.array([float(known == action) for known in ACTIONS[agent]])
        for agent, action in zip(AGENTS, play, strict=True)
    ]


def test_keeping_a_contract_is_a_best_response_exactly_where_nashpy_says_so():
    rng, seen = dice("best responses"), Counter()
    for _ in range(300):
        facts = a_game(rng, turns=1)
        stage = StageGame.of(facts)
        play = rng.choice(stage.plays)
        clauses = [Do(agent=a, action=x) for a, x in zip(AGENTS, play, strict=True)]
        fine, payer = Fraction(rng.randint(1, 4), 2), rng.choice(AGENTS)
        if max(cell["pays"][payer] for cell in facts["payoffs"]) < fine:
            continue
        payee = AGENTS[payer == AGENTS[0]]
        wrong = next(x for x in ACTIONS[payer] if x != play[AGENTS.index(payer)])
        when = Last(last=Event(agent=payer, action=wrong))
        deal = Deal(clauses=[*clauses, Pay(payer=payer, payee=payee, amount=fine, when=when)])
        matrices = []
        for i, agent in enumerate(AGENTS):
            sign = -1 if agent == payer else 1
            rows = [
                [
                    float(
                        stage.pays[a, b][i] + sign * fine * ((a, b)[AGENTS.index(payer)] == wrong)
                    )
                    for b in ACTIONS["Ben"]
                ]
                for a in ACTIONS["Ann"]
            ]
            matrices.append(np.array(rows))
        theirs = nashpy.Game(*matrices).is_best_response(*pure(play))
        parties = certify(deal, facts).parties
        assert [parties[a].deviation is None for a in AGENTS] == list(theirs)
        seen[tuple(theirs)] += 1
    assert len(seen) >= 3


def test_the_equilibria_of_a_turn_are_those_that_nashpy_finds():
    rng = dice("equilibria")
    for _ in range(200):
        stage = StageGame.of(a_game(rng, turns=1))
        a, b = (
            np.array([[float(stage.pays[x, y][i]) for y in ACTIONS["Ben"]] for x in ACTIONS["Ann"]])
            for i in range(2)
        )
        game = nashpy.Game(a, b)
        for play in stage.plays:
            assert (play in stage.equilibria) == all(game.is_best_response(*pure(play)))


def test_a_bare_promise_in_the_dilemma_is_rational_to_sign_and_better_broken():
    game = load("prisoners_dilemma")
    party = certify(promise(game), game.facts()).parties["Alice"]
    assert party.rational
    assert (party.without.expected, party.within.expected) == (0, 10)
    assert party.deviation.text() == (
        "Alice gains 10 by its best deviation, which first plays defect at turn 1 where the "
        "contract asks for cooperate."
    )


def test_a_fine_above_the_gain_makes_keeping_the_promise_dominant_but_only_if_it_is_paid():
    game = load("prisoners_dilemma")
    deal = promise(game, fine=2)
    enforced = certify(deal, game.facts(), Enforcement("enforced")).parties["Bob"]
    assert enforced.deviation is None
    assert enforced.temptation is None
    notional = certify(deal, game.facts(), Enforcement("notional")).parties["Bob"]
    assert notional.deviation.gain == 10


def test_a_deposit_is_found_that_makes_a_bare_promise_worth_keeping():
    game = load("prisoners_dilemma")
    deal = promise(game)
    found = certify(deal, game.facts(), Enforcement("escrow"))
    assert found.enforcement.deposit == 10
    assert all(party.deviation is None for party in found.parties.values())
    less = certify(deal, game.facts(), Enforcement("escrow", Fraction(9)))
    assert {party.deviation.gain for party in less.parties.values()} == {1}


def test_the_weak_equilibria_of_cash_grab_are_named():
    game = load("cash_grab")
    pairs = Deal(
        clauses=[
            Do(agent=a, action="wait" if n == k else "take", when=Every(every=3, start=k + 1))
            for n, a in enumerate(game.agents)
            for k in range(3)
        ]
    )
    found = certify(pairs, game.facts())
    assert sum(p.within.expected for p in found.parties.values()) == 40
    assert all(party.deviation is None for party in found.parties.values())
    assert len([note for note in found.notes if "weak equilibrium" in note]) == 3
    assert found.outcomes == 10 * 8


def test_a_contradiction_that_only_history_brings_about_is_found():
    game = load("prisoners_dilemma")
    after = Last(last=Event(agent="Bob", action="defect"))
    deal = Deal(
        clauses=[
            Do(agent="Alice", action="cooperate", when=Every(every=3, start=3)),
            Do(agent="Alice", action="defect", when=after),
        ]
    )
    (fault,) = certify(deal, game.facts()).faults
    assert (fault.label, fault.feedback) == (
        "CLASH",
        "At turn 3 Alice can do nothing that keeps c1 and c2: let at least one action keep "
        "them all.",
    )


def test_a_promise_to_pay_what_one_can_never_have_is_refused():
    game = load("prisoners_dilemma")
    deal = Deal(clauses=[Pay(payer="Alice", payee="Bob", amount=21)])
    (fault,) = certify(deal, game.facts()).faults
    assert fault.feedback == (
        "c1: Alice can never pay 21; in the whole game it can have at most 20. "
        "Let it pay at most 20."
    )
    assert certify(Deal(clauses=[Pay(payer="Alice", payee="Bob", amount=20)]), game.facts()).sound


def test_all_promises_that_cannot_be_paid_are_named_at_once():
    if_wrong = Last(last=Event(agent="Alice", action="defect"))
    one = Pay(payer="Alice", payee="Bob", amount=21, when=if_wrong)
    other = Pay(payer="Alice", payee="Bob", amount=30, when=if_wrong)
    (fault,) = certify(Deal(clauses=[one, other]), load("prisoners_dilemma").facts()).faults
    assert "c1: Alice can never pay 21" in fault.feedback
    assert "c2: Alice can never pay 30" in fault.feedback


def test_payments_that_fall_due_in_any_case_are_summed_up():
    game = load("prisoners_dilemma")
    each = Pay(payer="Alice", payee="Bob", amount=3, basis="turn")
    (fault,) = certify(Deal(clauses=[each]), game.facts()).faults
    assert fault.feedback.startswith("c1: Alice can never pay 30; in the whole game it can have")
    some = each.model_copy(update={"when": Every(every=2, start=1)})
    assert certify(Deal(clauses=[some]), game.facts()).sound
    (fault,) = certify(Deal(clauses=[some, some]), game.facts()).faults
    assert fault.feedback.startswith("c1 and c2: Alice can never pay 30")
    played = [{"turn": n, "actions": {}, "rewards": {}} for n in range(1, 7)]
    assert certify(Deal(clauses=[some, some]), game.facts(), record=played).sound
    back = Pay(payer="Bob", payee="Alice", amount=1, basis="turn")
    assert certify(Deal(clauses=[each, back]), game.facts()).sound
    if_wrong = each.model_copy(update={"when": Last(last=Event(agent="Alice", action="defect"))})
    assert certify(Deal(clauses=[if_wrong]), game.facts()).sound


def test_code_refuses_to_sign_below_the_reservation_value():
    game = load("prisoners_dilemma")
    unsigned, deal = Agreement(None, [], game.facts(), Enforcement()), promise(game)
    assert unsigned.below_reservation(deal, "Alice", Fraction(10)) is None
    fault = unsigned.below_reservation(deal, "Alice", Fraction(21, 2))
    assert "leaves you 10, less than 10.5, the least that you are to end with" in fault.feedback
    earned = {"turn": 1, "actions": {}, "rewards": {"Alice": 7, "Bob": 0}}
    later = Agreement(None, [earned], game.facts(), Enforcement())
    assert "leaves you 16," in later.below_reservation(deal, "Alice", Fraction(17)).feedback
    split = Deal(clauses=[Share(norm="shapley")])
    unknown = unsigned.below_reservation(split, "Alice", Fraction(-99), norms=["shapley"])
    assert unknown.label == "RESERVE"


def test_what_cannot_be_enumerated_is_said_and_not_refused():
    game = load("prisoners_dilemma", {"rounds": 10_000})
    found = certify(promise(game, fine=2), game.facts())
    assert found.sound
    assert not found.parties
    assert found.notes[0].startswith("Incentives were not enumerated: the game tree has more than")
    facts = {key: game.facts()[key] for key in ("agents", "actions", "turns")}
    assert "lack payoffs" in certify(promise(game), facts).notes[0]
    with pytest.raises(NotFinite):
        StageGame.of(facts)


def test_a_certificate_is_for_the_turns_that_are_left():
    game = load("prisoners_dilemma", {"rounds": 4})
    record = [
        {"turn": n, "actions": dict.fromkeys(game.agents, "defect"), "rewards": {}} for n in (1, 2)
    ]
    party = certify(promise(game), game.facts(), record=record).parties["Alice"]
    assert party.within.expected == 2
    assert party.deviation.turn == 3


def test_the_deposit_of_a_contract_is_found_for_the_turns_it_stood_for_at_first():
    game = load("prisoners_dilemma", {"rounds": 4})
    offer = {**put(promise(game), "Alice", 1), "accepted": list(game.agents)}
    record = [
        {"turn": n, "actions": dict.fromkeys(game.agents, "defect"), "rewards": {}} for n in (1, 2)
    ]
    escrow = Enforcement("escrow")
    assert deposit_of(sign(offer, 1), game.facts(), escrow) == 4
    late = sign(offer, 3)
    assert deposit_of(late, game.facts(), escrow, record) == 2
    assert deposit_of(late, game.facts(), escrow, [*record, {**record[0], "turn": 3}]) == 2
    assert deposit_of(amend(late, offer, 4), game.facts(), escrow, record) == 2
    assert deposit_of(late, game.facts(), Enforcement("escrow", Fraction(7))) == 7
    assert deposit_of(late, game.facts(), Enforcement("enforced")) == 0
    assert deposit_of(None, game.facts(), Enforcement("escrow", Fraction(7))) == 0
    facts = {key: game.facts()[key] for key in ("agents", "actions", "turns")}
    assert deposit_of(late, facts, escrow) == 0


def test_a_certificate_can_be_read_by_people_and_programs():
    game = load("prisoners_dilemma", {"rounds": 2})
    found = certify(promise(game), game.facts())
    text = in_words(found)
    assert "Its payments sum to zero in all 8 outcomes of its turns." in text
    assert "Alice: worst 0, predicted 0, best 4 without it, worst 2, predicted 2, best 2" in text
    record = json.loads(json.dumps(as_record(found), allow_nan=False))
    assert record["parties"]["Bob"]["best_response"] is False
    assert record["parties"]["Bob"]["deviation"]["gain"] == "2"
    refused = in_words(certify(Deal(), game.facts()))
    assert "Not to be signed (EMPTY)" in refused
    assert "Nothing forbids" not in refused


def counted(n):
    """Payments of which each waits for something else, so that the pasts are many."""
    events = [Event(agent=a, action=x) for a in ("Alice", "Bob") for x in ("cooperate", "defect")]
    return Deal(
        clauses=[
            Pay(
                payer="Alice",
                payee="Bob",
                amount="0.01",
                basis="turn",
                when=Count(count=events[i % 4], at_least=i % 9 + 1),
            )
            for i in range(n)
        ]
    )


def test_clauses_that_are_too_many_to_enumerate_are_said_to_be(monkeypatch):
    monkeypatch.setattr("shapley_coop.deals.analysis.game_tree.MAX_WORK", 50_000)
    game = load("prisoners_dilemma", {"rounds": 20})
    found = certify(counted(40), game.facts())
    assert found.sound
    assert "too large to enumerate" in in_words(found)
