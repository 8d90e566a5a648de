"""Raid Battle: its rules, one by one, and the dilemma that they make."""

import json

import pytest

from extensions.raid.tests.raid_plays import fireball, moments, played, raid, rotation
from shapley_coop.deals.language.choices import choose
from shapley_coop.deals.language.reading import read_proposal
from shapley_coop.deals.language.terms import Terms
from shapley_coop.deals.language.wire import Message
from shapley_coop.extensions.raid.rules import contributions
from shapley_coop.games import GameError
from shapley_coop.games.turns import realised_total

LEVELS = (1, 2, 3)


def effects(turn, kind):
    return [effect for effect in turn["effects"] if effect["effect"] == kind]


def hit_points(position):
    return [hero["hp"] for hero in position["heroes"].values()]


@pytest.mark.parametrize("level", LEVELS)
def test_if_everybody_casts_fireball_the_raid_is_lost(level):
    for seed in range(60):
        record = played(raid(seed, level=level), fireball)
        assert [len(effects(turn, "damage")) for turn in record] == [4, 4, 2, 2]
        assert record[-1]["pot"] == -100


@pytest.mark.parametrize("level", LEVELS)
def test_no_dice_can_save_those_who_all_cast_fireball(level):
    assert played(raid(level=level, damage=[150, 150]), fireball)[-1]["pot"] == -100


@pytest.mark.parametrize("level", LEVELS)
def test_taking_turns_to_taunt_wins_without_a_loss(level):
    for seed in range(60):
        *_, last = played(raid(seed, level=level), rotation(4))
        assert effects(last, "won") == [{"effect": "won", "dead": 0}]
        assert last["pot"] == 100 * (10 - (last["turn"] - 1)) / 10


def test_a_level_stands_for_the_hit_points_of_the_boss():
    assert [raid(level=level).start()["boss_hp"] for level in LEVELS] == [2000, 2500, 3000]
    assert raid(level=3, boss_hp=77).start()["boss_hp"] == 77


def test_the_boss_strikes_the_two_weakest_and_of_equals_the_first():
    told = moments(raid(), fireball)
    assert [hit_points(position) for _, position in told] == [
        [200, 200, 400, 400],
        [0, 0, 400, 400],
        [0, 0, 200, 200],
        [0, 0, 0, 0],
    ]
    assert [e["target"] for e in effects(told[1][0], "death")] == ["Hero1", "Hero2"]


def test_a_taunt_draws_one_attack_to_the_taunter_and_rests_for_two_turns():
    game = raid()
    after = game.step(game.start(), {"Hero3": "Taunt"})
    assert hit_points(after.position) == [400, 400, 300, 400]
    assert after.rewards == {"Hero1": 0, "Hero2": 0, "Hero3": 0.5, "Hero4": 0}
    position, ready = after.position, []
    for other in ("Hero1", "Hero2", "Hero4"):
        ready.append("Taunt" in game.legal(position, "Hero3"))
        position = game.step(position, {other: "Taunt"}).position
    assert ready == [False, False, True]
    with pytest.raises(GameError, match="Hero3 cannot 'Taunt'"):
        game.step(after.position, {"Hero3": "Taunt"})


@pytest.mark.parametrize("said", ["cast Fireball on the boss", "Throw a Fireball at the boss"])
def test_a_skill_used_on_the_boss_is_read_in_a_choice_and_in_a_clause(said):
    game = raid()
    legal = game.legal(game.start(), "Hero1")
    assert choose(Message(action=said), legal, game.also_called)[0] == "Fireball"
    clause = {"kind": "do", "agent": "Hero1", "action": said}
    terms = Terms(game.agents, game.actions, also_called=game.also_called)
    assert read_proposal({"clauses": [clause]}, terms).deal.clauses[0].action == "Fireball"
    heal = "cast Heal on the boss"
    assert choose(Message(action=heal), legal, game.also_called) == (heal, "")


def test_of_two_taunts_only_the_first_takes_effect_and_is_paid_and_rests():
    game = raid()
    after = game.step(game.start(), {"Hero2": "Taunt", "Hero4": "Taunt"})
    assert [e["effective"] for e in after.effects if e["effect"] == "taunt"] == [True, False]
    assert (after.rewards["Hero2"], after.rewards["Hero4"]) == (0.5, 0)
    assert "Taunt" not in game.legal(after.position, "Hero2")
    assert "Taunt" in game.legal(after.position, "Hero4")


def test_a_heal_goes_to_the_weakest_living_other_hero_and_not_above_full_health():
    game = raid()
    hurt = game.step(game.start(), {}).position
    after = game.step(hurt, {"Hero1": "Heal", "Hero2": "Heal"})
    first, second = (e for e in after.effects if e["effect"] == "healing")
    assert (first["target"], second["target"]) == ("Hero2", "Hero1")
    assert first["effective"] == first["amount"]
    assert 150 <= first["amount"] <= 200
    whole = game.step(game.start(), {"Hero2": "Heal"}).effects[0]
    assert (whole["target"], whole["effective"]) == ("Hero1", 0)
    assert whole["amount"] >= 150


