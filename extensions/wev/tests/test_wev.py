"""Weighted Earned Value: the paper's table, digit by digit, and what is refused."""

import json
import re
from fractions import Fraction
from itertools import product
from math import nan
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shapley_coop.earned_value import part_intervals, parts
from shapley_coop.extensions.wev.report import WEIGHTS, read_weights, read_wev, wev, wev_report

KINDS = ("code", "decisions", "documents", "fixes")
# Role: counts of the four kinds; interval, reward and adjustment as printed in the paper's table
# for the BMI calculator (the adjustments are on its slides).
BMI: dict[str, tuple[tuple[int, ...], str, int, str]] = {
    "CEO": ((0, 3, 0, 0), "7.5–17.5", 15, "+0.0"),
    "Counselor": ((0, 0, 3, 0), "2.1–6.4", 3, "+0.0"),
    "CPO": ((0, 1, 4, 0), "5.4–14.4", 20, "-5.6"),
    "CTO": ((0, 2, 0, 0), "5.0–11.7", 25, "-13.3"),
    "Programmer": ((45, 0, 0, 3), "30.9–47.1", 25, "+5.9"),
    "Reviewer": ((7, 0, 0, 3), "11.1–17.9", 12, "+0.0"),
}
ARTEFACTS = {role: dict(zip(KINDS, row[0], strict=True)) for role, row in BMI.items()}
REWARDS = {role: row[2] for role, row in BMI.items()}
FILE = {"artefacts": ARTEFACTS, "rewards": REWARDS}

artefacts = st.dictionaries(
    st.sampled_from(list("ABCDE")),
    st.fixed_dictionaries({kind: st.integers(0, 50) for kind in KINDS}),
    min_size=1,
).filter(lambda made: any(any(counts.values()) for counts in made.values()))


@pytest.mark.parametrize("role", BMI)
def test_intervals_and_adjustments_of_the_bmi_table_to_the_printed_digit(role: str) -> None:
    _, interval, reward, adjustment = BMI[role]
    value = wev(ARTEFACTS, REWARDS)[role]
    assert f"{float(value.low):.1f}–{float(value.high):.1f}" == interval
    assert value.reward == reward
    assert f"{float(value.adjustment):+.1f}" == adjustment


def test_the_intervals_of_all_roles_add_up_to_the_weights() -> None:
    values = wev(ARTEFACTS).values()
    assert (sum(v.low for v in values), sum(v.high for v in values)) == (62, 115)


@given(artefacts)
@settings(deadline=None)
def test_points_sum_to_exactly_a_hundred(made: dict[str, dict[str, int]]) -> None:
    assert sum(value.point for value in wev(made).values()) == 100


@given(artefacts, st.integers(0, 100))
@settings(deadline=None)
def test_the_adjusted_reward_is_the_nearest_in_the_interval(
    made: dict[str, dict[str, int]], reward: int
) -> None:
    role = next(iter(made))
    value = wev(made, {role: reward})[role]
    assert value.adjustment is not None
    adjusted = reward + value.adjustment
    assert value.low <= adjusted <= value.high
    inside = value.low <= reward <= value.high
    assert (value.adjustment == 0) == inside
    assert inside or adjusted in (value.low, value.high)


def test_who_made_the_same_earned_the_same_and_who_made_nothing_nothing() -> None:
    twin = {"code": 10, "fixes": 1}
    values = wev({"A": twin, "B": dict(twin), "C": {}})
    assert values["A"] == values["B"]
    assert (values["C"].low, values["C"].high, values["C"].point) == (0, 0, 0)


def test_a_kind_nobody_made_is_worth_nothing_to_anyone() -> None:
    values = wev({"A": {"code": 3}, "B": {"code": 1}})
    assert (values["A"].low, values["A"].high) == (Fraction(81, 4), 30)
    assert values["A"].point == 75


def test_a_role_without_a_reward_has_no_adjustment() -> None:
    values = wev(ARTEFACTS, {"CEO": 15})
    assert (values["CTO"].reward, values["CTO"].adjustment) == (None, None)


def test_other_weights_may_name_other_kinds() -> None:
    weights = read_weights({"reviews": [20, 30], "code": [50, 70]})
    values = wev({"A": {"reviews": 1}, "B": {"code": 9}}, weights=weights)
    assert (values["A"].low, values["A"].high) == (20, 30)


def test_the_report_is_json_in_percent() -> None:
    report = wev_report(*read_wev(FILE))
    assert json.loads(json.dumps(report)) == report
    assert report["roles"].keys() == BMI.keys()
    assert report["roles"]["CTO"] == {
        "interval": [5.0, pytest.approx(35 / 3)],
        "point": pytest.approx(100 * (5 + 35 / 3) / 177),
        # Two of six decisions, by the lowest weight of decisions and the highest of the others.
        "point_interval": [pytest.approx(100 * 5 / 95), pytest.approx(100 * 35 / 3 / 82)],
        "reward": 25.0,
        "adjustment": pytest.approx(35 / 3 - 25),
    }


