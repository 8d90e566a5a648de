"""Environments of others are played here, and what cannot be played is refused."""

import json

import pytest

from extensions.pettingzoo.tests.foreign_environments import HARVEST, install
from shapley_coop.games import GameError, load

RPS = "pettingzoo:pettingzoo.classic.rps_v2:parallel_env"


@pytest.fixture(autouse=True)
def theirs(monkeypatch):
    install(monkeypatch)


def play(game, choose):
    position, turns = game.start(), []
    while not game.over(position):
        actions = {a: choose(game.legal(position, a)) for a in game.agents}
        actions = {a: action for a, action in actions.items() if action}
        after = game.step(position, actions)
        turns.append((actions, after))
        position = after.position
    return turns


def test_rock_paper_scissors_that_is_not_ours_plays():
    game = load(RPS, {"max_cycles": 4, "actions": ["rock", "paper", "scissors"]}, seed=3)
    position = game.start()
    assert game.agents == ("player_0", "player_1")
    after = game.step(position, {"player_0": "rock", "player_1": "scissors"})
    assert after.rewards == {"player_0": 1, "player_1": -1}
    assert game.view(after.position, "player_0") == {"turn": 2, "observation": 2}
    assert game.view(after.position, "player_1") == {"turn": 2, "observation": 0}
    assert len(play(game, lambda legal: legal[0])) == game.turns == 4
    assert "rock beats" in game.rules()


def test_a_matrix_game_in_disguise_shows_its_payoffs_and_says_how_they_were_found():
    facts = load(RPS, {"max_cycles": 4}).facts()
    assert len(facts["payoffs"]) == 9
    assert all(sum(cell["pays"].values()) == 0 for cell in facts["payoffs"])
    assert "other seeds" in facts["payoffs_found_by"]
    assert facts["turns"] == 4


def test_an_environment_with_a_state_is_not_taken_for_a_matrix():
    facts = load(HARVEST).facts()
    assert "payoffs" not in facts
    assert facts["actions"]["left"] == ["1", "2", "3"]


def test_whatever_it_shows_becomes_json_that_a_letter_can_hold():
    game = load(HARVEST, {"heap": 9})
    view = game.view(game.start(), "left")
    assert json.loads(json.dumps(view, allow_nan=False)) == view
    assert view == {"turn": 1, "observation": [9.0, 9.0], "infos": {"mood": "nan"}}


def test_a_position_is_restored_by_playing_its_actions_again_from_the_seed():
    game = load(HARVEST, {"heap": 30}, seed=11)
    played = play(game, lambda legal: legal[-1])
    middle = json.loads(json.dumps(played[3][1].position))
    fresh = load(HARVEST, {"heap": 30}, seed=11)
    for again in (game, fresh):
        assert again.view(middle, "left") == game.view(played[3][1].position, "left")
        actions, after = played[4]
        assert again.step(middle, actions) == after
    other = load(HARVEST, {"heap": 30}, seed=12)
    assert [s.rewards for _, s in play(other, lambda legal: legal[-1])] != [
        s.rewards for _, s in played
    ]


def test_two_runs_of_one_environment_do_not_disturb_each_other():
    game = load(HARVEST, {"heap": 30}, seed=5)
    one = [after for _, after in play(game, lambda legal: legal[0])]
    a = b = game.start()
    for n in range(3):
        first = game.step(a, dict.fromkeys(game.agents, "1"))
        second = game.step(b, dict.fromkeys(game.agents, "3"))
        assert first == one[n]
        assert {r * 3 for r in first.rewards.values()} == set(second.rewards.values())
        a, b = first.position, second.position


def test_an_agent_that_does_nothing_ends_the_play_and_nothing_is_put_in_its_place():
    game = load(HARVEST)
    after = game.step(game.start(), {"left": "2"})
    assert game.over(after.position)
    assert set(after.rewards.values()) == {0}
    assert {"effect": "idle", "agent": "right"} in after.effects


