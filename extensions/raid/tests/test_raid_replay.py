"""What a coalition of heroes is worth: replays, contributions, outcomes, and values from them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from extensions.raid.tests.raid_plays import at_random, fireball, played
from extensions.raid.tests.raid_plays import raid as any_raid
from shapley_coop.credit import shapley_exact, worth_table
from shapley_coop.extensions.raid.batch import Repeat, simulate
from shapley_coop.extensions.raid.battles import Battles
from shapley_coop.extensions.raid.conduct import numbers, same_dice, wins
from shapley_coop.extensions.raid.rules import SKILLS, RaidParams, resolve, rolled
from tests.steps import steps


def raid(seed: int = 0, **params):
    """A raid whose coalitions are worth 1 if they win, unless another worth is asked for."""
    return any_raid(seed, **{"worth": "outcome", **params})


HEROES = ("Hero1", "Hero2", "Hero3", "Hero4")


@st.composite
def raids(draw):
    """A raid of some numbers, a legal record of it, and some coalitions."""
    low, wide = draw(st.integers(20, 150)), draw(st.integers(0, 60))
    heroes = draw(st.integers(2, 6))
    game = raid(
        draw(st.integers(0, 99)),
        heroes=heroes,
        rounds=draw(st.integers(1, 10)),
        boss_hp=draw(st.integers(1, 3000)),
        hero_hp=draw(st.integers(1, 500)),
        strike=draw(st.integers(0, 300)),
        targets=draw(st.integers(1, heroes + 1)),
        taunted_strike=draw(st.integers(0, 300)),
        damage=[low, low + wide],
        cooldown=draw(st.integers(1, 4)),
        dice=draw(st.sampled_from(["uniform", "gaussian"])),
    )
    record = played(
        game, at_random(draw(st.integers(0, 999)), idle=draw(st.sampled_from([0, 0.3])))
    )
    coalition = st.lists(st.booleans(), min_size=heroes, max_size=heroes)
    return game, record, np.array(draw(st.lists(coalition, min_size=1, max_size=8)))


def alone(game, record, members):
    """The replay of one coalition by the rules for one raid: its positions, turn by turn."""
    position, positions = game.start(), []
    for turn in record:
        actions = {
            agent: action
            for agent, action in turn["actions"].items()
            if agent in members and action in game.legal(position, agent)
        }
        if not game.over(position):
            roll = rolled(game.params, game.seed, turn["turn"])
            position = resolve(game.params, position, actions, roll).position
        positions.append(position)
    return positions


def choices_of(game, record):
    return tuple(tuple(turn["actions"].get(a) for a in game.agents) for turn in record)


@settings(max_examples=40)
@given(raids())
def test_many_raids_side_by_side_go_as_each_would_alone(case):
    game, record, members = case
    battles = Battles(game.params, same_dice(game.params, game.seed))
    recorded = [numbers(own) for own in zip(*choices_of(game, record), strict=True)]
    repeat = Repeat(recorded, members, goes_on=False)
    one_by_one = [
        alone(game, record, {a for a, there in zip(game.agents, row, strict=True) if there})
        for row in members
    ]
    moments = simulate(battles, battles.start(len(members)), repeat, range(len(record)))
    for t, moment in enumerate(moments):
        now = moment.world
        for row, positions in enumerate(one_by_one):
            assert now.boss[row] == positions[t]["boss_hp"]
            heroes = positions[t]["heroes"].values()
            assert now.heroes[row].tolist() == [hero["hp"] for hero in heroes]
            if not game.over(positions[t]):
                assert now.cooldown[row].tolist() == [hero["cooldown"] for hero in heroes]


def test_everybody_together_repeats_the_record_and_nobody_loses_it():
    for seed in range(30):
        game = raid(seed)
        record = played(game, at_random(seed, idle=0))
        won = any(effect["effect"] == "won" for effect in record[-1]["effects"])
        assert game.analysis.worth(record, frozenset(HEROES)) == won
        assert game.analysis.worth(record, frozenset()) == 0


def test_what_comes_too_late_in_the_record_can_matter_in_a_replay():
    game = raid(boss_hp=100)
    record = [{"turn": 1, "actions": {"Hero1": "Fireball", "Hero2": "Fireball"}, "rewards": {}}]
    assert game.analysis.worth(record, frozenset(["Hero2"])) == 1


def test_a_member_that_outlives_its_recorded_death_idles():
    game = raid(
        heroes=3,
        boss_hp=100,
        damage=[100, 100],
        healing=[100, 100],
        hero_hp=200,
        strike=200,
        targets=1,
        taunted_strike=50,
    )
    record = played(
        game,
        lambda turn, hero, _: {(1, 1): "Taunt", (2, 2): "Heal", (3, 1): "Fireball"}.get(
            (turn, hero), ""
        ),
    )
    # Healed by Hero3, Hero2 is no longer the weakest: Hero1 is struck in its place, and falls.
    assert {"effect": "death", "target": "Hero1"} in record[1]["effects"]
    assert game.analysis.worth(record, frozenset(game.agents)) == 1
    # Without the Heal Hero2 falls. Hero1 lives, and has chosen nothing that would end it.
    assert game.analysis.worth(record, frozenset(["Hero1", "Hero2"])) == 0


def test_a_taunt_in_vain_in_the_record_can_take_effect_in_a_replay_and_then_rests():
    game = raid(heroes=2, boss_hp=100, damage=[100, 100], hero_hp=200, targets=1, rounds=4)
    record = [
        {"turn": 1, "actions": {"Hero1": "Taunt", "Hero2": "Taunt"}, "rewards": {}},
        {"turn": 2, "actions": {"Hero2": "Taunt"}, "rewards": {}},
        {"turn": 3, "actions": {"Hero2": "Fireball"}, "rewards": {}},
    ]
    # Beside Hero1, Hero2 taunts at turn 2, is left with 100 and wins. Alone it already taunted at
    # turn 1, cannot at turn 2, and is struck for 200 as the weakest.
    assert game.analysis.worth(record, frozenset(game.agents)) == 1
    assert game.analysis.worth(record, frozenset(["Hero2"])) == 0


def test_equal_records_get_equal_shares_by_contribution():
    game = raid(damage=[120, 120], worth="contribution", level=2)
    record = played(game, fireball)
    table = worth_table(game.agents, lambda c: game.analysis.worth(record, c))
    values = shapley_exact(table)
    assert values[0] == values[1] == 240
    assert values[2] == values[3] == 480
    assert table[0] == 0
    assert table[-1] == sum(values)


@pytest.mark.parametrize("worth", ["contribution", "outcome"])
@pytest.mark.parametrize("heroes", [4, 14])
def test_the_batched_worth_is_the_worth(worth, heroes):
    game = raid(seed=2, heroes=heroes, boss_hp=500 * heroes, worth=worth)
    record = played(game, at_random(1))
    members = np.random.default_rng(0).random((20, heroes)) < 0.6
    found = game.analysis.batch_worth(record)(members)
    for row, present in enumerate(members):
        coalition = frozenset(a for a, p in zip(game.agents, present, strict=True) if p)
        assert found[row] == float(game.analysis.worth(record, coalition))


def test_twenty_thousand_coalitions_are_replayed_side_by_side_and_not_one_by_one():
    game = raid(seed=1, level=3)
    params: RaidParams = game.params
    dice = np.random.default_rng(0)
    choices = tuple(tuple(map(str, dice.choice(SKILLS, 4))) for _ in range(10))
    few, many = (dice.random((n, 4)) < 0.5 for n in (20, 20_000))
    assert len(wins(params, 0, choices, many)) == len(many)
    one = steps(lambda: wins(params, 0, choices, few))
    assert steps(lambda: wins(params, 0, choices, many)) <= 1.1 * one