def test_files_are_read_like_their_content(tmp_path) -> None:
    (tmp_path / "bmi.json").write_text(json.dumps(FILE))
    (tmp_path / "weights.json").write_text(json.dumps(WEIGHTS))
    assert read_wev(tmp_path / "bmi.json") == read_wev(FILE) == (ARTEFACTS, REWARDS)
    assert read_weights(tmp_path / "weights.json") == WEIGHTS
    assert read_wev({"artefacts": ARTEFACTS})[1] is None


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ([1], "the input: a list"),
        ({}, 'no "artefacts"'),
        ({"artefacts": {}}, 'no "artefacts"'),
        ({"artefacts": [1]}, '"artefacts": a list'),
        ({"artefact": ARTEFACTS}, "the input: 'artefact' is unknown"),
        ({"artefacts": {"CEO": 3}}, "the artefacts of CEO: a number"),
        ({"artefacts": {"CEO": {"code": "3"}}}, 'CEO\'s count of code is "3"'),
        ({"artefacts": {"CEO": {"code": nan}}}, "CEO's count of code is nan"),
        ({"artefacts": {"CEO": {"code": -1}}}, "CEO's count of code is -1"),
        ({"artefacts": {"CEO": {"cod": 1}}}, "'cod' is unknown; known are code, decisions"),
        ({"artefacts": {"CEO": {"code": 0}}}, "no value to divide"),
        ({"artefacts": ARTEFACTS, "rewards": {"COO": 1}}, "the rewards: 'COO' is unknown"),
        ({"artefacts": ARTEFACTS, "rewards": {"CEO": 101}}, "between 0 and 100"),
        ({"artefacts": ARTEFACTS, "rewards": {"CEO": None}}, "number is needed"),
    ],
)
def test_artefacts_that_make_no_sense_are_refused_in_one_line(content: Any, complaint: str) -> None:
    with pytest.raises(ValueError) as fault:  # noqa: PT011
        wev(*read_wev(content))
    assert complaint in str(fault.value)
    assert "\n" not in str(fault.value)


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ({}, "no kind of work is named"),
        ({"code": 27}, "code is 27: give its lowest and highest percent, as in code: "),
        ({"code": [27]}, r"code is \[27\]: give its lowest"),
        ({"code": [40, 27]}, "40 to 27"),
        ({"code": [-1, 27]}, "0 ≤ low"),
        ({"code": [27, 140]}, "≤ 100"),
        ({"code": [27, "x"]}, "a number is needed; give its lowest"),
    ],
)
def test_weights_that_make_no_sense_are_refused(
    tmp_path: Path, content: Any, complaint: str
) -> None:
    file = tmp_path / "weights.json"
    file.write_text(json.dumps(content))
    for source, named in ((content, "the weights: "), (file, f"{file}: ")):
        with pytest.raises(ValueError, match=f"^{re.escape(named)}.*{complaint}") as fault:
            read_weights(source)
        assert "\n" not in str(fault.value)


def test_weights_that_are_named_in_part_leave_the_others_as_they_are() -> None:
    assert read_weights({"code": [10, 20]}) == {**WEIGHTS, "code": (10, 20)}
    assert read_weights({"code": [10, 20]}, list(WEIGHTS))["fixes"] == WEIGHTS["fixes"]
    with pytest.raises(ValueError, match="'doc' is not a kind of work; they are code, decisions"):
        read_weights({"doc": [1, 2]}, list(WEIGHTS))
    with pytest.raises(
        ValueError, match="'document' is not a kind of work: did you mean 'documents'"
    ):
        read_weights({"document": [1, 2]}, list(WEIGHTS))


COUNT = st.integers(min_value=0, max_value=3).map(Fraction)


@given(
    st.fixed_dictionaries({a: st.fixed_dictionaries(dict.fromkeys(WEIGHTS, COUNT)) for a in "ABC"})
)
def test_the_interval_of_a_point_holds_it_under_all_weights(
    made: dict[str, dict[str, Fraction]],
) -> None:
    found = part_intervals(made, WEIGHTS)
    corners = [dict(zip(WEIGHTS, ends, strict=True)) for ends in product(*WEIGHTS.values())]
    by = [parts(made, {k: (w, w) for k, w in corner.items()}) for corner in corners]
    for agent, (least, most) in found.items():
        assert (least, most) == (min(p[agent] for p in by), max(p[agent] for p in by))
        assert least <= parts(made, WEIGHTS)[agent] <= most
