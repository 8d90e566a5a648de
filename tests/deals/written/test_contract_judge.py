"""A judge's verdict is read strictly and compared with the monitor's."""

from fractions import Fraction

import pytest

from shapley_coop.deals.language.faults import Fault
from shapley_coop.deals.written.judgement import agreement, read_judgement

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
