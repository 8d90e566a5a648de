"""Reports on anyone's game, and what is said about input that is none."""

import json
from fractions import Fraction
from math import inf, nan
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shapley_coop.credit.coalitions import coalition_key, members
from shapley_coop.credit.norms import norms
from shapley_coop.extensions.values.files import credit_report, parse_key, read_game
from tests.coop_command import Coop, one_line

KEYS = {"agents", "value", "values", "standard_error", "shares", "per_run", "axioms"}
ESCAPE_ROOM = {"agents": ["Alice", "Bob"], "worth": {"Alice": -1, "Bob": -1, "Alice,Bob": 9}}

# Shapley-Coop, appendix B.1, Level 1, LLM+SC: three runs as triples.
PAPER = {
    "A1": {"damage": (474, 511, 667), "healing": (183, 0, 0), "taunt": (900, 600, 300)},
    "A2": {"damage": (652, 630, 392), "healing": (0, 0, 0), "taunt": (600, 300, 600)},
    "A3": {"damage": (560, 472, 493), "healing": (0, 0, 0), "taunt": (600, 300, 300)},
    "A4": {"damage": (368, 491, 500), "healing": (764, 0, 0), "taunt": (0, 300, 300)},
}
LEVEL_1 = {
    "runs": [
        {
            hero: {kind: amounts[run] for kind, amounts in kinds.items()}
            for hero, kinds in PAPER.items()
        }
        for run in range(3)
    ]
}


def test_the_contribution_table_of_the_paper_gives_its_expected_shares() -> None:
    report = credit_report(LEVEL_1)
    assert [f"{100 * share:.2f}" for share in report["shares"].values()] == [
        "29.52",
        "26.09",
        "22.16",
        "22.22",
    ]


def test_the_command_shows_a_files_values_shares_and_axioms(coop: Coop, tmp_path: Path) -> None:
    (tmp_path / "runs.json").write_text(json.dumps(LEVEL_1), encoding="utf-8")
    assert coop("credit", "runs.json", "--json").result == credit_report(LEVEL_1)
    shown = coop("credit", "runs.json", "--value", "equal").out
    assert "equal of runs.json" in shown
    assert "25.00%" in shown
    assert "null_player: holds" in shown


def test_credit_of_a_missing_coalition_is_refused_in_one_line(coop: Coop, tmp_path: Path) -> None:
    (tmp_path / "game.json").write_text(
        '{"agents": ["A", "B"], "worth": {"A": 1}}', encoding="utf-8"
    )
    assert "is missing" in one_line(coop("credit", "game.json"), code=2)


def test_runs_are_reported_one_by_one_with_the_error_of_their_mean() -> None:
    report = credit_report(LEVEL_1)
    assert report.keys() == KEYS
    assert report["per_run"][0]["A1"] == pytest.approx((474 + 183 + 900) / 5101)
    assert [sum(run.values()) for run in report["per_run"]] == pytest.approx([1, 1, 1])
    assert report["values"]["A2"] == pytest.approx((1252 + 930 + 992) / 3)
    spread = ((1252 - 1058) ** 2 + (930 - 1058) ** 2 + (992 - 1058) ** 2) / 2
    assert report["standard_error"]["A2"] == pytest.approx((spread / 3) ** 0.5)
    assert all(report["axioms"].values())


def test_one_run_shows_no_error() -> None:
    assert credit_report({"runs": LEVEL_1["runs"][:1]})["standard_error"] is None


def test_an_equal_split_of_runs_ignores_who_did_what() -> None:
    report = credit_report(LEVEL_1, "equal")
    assert set(report["shares"].values()) == {0.25}
    assert report["axioms"]["null_player"] is True  # nobody was idle
    idle = credit_report({"runs": [{"A": {"code": 3}, "B": {}}]}, "equal")
    assert idle["axioms"]["null_player"] is False


@pytest.mark.parametrize("value", sorted(norms().keys() - {"equal", "deegan_packel"}))
def test_where_contributions_add_up_the_norms_agree(value: str) -> None:
    """As a table of worths and as runs."""
    run = {"A": {"code": 5}, "B": {"code": 2, "fixes": 1}}
    table = {"agents": ["A", "B"], "worth": {"A": 5, "B": 3, "A,B": 8}}
    as_runs, as_table = credit_report({"runs": [run]}, value), credit_report(table, value)
    assert as_runs["values"] == pytest.approx(as_table["values"])
    assert as_runs["shares"] == pytest.approx(as_table["shares"])