def test_an_action_mask_says_what_is_legal():
    game = load("pettingzoo:theirs:masked")
    assert game.legal(game.start(), "left") == ["1", "3"]
    with pytest.raises(GameError, match="only 1, 3"):
        game.step(game.start(), {"left": "2", "right": "1"})
    assert "payoffs" not in game.facts()


def test_of_an_environment_in_turns_only_the_agent_whose_turn_it_is_can_act():
    game = load("pettingzoo:theirs:in_turn")
    played = play(game, lambda legal: legal[-1] if legal else None)
    assert [list(actions) for actions, _ in played] == [["a"], ["b"], ["c"]] * 2
    assert played[-1][1].rewards == {"a": 0, "b": 0, "c": 1}
    middle = json.loads(json.dumps(played[2][1].position))
    again = load("pettingzoo:theirs:in_turn").step(middle, {"a": "1"})
    assert again == played[3][1]
    with pytest.raises(GameError, match="b cannot '1'"):
        game.step(middle, {"b": "1"})


def test_an_environment_that_was_made_for_turns_from_one_at_once_is_played_at_once():
    at_once, plain = load("pettingzoo:theirs:at_once", seed=4), load(HARVEST, seed=4)
    one, other = (play(game, lambda legal: legal[0]) for game in (at_once, plain))
    assert [after.rewards for _, after in one] == [after.rewards for _, after in other]


@pytest.mark.parametrize(
    ("name", "params", "reason"),
    [
        ("theirs:boxed", {}, "only Discrete actions"),
        ("theirs:multi", {}, "only Discrete actions"),
        ("theirs:other", {}, "not a ParallelEnv or AECEnv"),
        ("theirs:broken", {}, "ZeroDivisionError"),
        ("theirs:nowhere", {}, "has no 'nowhere'"),
        ("no_such_package:env", {}, "no module named"),
        ("pettingzoo.classic.tictactoe:env", {}, "give pettingzoo.classic.tictactoe_v3:env$"),
        ("pettingzoo.classic.leduc_holdem:env", {}, "give pettingzoo.classic.leduc_holdem_v4:env$"),
        ("pettingzoo.classic.rps:env", {}, "give pettingzoo.classic.rps_v2:parallel_env$"),
        ("theirs", {}, "package.module:factory"),
        ("os:system", {"command": "false"}, "not a factory in a module"),
        ("theirs:harvest", {"agents": ["A", "B", "C"]}, "it has 2 agents"),
        ("theirs:harvest", {"agents": ["A", "pot"]}, "accounts of the ledger"),
        ("theirs:harvest", {"actions": ["a", "b"]}, "has 3 actions"),
    ],
)
def test_what_cannot_be_played_is_refused_in_one_line(name, params, reason):
    with pytest.raises(GameError, match=reason) as refusal:
        load(f"pettingzoo:{name}", params)
    assert "\n" not in str(refusal.value)


def test_a_reward_that_is_no_number_stops_the_game():
    game = load("pettingzoo:theirs:priceless")
    with pytest.raises(GameError, match="not finite"):
        game.step(game.start(), dict.fromkeys(game.agents, "1"))


def test_agents_and_actions_can_be_given_names():
    game = load(HARVEST, {"agents": ["Ann", "Ben"], "actions": ["a", "b", "c"]})
    after = game.step(game.start(), {"Ann": "c", "Ben": "a"})
    assert after.rewards["Ann"] == 3 * after.rewards["Ben"]


def test_credit_of_an_unknown_environment_is_what_each_earned():
    game = load(HARVEST)
    record = [{"turn": 1, "actions": {}, "rewards": {"left": 4, "right": 0.5}}]
    assert game.analysis.worth(record, frozenset(["left"])) == 4
    assert game.analysis.worth(record, frozenset(game.agents)) == 4.5
    assert game.analysis.worth(record, frozenset()) == 0