def test_the_last_hero_alive_has_nobody_to_heal():
    game = raid(heroes=2, rounds=4)
    position = game.start()
    position["heroes"]["Hero1"]["hp"] = 0
    after = game.step(position, {"Hero2": "Heal"})
    assert after.effects[0] == {"effect": "no_target", "agent": "Hero2"}
    assert hit_points(after.position) == [0, 200]


def test_the_dead_can_do_nothing():
    game = raid()
    position = moments(game, fireball)[1][1]
    assert [game.legal(position, agent) for agent in ("Hero1", "Hero2")] == [[], []]
    with pytest.raises(GameError, match="Hero1 cannot 'Fireball'"):
        game.step(position, {"Hero1": "Fireball"})


def test_after_the_killing_blow_nothing_is_done_paid_or_struck():
    game = raid(boss_hp=100)
    after = game.step(game.start(), {"Hero1": "Taunt", "Hero2": "Fireball", "Hero3": "Fireball"})
    assert [e["effect"] for e in after.effects] == ["taunt", "damage", "too_late", "won"]
    assert after.rewards == {"Hero1": 0.5, "Hero2": 2, "Hero3": 0, "Hero4": 0}
    assert (after.pot, hit_points(after.position)) == (100, [400] * 4)


def test_the_team_earns_less_for_every_death_and_every_turn_before_the_last():
    game = raid(boss_hp=1000)
    position = game.start()
    for _ in range(2):
        position = game.step(position, {}).position  # two die, two turns are gone
    position["boss_hp"] = 1
    assert game.step(position, {"Hero4": "Fireball"}).pot == pytest.approx(100 * (1 - 0.5 - 0.2))


def test_when_time_is_up_the_raid_is_lost():
    record = played(raid(boss_hp=10**6), rotation(4))
    assert (len(record), record[-1]["pot"]) == (10, -100)


def test_an_odd_share_of_the_team_reward_is_a_whole_number_of_millionths():
    game = raid(heroes=7, boss_hp=1)
    position = game.start()
    position["heroes"]["Hero1"]["hp"] = 0
    pot = game.step(position, {"Hero2": "Fireball"}).pot
    assert pot == 85.714286
    assert (
        realised_total([{"turn": 1, "actions": {}, "rewards": {}, "pot": pot}]) * 10**6
    ) % 1 == 0


def test_contributions_are_read_from_the_record_alone():
    record = played(raid(seed=5, level=2), rotation(4))
    found = contributions(raid().agents, json.loads(json.dumps(record)))
    cast = {a: sum(t["actions"][a] == "Fireball" for t in record) for a in raid().agents}
    for agent, kinds in found.items():
        assert 100 * cast[agent] - 150 <= kinds["damage"] <= 150 * cast[agent]
        assert kinds["healing"] == 0
    # One taunt a turn, and that of the winning turn redirects nothing.
    assert sum(kinds["taunt"] for kinds in found.values()) == 300 * (len(record) - 1)


@pytest.mark.parametrize("dice", ["uniform", "gaussian"])
def test_dice_keep_to_their_range_and_centre(dice):
    rolls = [
        effect["amount"]
        for seed in range(60)
        for turn in played(raid(seed, dice=dice), fireball)
        for effect in effects(turn, "damage")
    ]
    assert min(rolls) >= 100
    assert max(rolls) <= 150
    assert sum(rolls) / len(rolls) == pytest.approx(125, abs=3)
    near = sum(115 <= roll <= 135 for roll in rolls) / len(rolls)
    assert (near > 0.5) == (dice == "gaussian")


@pytest.mark.parametrize(("heroes", "boss_hp"), [(10, 4000), (10, 8000), (100, 60000)])
def test_large_parties_fight_to_the_end(heroes, boss_hp):
    game = raid(heroes=heroes, boss_hp=boss_hp)
    record = played(game, rotation(heroes))
    assert effects(record[-1], "won") == [{"effect": "won", "dead": 0}]
    assert len(game.rules()) < 3000


def test_heroes_can_be_named_and_every_number_is_a_parameter():
    game = raid(agents=["Ann", "Ben", "Cid"], hero_hp=90, strike=50, targets=1, taunted_strike=20)
    assert hit_points(game.step(game.start(), {}).position) == [40, 90, 90]
    assert hit_points(game.step(game.start(), {"Cid": "Taunt"}).position) == [90, 90, 70]
    assert game.facts()["skills"]["Taunt"] == {"cooldown": 3, "redirects": 30}


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"level": 4}, "level"),
        ({"heroes": 1}, "heroes"),
        ({"heroes": 3, "agents": ["Ann", "Ben"]}, "2 agents are named, but heroes is 3"),
        ({"damage": [5, 3]}, "dice from 5 to 3"),
        ({"win_reward": float("inf")}, "win_reward"),
        ({"bosshp": 3}, "no parameter 'bosshp'"),
    ],
)
def test_wrong_numbers_are_refused_in_one_line(wrong, told):
    with pytest.raises(GameError, match=told) as refusal:
        raid(**wrong)
    assert "\n" not in str(refusal.value)
