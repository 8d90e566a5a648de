"""The rules a draft has to pass: each refuses one thing, with a label and a reason."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shapley_coop.deals.language.clauses import Do, Forbid, Pay, Share
from shapley_coop.deals.language.deal import Deal
from shapley_coop.deals.language.faults import Fault
from shapley_coop.deals.language.reading import Reading, read_proposal
from shapley_coop.deals.language.rules import (
    DEAL_RULES,
    MAX_TEXT_CHARS,
    Rule,
    first_fault,
    no_clash,
    only,
)
from shapley_coop.deals.language.terms import Terms
from shapley_coop.deals.language.when import Earned, Event, Every, Last, Not, Turns
from tests.deals.brute_force import holds
from tests.deals.made_deals import AGENTS, DEAL, TERMS, deal, deals


@pytest.mark.parametrize(
    ("draft", "label", "cites"),
    [
        (deal(), "EMPTY", "no clause"),
        (deal(Do(agent="Eve", action="pull")), "NAME", "c1 names Eve"),
        (deal(Pay(payer="Ann", payee="Eve", amount=1)), "NAME", "c1 names Eve"),
        (
            deal(Do(agent="Ann", action="pull", when=Earned(earned="Eve", at_least=1))),
            "NAME",
            "c1 names Eve",
        ),
        (
            deal(
                Do(
                    agent="Ann",
                    action="pull",
                    when=Not(negated=Last(last=Event(agent="Eve", action="pull"))),
                )
            ),
            "NAME",
            "c1 names Eve",
        ),
        (deal(Do(agent="Ann", action="push")), "ACTION", "Ann has no action push"),
        (
            deal(
                Pay(
                    payer="Ann",
                    payee="Ben",
                    amount=1,
                    when=Last(last=Event(agent="Ben", action="push")),
                )
            ),
            "ACTION",
            "Ben has no action push",
        ),
        (
            deal(Do(agent="Ann", action="pull", when=Turns(turns=(5, 7)))),
            "TURN",
            "turns 5 to 7: the game has 1 to 6",
        ),
        (deal(Do(agent="Ann", action="pull", when=Turns(turns=(3, 2)))), "TURN", "c1"),
        (deal(Do(agent="Ann", action="pull", when=Turns(turns=(0, 2)))), "TURN", "c1"),
        (deal(Do(agent="Ann", action="pull", when=Every(every=2, start=9))), "TURN", "c1"),
        (deal(Pay(payer="Ann", payee="Ann", amount=1)), "PAY", "pays itself"),
        (deal(Pay(payer="Ann", payee="Ben", amount=0)), "PAY", "positive"),
        (deal(Pay(payer="Ann", payee="Ben", amount=-3)), "PAY", "positive"),
        (deal(Pay(payer="Ann", payee="Ben", amount="101%", basis="reward")), "PAY", "100 %"),
        (deal(Share()), "SHARE", "either fractions or a norm"),
        (
            deal(Share(norm="shapley", fractions=dict.fromkeys(AGENTS, "1/3"))),
            "SHARE",
            "either fractions or a norm",
        ),
        (deal(Share(norm="shapley"), Share(norm="shapley")), "SHARE", "c1 and c2"),
        (deal(Share(fractions={"Ann": 1})), "SHARE", "a fraction for each of"),
        (deal(Share(fractions=dict.fromkeys(AGENTS, "0.333333"))), "SHARE", "exactly 1"),
        (deal(Share(fractions={"Ann": 2, "Ben": -1, "Cyd": 0})), "SHARE", "not negative"),
        (deal(Share(norm="whim")), "NORM", "on offer: shapley"),
        (
            deal(Do(agent="Ann", action="pull"), Do(agent="Ann", action="wait")),
            "CLASH",
            "both c1 and c2",
        ),
        (
            deal(
                Do(agent="Ann", action="pull", when=Every(every=2, start=1)),
                Forbid(agent="Ann", action="pull", when=Turns(turns=(3, 3))),
            ),
            "CLASH",
            "both c1 and c2",
        ),
        (Deal(clauses=(Do(agent="Ann", action="pull"),), drops=("c7",)), "DROP", "c7"),
    ],
)
def test_a_draft_that_breaks_a_rule_is_sent_back_with_its_label(
    draft: Deal, label: str, cites: str
) -> None:
    fault = first_fault(DEAL_RULES, draft, TERMS)
    assert fault is not None
    assert fault.label == label
    assert cites in fault.feedback
    assert "\n" not in fault.feedback


@pytest.mark.parametrize(
    ("when", "sound"),
    [
        ("always", False),
        (Turns(turns=(4, 4)), False),
        (Turns(turns=(1, 2)), True),
        (Every(every=2, start=1), True),
        (Every(every=3, start=1), False),
        (Last(last=Event(agent="Ben", action="pull")), True),
    ],
)
def test_nobody_owes_what_it_can_never_do_then(when: Any, sound: bool) -> None:
    """Ann cannot pull in turn 4; what depends on the others' actions may never fall due then."""
    terms = replace(
        TERMS, turns=4, open_turns=lambda agent, _: [(1, 3)] if agent == "Ann" else None
    )
    fault = first_fault(DEAL_RULES, deal(Do(agent="Ann", action="pull", when=when)), terms)
    assert (fault is None) is sound
    if fault:
        instead = 'it can at turns 1 to 3, as in "when": {"from": 1, "to": 3}.'
        told = f"c1: Ann cannot pull at turn 4: {instead}"
        assert (fault.label, fault.feedback) == ("TURN", told)
    assert first_fault(DEAL_RULES, deal(Do(agent="Ben", action="pull", when=when)), terms) is None
    forbids = deal(Forbid(agent="Ann", action="pull", when=when))
    assert first_fault(DEAL_RULES, forbids, terms) is None, "it can be kept"


