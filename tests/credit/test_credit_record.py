"""Credit by the record: known answers, replays and baselines."""

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shapley_coop.games import GameError, load
from shapley_coop.games.turns import realised_total
from tests.credit.credit_plays import at_random, credited, ends, joint, recorded, slowly
from tests.games.made_games import TUG
from tests.games.test_own_game import ORCHARD

D, C = "defect", "cooperate"


@pytest.mark.parametrize(
    ("name", "params", "actions", "times", "values", "payoffs"),
    [
        ("escape_room", {}, ("door", "lever"), 1, [4.5, 4.5], [4.5, 4.5]),
        (
            "escape_room",
            {"agents": ["A", "B", "C"]},
            ("door", "door", "lever"),
            1,
            [4.5, 4.5, 10],
            [4.5, 4.5, 10],
        ),
        ("prisoners_dilemma", {}, (D, C), 10, [0, 10], [0, 10]),
        ("prisoners_dilemma", {}, (C, C), 10, [10, 10], [10, 10]),
        ("prisoners_dilemma", {}, (C, C), 6, [6, 6], [6, 6]),
        (
            "public_goods",
            {},
            ("keep", "give", "give", "give"),
            10,
            [0, 120, 120, 120],
            [200, 320, 320, 320],
        ),
        ("cash_grab", {"rounds": 1}, ("take", "wait", "wait"), 1, [3, 0, 0], [3, 0, 0]),
        (
            "cash_grab",
            {"rounds": 1, "absent": "take"},
            ("take", "wait", "wait"),
            1,
            [0, 1.5, 1.5],
            [0, 1.5, 1.5],
        ),
        ("stag_hunt", {"rounds": 1}, ("stag", "hare"), 1, [-3, 0], [0, 3]),
        ("volunteers", {}, ("wait", "volunteer", "wait"), 1, [0, 13, 0], [0, 13, 0]),
        ("volunteers", {}, ("wait", "volunteer", "volunteer"), 1, [0, 5.5, 5.5], [0, 5.5, 5.5]),
    ],
)
def test_the_known_answers(
    name: str, params: dict, actions: tuple, times: int, values: list, payoffs: list
) -> None:
    game = load(name, params)
    record = joint(game, *actions, times=times)
    assert list(credited(game, record).values.values()) == values
    assert ends(game, record) == payoffs


def test_values_by_a_drawn_baseline_are_said_to_depend_on_the_draws() -> None:
    game = load("public_goods", {"rounds": 1, "absent": "random"})
    found = credited(game, joint(game, "give", "give", "give", "give"))
    assert (found.method, found.standard_error) == ("exact given 16 draws", None)


# Replays


@given(st.integers(0, 10**6), st.sampled_from(["away", "idle", "wait", "volunteer"]))
@settings(max_examples=40)
def test_tables_by_indexing_are_what_each_play_is_step_by_step(seed: int, absent: str) -> None:
    game = load("volunteers", {"rounds": 3, "absent": absent})
    record = at_random(game, seed, passes=0.2)
    fast, slow = game.analysis.replays(record), slowly(game, record)
    for inside in product([False, True], repeat=3):
        assert fast.of(np.array(inside)) == slow.of(np.array(inside))


def test_a_replay_goes_on_past_the_records_end_with_the_members_own_turns(tmp_path: Path) -> None:
    """Three empty the store in two turns; one alone takes from it to the last."""
    orchard = tmp_path / "orchard.py"
    orchard.write_text(ORCHARD, encoding="utf-8")
    game = load(str(orchard))
    record = joint(game, "take 3", "take 3", "take 3", times=2)
    assert realised_total(record) == 9 + 4
    alone = game.analysis.replays(record).of(np.array([True, False, False]))
    assert alone == {"Ann": 5 * 3, "Ben": 0, "Cyd": 0}


# Baselines


def test_an_undeclared_table_compares_with_what_survives_strict_dominance() -> None:
    game = load(TUG)
    assert dict(game.baseline.actions) == {"Ann": "pull", "Ben": "pull"}
    assert not game.baseline.warning


def test_an_undeclared_table_without_one_compares_with_away_and_warns() -> None:
    pays = [[2, 2], [0, 0], [0, 0], [1, 1]]
    table = {
        **TUG,
        "payoffs": [{**c, "pays": p} for c, p in zip(TUG["payoffs"], pays, strict=True)],
    }
    game = load(table)
    assert game.baseline.kind == "away"
    assert "--absent" in game.baseline.warning
    assert not load({**table, "absent": "wait"}).baseline.warning


@pytest.mark.parametrize(
    "wrong", ["fly", {"Ann": "pull"}, {"Ann": "fly", "Ben": "pull"}, "policy"], ids=str
)
def test_a_baseline_that_the_game_does_not_have_is_refused_in_one_line(wrong: Any) -> None:
    with pytest.raises(GameError) as refusal:
        _ = load(TUG, {"absent": wrong}).baseline
    assert "\n" not in str(refusal.value)


def test_who_is_absent_can_act_at_random_on_seeded_dice() -> None:
    game = load("public_goods", {"rounds": 2, "absent": "random"}, seed=4)
    record = joint(game, "give", "give", "give", "give", times=2)
    assert credited(game, record).values == credited(game, record).values
    assert sum(ends(game, record)) == realised_total(record)
    assert credited(load("public_goods", {"rounds": 2, "absent": "random"}, seed=5), record) != (
        credited(game, record)
    )


# Away


MATCHING = {
    "name": "matching",
    "agents": ["Ann", "Ben"],
    "actions": {"Ann": ["left", "right"], "Ben": ["left", "right"]},
    "payoffs": [
        {"play": ["left", "left"], "pays": [5, 1]},
        {"play": ["left", "right"], "pays": [0, 1]},
        {"play": ["right", "left"], "pays": [0, 1]},
        {"play": ["right", "right"], "pays": [5, 1]},
    ],
    "rounds": 2,
    "absent": "away",
}


@pytest.mark.parametrize("step_by_step", [False, True])
def test_who_is_away_leaves_those_present_least_in_each_turn(step_by_step: bool) -> None:
    """Ann goes left and then right: any one action of Ben in both turns would leave it with 5."""
    game = load(MATCHING)
    record = recorded(game, [{"Ann": "left", "Ben": "left"}, {"Ann": "right", "Ben": "right"}])
    replays = slowly(game, record) if step_by_step else game.analysis.replays_of(record)
    assert replays.of(np.array([True, False])) == {"Ann": 0, "Ben": 0}
    assert ends(game, record) == [5, 7]
