"""The same schedules, on other dice."""

import pytest

from extensions.raid.tests.raid_plays import random_raid
from shapley_coop.credit import attribute_by
from shapley_coop.extensions.replays.other_dice import Spread, on_other_dice, rolls_dice
from shapley_coop.games import load
from shapley_coop.games.replay import conduct
from shapley_coop.state.characteristic import by_replays
from tests.coop_command import Coop, valid
from tests.credit.credit_plays import at_random, evaluated


def test_on_its_own_dice_a_conduct_has_the_values_of_its_record() -> None:
    game, record = random_raid()
    did = conduct(game, record, game.baseline)
    again = attribute_by(by_replays(load("raid_battle", {}, 3).analysis.repeated(did)))
    assert again.values == evaluated("raid_battle", record, seed=3).attribution("shapley").values


def test_the_spread_over_other_dice_is_of_the_next_seeds() -> None:
    game, record = random_raid()
    found = on_other_dice(evaluated("raid_battle", record, seed=3), "shapley", 4)
    did = conduct(game, record, game.baseline)
    each = [
        attribute_by(by_replays(load("raid_battle", {}, seed).analysis.repeated(did)))
        for seed in (4, 5, 6, 7)
    ]
    for hero, spread in found.values.items():
        assert spread == Spread.of([float(one.values[hero]) for one in each])
        assert spread.low <= spread.mean <= spread.high
    assert found.improvement == Spread.of([float(one.total) for one in each])


def test_a_hero_that_idles_has_no_value_on_any_dice_and_who_wins_by_luck_has_a_spread() -> None:
    game = load("raid_battle", {"boss_hp": 500}, 1)
    record = at_random(game, 1, null=0)
    table = evaluated("raid_battle", record, seed=1, params={"boss_hp": 500})
    found = on_other_dice(table, "shapley", 20)
    assert found.values["Hero1"] == Spread(0.0, 0.0, 0.0, 0.0)
    assert found.improvement.sd > 0


def test_a_table_rolls_no_dice_unless_the_absent_act_at_random() -> None:
    assert not rolls_dice(evaluated("public_goods", []))
    assert rolls_dice(evaluated("public_goods", [], absent="random"))
    assert not rolls_dice(evaluated("delivered", []))


def test_values_that_no_replay_computes_are_not_replayed_on_other_dice() -> None:
    _, record = random_raid()
    by_points = evaluated("raid_battle", record, seed=3, params={"worth": "contribution"})
    with pytest.raises(ValueError, match="play with worth=record"):
        on_other_dice(by_points, "shapley", 2)


RAID = ("run", "raid_battle", "--graph", "llm_only", "--seed", "2")


def test_the_command_reports_mean_and_spread_and_settles_nothing(coop: Coop) -> None:
    before = valid(coop(*RAID, "--name", "r", "--json").result)
    dice = coop("credit", "r", "--dice", "5", "--json").result["dice"]
    assert dice["times"] == 5
    assert set(dice["values"]) == set(before["agents"])
    assert {"mean", "sd", "low", "high"} == set(dice["improvement"])
    assert "on 5 other dice" in coop("credit", "r", "--dice", "5").out
    assert coop("credit", "r", "--json").result["payoff"] == before["payoffs"]
    assert coop("verify", "r").code == 0