@pytest.mark.parametrize(
    ("turns", "when"),
    [
        ([(3, 3)], Turns(turns=(3, 3))),
        ([(1, 1), (3, 3)], Turns(turns=(3, 3))),
        ([(3, 4)], "always"),
    ],
)
def test_without_a_turn_a_duty_is_for_the_only_turn_left_at_which_it_is_possible(
    turns: list[tuple[int, int]], when: Any
) -> None:
    terms = replace(TERMS, turns=4, now=2, open_turns=lambda *_: turns)
    found = read_proposal({"kind": "do", "agent": "Ann", "action": "pull"}, terms)
    assert isinstance(found, Reading)
    assert found.deal.clauses == (Do(agent="Ann", action="pull", when=when),)
    told = "clause 1: read no `when` as turn 3, the only one for pull"
    assert (told in found.repairs) is (when != "always")
    always = {"kind": "do", "agent": "Ann", "action": "pull", "when": "always"}
    again = read_proposal(always, terms)
    assert isinstance(again, Reading)
    assert again.deal.clauses == (Do(agent="Ann", action="pull"),), "it is what the agent wrote"


@pytest.mark.parametrize(
    "draft",
    [
        DEAL,
        deal(Do(agent="Ann", action="pull"), Do(agent="Ben", action="wait")),
        deal(Do(agent="Ann", action="pull"), Forbid(agent="Ann", action="wait")),
        deal(
            Do(agent="Ann", action="pull", when=Every(every=2, start=1)),
            Do(agent="Ann", action="wait", when=Every(every=2, start=2)),
        ),
        deal(Share(fractions={"Ann": "1/3", "Ben": "1/3", "Cyd": "1/3"})),
        deal(Share(norm="shapley"), Pay(payer="Cyd", payee="Ann", amount=1, basis="reward")),
        deal(Pay(payer="Ann", payee="Ben", amount=1, when=Earned(earned="everyone", at_least=2))),
    ],
)
def test_a_sound_draft_passes_every_rule(draft: Deal) -> None:
    assert first_fault(DEAL_RULES, draft, TERMS) is None


@given(deals)
def test_rules_answer_for_any_deal_and_never_raise(draft: Deal) -> None:
    for rule in (*DEAL_RULES, only(Pay, Share)):
        fault = rule(draft, TERMS)
        assert fault is None or (fault.label.isupper() and fault.feedback)


def test_a_workflow_composes_the_rules_it_wants() -> None:
    only_money: Rule = only(Pay, Share)
    fault = first_fault([only_money], DEAL, TERMS)
    assert fault == Fault("KIND", "c1 is a do: only pay, share are admitted here.")
    assert first_fault([only_money], deal(Share(norm="whim")), TERMS) is None


turn_numbers = st.integers(1, 40)
on_turns = st.one_of(
    st.just("always"),
    st.tuples(turn_numbers, turn_numbers).map(lambda span: Turns(turns=(min(span), max(span)))),
    st.builds(Every, every=st.integers(1, 12), start=turn_numbers),
)


@given(on_turns, on_turns, st.integers(1, 40))
def test_two_duties_clash_exactly_where_they_share_a_turn(one: Any, other: Any, turns: int) -> None:
    both = deal(
        Do(agent="Ann", action="pull", when=one), Do(agent="Ann", action="wait", when=other)
    )
    shared = [n for n in range(1, turns + 1) if holds(one, n, []) and holds(other, n, [])]
    found = no_clash(both, Terms(AGENTS, turns=turns))
    # Equal conditions are one condition, whether or not the game is long enough for it.
    assert (found is not None) == (bool(shared) or one == other)


def test_the_largest_draft_is_judged_at_once_however_long_the_game() -> None:
    odd, even = Every(every=2, start=1), Every(every=2, start=2)
    duties = [Do(agent="Ann", action="pull", when=odd), Do(agent="Ann", action="wait", when=even)]
    draft = deal(*duties * 128)
    # Going through so many turns, a pair at a time, would take years.
    assert no_clash(draft, replace(TERMS, turns=10**12)) is None
    found = first_fault(DEAL_RULES, draft, replace(TERMS, turns=1_000))
    assert found is not None
    assert (found.label, str(MAX_TEXT_CHARS) in found.feedback) == ("LONG", True)
    assert first_fault(DEAL_RULES, deal(*duties * 20), replace(TERMS, turns=1_000)) is None


def test_a_duty_on_what_was_done_before_the_only_turn_is_refused() -> None:
    after = Last(last=Event(agent="Ben", action="pull"))
    duty = Do(agent="Ann", action="pull", when=after)
    once = replace(TERMS, turns=1)
    found = first_fault(DEAL_RULES, deal(duty), once)
    assert isinstance(found, Fault)
    assert (found.label, found.feedback[:33]) == ("CLAUSE", "c1: nothing is done before the on")
    assert first_fault(DEAL_RULES, deal(duty), TERMS) is None
    paid = Pay(payer="Ann", payee="Ben", amount=1, when=after)
    assert first_fault(DEAL_RULES, deal(paid), once) is None