def test_a_hundred_agents_can_share_a_run() -> None:
    run = {f"hero {i}": {"damage": i + 1} for i in range(100)}
    report = credit_report({"runs": [run]})
    assert report["shares"]["hero 99"] == pytest.approx(100 / 5050)
    assert set(report["axioms"].values()) == {None}


def test_a_characteristic_function_is_reported_with_its_axioms() -> None:
    assert credit_report(ESCAPE_ROOM) == {
        "agents": ["Alice", "Bob"],
        "value": "shapley",
        "values": {"Alice": 4.5, "Bob": 4.5},
        "standard_error": None,
        "shares": {"Alice": 0.5, "Bob": 0.5},
        "per_run": None,
        "axioms": {"efficiency": True, "symmetry": True, "null_player": True, "additivity": True},
    }


def test_leave_one_out_is_reported_as_not_efficient() -> None:
    report = credit_report(ESCAPE_ROOM, "leave_one_out")
    assert report["values"] == {"Alice": 10, "Bob": 10}
    assert report["axioms"]["efficiency"] is False
    assert report["shares"] == {"Alice": 0.5, "Bob": 0.5}


def test_a_simple_game_has_every_value() -> None:
    names = ["A", "B", "C"]
    wins = {"A": 0, "B": 0, "C": 0, "A,B": 1, "C,A": 1, "B,C": 0, "A,B,C": 1}
    for value in norms():
        report = credit_report({"agents": names, "worth": wins}, value)
        assert report.keys() == KEYS
        assert json.loads(json.dumps(report)) == report
        assert report["values"]["A"] >= report["values"]["B"] == report["values"]["C"]


def test_shares_are_null_where_there_is_nothing_to_divide() -> None:
    report = credit_report({"agents": ["A", "B"], "worth": {"A": 1, "B": -1, "A,B": 0}})
    assert report["shares"] is None
    assert report["values"] == {"A": 1, "B": -1}


def test_the_empty_coalition_may_have_a_worth() -> None:
    game_with_a_stake = {"agents": ["A"], "worth": {"": -100, "A": 80.5}}
    assert read_game(game_with_a_stake) == (["A"], [-100, Fraction(161, 2)])
    assert credit_report(game_with_a_stake)["values"] == {"A": 180.5}


def game(**worth: Any) -> dict[str, Any]:
    return {"agents": ["A", "B"], "worth": {key.replace("_", ","): w for key, w in worth.items()}}


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ([], "the input: an empty list where an object"),
        ("A", "the input: text"),
        ({}, '"worth" or "runs"'),
        ({"agents": ["A"], "worth": {"A": 1}, "runs": []}, 'either "worth" or "runs"'),
        ({"agents": ["A"], "worths": {"A": 1}}, "the input: 'worths' is unknown"),
        ({"worth": {"A": 1}}, 'no "agents"'),
        ({"agents": "AB", "worth": {}}, '"agents": text'),
        ({"agents": ["A", "A"], "worth": {}}, "'A' is named twice"),
        ({"agents": ["A", 3], "worth": {}}, "3 is not a valid agent name"),
        ({"agents": [f"a{i}" for i in range(21)], "worth": {}}, "at most 20"),
        (game(A=1, B=1), 'the worth of "A,B" is missing'),
        ({"agents": list("ABCD"), "worth": {}}, '"A", "B", "A,B" and 12 more is missing'),
        (game(A=1, B=1, A_B=2, C=3), "'C' is not an agent"),
        (game(A=1, B=1, A_B=2, B_A=2), 'the coalition "B,A" is given twice'),
        (game(A=1, B=1, A_A=2), "'A' occurs twice"),
        (game(A=1, B=nan, A_B=2), 'the worth of "B" is nan'),
        (game(A=1, B=-inf, A_B=2), "a finite number is needed"),
        (game(A=1, B="2", A_B=2), 'the worth of "B" is "2": a number is needed'),
        (game(A=1, B=True, A_B=2), 'the worth of "B" is true'),
        (game(A=1, B=None, A_B=2), "number is needed"),
        (game(A=1, B=10**400, A_B=2), "use a larger unit"),
        ({"runs": []}, '"runs": an empty list'),
        ({"runs": {}}, '"runs": an object'),
        ({"runs": [[]]}, "run 1: an empty list"),
        ({"runs": [{}]}, '"agents": an empty list'),
        ({"runs": [{"A": 3}]}, "run 1, A: a number"),
        ({"runs": [{"A": {"x": 1}}, {}]}, "run 2 lacks 'A'"),
        ({"runs": [{"A": {"x": 1}}, {"A": {"x": 1}, "B": {}}]}, "run 2: 'B' is unknown"),
        ({"agents": ["A", "B"], "runs": [{"A": {"x": 1}}]}, "run 1 lacks 'B'"),
        ({"runs": [{"A": {"x": nan}}]}, "run 1, A, x is nan"),
        ({"runs": [{"A": {"x": -1}}]}, "run 1, A, x is negative"),
        ({"runs": [{"A": {"x": 0}, "B": {}}]}, "run 1 has no contribution"),
    ],
)
def test_input_that_is_no_game_is_refused_in_one_line(content: Any, complaint: str) -> None:
    with pytest.raises(ValueError) as fault:  # noqa: PT011
        credit_report(content)
    assert complaint in str(fault.value)
    assert "\n" not in str(fault.value)


