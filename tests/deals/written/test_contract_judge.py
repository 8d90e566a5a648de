"""A judge's verdict is read strictly and compared with the monitor's."""

from fractions import Fraction

import pytest

from shapley_coop.deals.language.clauses import Pay
from shapley_coop.deals.language.deal import Deal
from shapley_coop.deals.language.faults import Fault
from shapley_coop.deals.monitor import Monitor
from shapley_coop.deals.written.judgement import agreement, read_judgement
from shapley_coop.games import Turn
from shapley_coop.prompts import render

CLAUSES = {"c1": None, "c2": None}


@pytest.mark.parametrize(
    "text",
    [
        "c1: satisfied\nc2: violated",
        "c1: satisfied; c2: violated",
        "- [c1]: Satisfied, all cooperated.\n- [c2]: VIOLATED at turn 3\nc9: violated",
        "My reading:\n**c1** = satisfied\n**c2** = violated\nc1: satisfied",
    ],
)
def test_a_line_for_every_clause_is_a_judgement(text):
    assert read_judgement(text, CLAUSES) == {"c1": "satisfied", "c2": "violated"}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "each of c1, c2"),
        ("c1: satisfied", "“c2: violated” for each of c2"),
        ("c1: satisfied\nc2: maybe", "each of c2"),
        ("c1: satisfied\nc2: pending", "each of c2"),
        ("c1: satisfied\nc2: violated\nc1: violated", "c1 in two ways"),
    ],
)
def test_what_is_no_judgement_is_sent_back(text, reason):
    found = read_judgement(text, CLAUSES)
    assert isinstance(found, Fault)
    assert reason in found.feedback


def test_agreement_is_the_part_of_the_clauses_judged_alike():
    monitor = {"c1": "satisfied", "c2": "violated"}
    assert agreement(monitor, monitor) == 1
    assert agreement(monitor, {"c1": "satisfied", "c2": "satisfied"}) == Fraction(1, 2)
    assert agreement({}, {}) == 1


def test_a_payment_is_never_broken_by_a_player_as_the_judge_is_told():
    deal = Deal(clauses=(Pay(payer="Ann", payee="Ben", amount=3),))
    played: Turn = {"turn": 1, "actions": {"Ann": "left", "Ben": "left"}, "rewards": {}}
    assert Monitor(deal).on([played]).verdicts(1, over=True) == {"c1": "satisfied"}
    told = " ".join(render("contract_judge").split())
    assert "Clauses that pay or share ask nobody to act: they are satisfied." in told
