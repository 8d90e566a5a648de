"""On what the ranking of the agents depends."""

from extensions.raid.tests.raid_plays import random_raid
from shapley_coop.extensions.replays.sensitivity import (
    BY_BASELINE,
    BY_CONTINUATION,
    BY_NORM,
    STOPS,
    in_words,
    sensitivity,
)
from shapley_coop.games import load
from tests.credit.credit_plays import at_random, evaluated, joint


def test_the_ranking_depends_on_the_baseline_where_one_keeps_and_three_give() -> None:
    game = load("public_goods")
    found = sensitivity(
        evaluated("public_goods", joint(game, "keep", "give", "give", "give", times=10)), "shapley"
    )
    assert in_words(found.ranking) == "Bob = Carol = Dave > Alice"
    assert in_words(found.other[BY_BASELINE, "away"]) == "Alice > Bob = Carol = Dave"
    assert (BY_NORM, "proportional") in found.same
    line = "the ranking depends on the baseline: with away it is Alice > Bob = Carol = Dave"
    assert line in found.lines()


def test_the_games_own_baseline_and_the_equilibrium_are_compared_with_another() -> None:
    game = load("public_goods")
    record = joint(game, "keep", "give", "give", "give", times=10)
    found = sensitivity(evaluated("public_goods", record, absent="give"), "shapley")
    baselines = {to for what, to in [*found.other, *found.same] if what == BY_BASELINE}
    assert {"as declared", "away"} < baselines
    assert any(to.startswith("equilibrium (an absent agent plays keep") for to in baselines)


def test_how_replays_go_on_is_compared_where_agents_can_leave_the_recorded_path() -> None:
    _, record = random_raid()
    found = sensitivity(evaluated("raid_battle", record, seed=3), "shapley")
    assert (BY_CONTINUATION, STOPS) in {*found.other, *found.same}
    table = sensitivity(evaluated("stag_hunt", joint(load("stag_hunt"), "stag", "hare")), "shapley")
    assert BY_CONTINUATION not in {what for what, _ in [*table.other, *table.same]}


def test_heroes_that_stop_where_their_record_ends_kill_nobody_after_it() -> None:
    params = {"heroes": 2, "boss_hp": 400, "damage": [100, 100], "strike": 0, "taunted_strike": 0}
    game = load("raid_battle", params)
    record = joint(game, "Fireball", "Fireball", times=2)
    table = evaluated("raid_battle", record, params=params)
    assert table.attribution("shapley").total == table.total + 100
    found = sensitivity(table, "shapley")
    assert found.ranking == [["Hero1", "Hero2"]]


def test_what_is_not_compared_is_said() -> None:
    heroes = {"heroes": 9}
    game = load("raid_battle", heroes)
    (line,) = sensitivity(
        evaluated("raid_battle", at_random(game, 1), params=heroes), "shapley"
    ).lines()
    assert line == "not compared: rankings of more than 8 agents (here 9)"
    game = load("raid_battle", {"heroes": 6})
    said = sensitivity(
        evaluated("raid_battle", at_random(game, 1), params={"heroes": 6}), "shapley"
    ).lines()
    assert any("the baseline away (too many joint actions" in line for line in said)
