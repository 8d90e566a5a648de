"""What heroes are due: replays on arrays, by sampling where they are many, and what bounds them."""

import random
from itertools import product

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from shapley_coop.games import load
from tests.credit.credit_plays import at_random, ends, joint, recorded, slowly


@given(st.integers(0, 10**6))
@settings(max_examples=12)
def test_raids_side_by_side_are_what_each_is_step_by_step(seed: int) -> None:
    dice = random.Random(seed)
    heroes = dice.choice([2, 3, 4])
    params = {"heroes": heroes, "boss_hp": dice.choice([400, 900, 1500]), "heal_reward": 0.35}
    game = load("raid_battle", params, seed)
    record = at_random(game, seed, stop=dice.choice([30, 3]))
    fast, slow = game.analysis.replays(record), slowly(game, record)
    for inside in product([False, True], repeat=heroes):
        row = np.array(inside)
        assert fast.of(row) == slow.of(row)


def test_a_replay_goes_on_past_the_records_end_with_the_members_own_turns() -> None:
    """Two kill in two turns what one alone kills in four, by casting on."""
    params = {"heroes": 2, "boss_hp": 400, "damage": [100, 100], "strike": 0, "taunted_strike": 0}
    game = load("raid_battle", params)
    record = joint(game, "Fireball", "Fireball", times=2)
    alone = game.analysis.replays(record).of(np.array([True, False]))
    assert alone == {"Hero1": 8 + 35, "Hero2": 35}


def test_a_hero_that_idles_ends_with_its_baseline_and_others_do_not() -> None:
    game = load("raid_battle", {"hero_hp": 4000}, seed=3)
    cast = [dict.fromkeys(game.agents[1:], "Fireball")] * 10
    position, plays = game.start(), []
    for actions in cast:
        if game.over(position):
            break
        plays.append(actions)
        position = game.step(position, actions).position
    record = recorded(game, plays)
    payoffs = ends(game, record)
    assert payoffs[0] == game.analysis.replays(record).at_baseline()["Hero1"] == -25
    assert min(payoffs[1:]) > 0


def test_no_play_of_a_raid_earns_a_hero_more_than_it_can_have():
    """The bound against the best that a hero can do: Fireball to the end, and a quick win."""
    game = load("raid_battle", {"boss_hp": 300})
    position, had = game.start(), dict.fromkeys(game.agents, 0)
    while not game.over(position):
        after = game.step(position, dict.fromkeys(game.agents, "Fireball"))
        for agent in game.agents:
            had[agent] += after.rewards[agent] + after.pot / len(game.agents)
        position = after.position
    most = game.analysis.ahead.most()
    assert all(25 <= had[agent] <= most[agent] for agent in game.agents)