@pytest.mark.parametrize(
    ("content", "value", "complaint"),
    [
        (ESCAPE_ROOM, "shapely", "no norm 'shapely'"),
        (ESCAPE_ROOM, "deegan_packel", "simple game"),
        (LEVEL_1, "deegan_packel", "contributions that add up form none"),
    ],
)
def test_a_value_that_does_not_fit_is_refused(content: Any, value: str, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        credit_report(content, value)


INEFFICIENT = ("banzhaf", "leave_one_out", "banzhaf_normalised", "proportional")
"""Norms whose values, before they are brought to the total, do not sum to it."""


def test_who_adds_nothing_has_no_share_where_a_value_is_negative() -> None:
    """v(A) = 6, v(B) = 4, v(A, B) = 3: without either there is more, and C adds nothing."""
    worth = {"A": 6, "B": 4, "C": 0, "A,B": 3, "A,C": 6, "B,C": 4, "A,B,C": 3}
    report = credit_report({"agents": ["A", "B", "C"], "worth": worth}, "leave_one_out")
    assert report["axioms"]["null_player"] is True
    assert report["shares"]["C"] == 0
    assert report["shares"] == pytest.approx({"A": 1 / 4, "B": 3 / 4, "C": 0})


@pytest.mark.parametrize("value", INEFFICIENT)
@given(
    others=st.integers(1, 3).flatmap(
        lambda n: st.lists(st.integers(-20, 20), min_size=(1 << n) - 1, max_size=(1 << n) - 1)
    )
)
@settings(deadline=None, max_examples=60)
def test_who_adds_nothing_has_no_share_by_any_norm_in_any_game(
    value: str, others: list[int]
) -> None:
    table = [0, *others]
    agents = [*"ABC"[: len(table).bit_length() - 1], "Idle"]
    worth = {
        coalition_key(mask, agents): table[mask % len(table)] for mask in range(1, 2 * len(table))
    }
    report = credit_report({"agents": agents, "worth": worth}, value)
    # Where nobody is worth anything alone, a norm by stand-alone worth has equal parts.
    says = value != "proportional" or any(table[1 << i] for i in range(len(agents) - 1))
    if table[-1] and any(report["values"].values()) and says:
        assert report["shares"]["Idle"] == 0
        assert sum(report["shares"].values()) == pytest.approx(1)


@given(st.integers(0, 2**6 - 1), st.randoms())
@settings(deadline=None)
def test_a_key_names_its_coalition_in_any_order(mask: int, random: object) -> None:
    agents = [f"agent {i}" for i in range(6)]
    assert parse_key(coalition_key(mask, agents), agents) == mask
    names = list(members(mask, agents))
    random.shuffle(names)  # type: ignore[attr-defined]
    assert parse_key(" , ".join(names), agents) == mask


@pytest.mark.parametrize("key", ["Ann,Dan", "Ann,,Ben", "Ann,Ann", ",", "ann"])
def test_a_key_with_a_wrong_name_is_refused(key: str) -> None:
    with pytest.raises(ValueError, match=r"not an agent|twice"):
        parse_key(key, ["Ann", "Ben", "Cho"])
