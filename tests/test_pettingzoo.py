"""Environments of others played here, and games of ours played elsewhere."""

import doctest
import json
import os
import sys
import types
import warnings
from typing import ClassVar

import numpy as np
import pytest
from gymnasium.spaces import Box, Discrete, MultiDiscrete
from pettingzoo import AECEnv, ParallelEnv
from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test
from pettingzoo.utils.conversions import parallel_to_aec

from shapley_coop.evals.verifying import verify_run
from shapley_coop.games import GameError, load, names
from shapley_coop.games.pettingzoo.export import as_parallel_env
from shapley_coop.graphs.running import play as run
from shapley_coop.permissions import permit_program
from shapley_coop.seats import Seat, SeatError, policies
from shapley_coop.seats.policies import Policy
from shapley_coop.state import RunConfig

os.environ.setdefault("SDL_VIDEODRIVER", "dummy")
HARVEST = "pettingzoo:theirs:harvest"
RPS = "pettingzoo:pettingzoo.classic.rps_v2:parallel_env"


class Harvest(ParallelEnv):
    """Two pick from a heap that shrinks by dice; who picks last leaves. Not a matrix game."""

    metadata: ClassVar = {"name": "harvest"}

    def __init__(self, heap=6, space=None, reward=1.0, mask=False):
        self.possible_agents = ["left", "right"]
        self.heap, self.size, self.reward, self.mask = heap, heap, reward, mask
        self._space = space or Discrete(3, start=1)
        self._seen = Box(0, 99, (2,), np.float32)

    def action_space(self, agent):
        return self._space

    def observation_space(self, agent):
        return self._seen

    def reset(self, seed=None, options=None):
        self.agents, self.heap = list(self.possible_agents), self.size
        self.rng = np.random.default_rng(seed)
        return self._observe(), {a: {"mood": float("nan")} for a in self.agents}

    def step(self, actions):
        self.heap -= int(self.rng.integers(1, 3)) + len(actions)
        over = self.heap <= 0
        rewards = {a: self.reward * k * self.heap for a, k in actions.items()}
        told = dict.fromkeys(self.agents, over)
        seen, infos = self._observe(), {a: {} for a in self.agents}
        if over:
            self.agents = []
        return seen, rewards, told, dict.fromkeys(told, False), infos

    def _observe(self):
        seen = np.array([self.heap, self.size], np.float32)
        if self.mask:
            return {a: {"observation": seen, "action_mask": [1, 0, 1]} for a in self.agents}
        return dict.fromkeys(self.agents, seen)


class NoParallel:
    """Has nothing to do with it."""


class InTurn(AECEnv):
    """Three count up in turn, without masks; whoever says the sixth number has won."""

    metadata: ClassVar = {"name": "in_turn", "is_parallelizable": False}
    render_mode = None

    def __init__(self):
        super().__init__()
        self.possible_agents = ["a", "b", "c"]

    def action_space(self, agent):
        return Discrete(2)

    def observation_space(self, agent):
        return Discrete(10)

    def observe(self, agent):
        return self.said

    def reset(self, seed=None, options=None):
        self.agents, self.said = list(self.possible_agents), 0
        self.rewards = dict.fromkeys(self.agents, 0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: {} for agent in self.agents}
        self.agent_selection = "a"

    def step(self, action):
        if self.terminations[self.agent_selection]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[self.agent_selection] = 0
        self.said += action
        won = self.said >= 6
        self.rewards = {a: int(won and a == self.agent_selection) for a in self.agents}
        self.terminations = dict.fromkeys(self.agents, won)
        at = self.possible_agents.index(self.agent_selection)
        self.agent_selection = self.possible_agents[(at + 1) % 3]
        self._accumulate_rewards()


@pytest.fixture(autouse=True)
def theirs(monkeypatch):
    """A package that is not ours, with environments in it."""
    module = types.ModuleType("theirs")
    module.ParallelEnv = ParallelEnv
    module.harvest = Harvest
    module.boxed = lambda: Harvest(space=Box(0, 1, (1,)))
    module.multi = lambda: Harvest(space=MultiDiscrete([2, 2]))
    module.priceless = lambda: Harvest(reward=float("nan"))
    module.masked = lambda: Harvest(mask=True)
    module.broken = lambda: 1 / 0
    module.other = NoParallel
    module.in_turn = InTurn
    module.at_once = lambda: parallel_to_aec(Harvest())
    monkeypatch.setitem(sys.modules, "theirs", module)


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
    with pytest.raises(GameError, match="legal are 1, 3"):
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


ENVIRONMENTS = {
    "mpe2.simple_spread_v3:parallel_env": 3,
    "mpe2.simple_tag_v3:parallel_env": 4,
    "mpe2.simple_adversary_v3:parallel_env": 3,
    "mpe2.simple_speaker_listener_v4:parallel_env": 2,
    "pettingzoo.butterfly.knights_archers_zombies_v11:parallel_env": 4,
    "pettingzoo.sisl.pursuit_v5:parallel_env": 8,
    "pettingzoo.classic.tictactoe_v3:env": 2,
    "pettingzoo.classic.connect_four_v3:env": 2,
}
"""Environment → how many agents it has."""


@pytest.mark.parametrize("name", ENVIRONMENTS)
async def test_default_seats_act_in_environments_of_others(name):
    pytest.importorskip(name.partition(".")[0], reason="an optional package of environments")
    room = RunConfig(game=f"pettingzoo:{name}", params={"rounds": 4}, seed=1)
    outcome = await run("shapley_coop", room)
    turns = 4 * ENVIRONMENTS[name] if name.endswith("parallel_env") else 4
    assert sum(outcome["acted"].values()) == turns
    assert outcome["turns_played"] == 4


async def test_default_seats_play_leduc_holdem_to_its_end_and_see_their_own_cards():
    pytest.importorskip("rlcard", reason="an optional package of environments")
    name = "pettingzoo:pettingzoo.classic.leduc_holdem_v4:env"
    for seed in range(3):
        outcome = await run("llm_only", RunConfig(game=name, seed=seed))
        assert sum(outcome["payoffs"].values()) == 0
        assert any(outcome["payoffs"].values()), "somebody has won the pot"
        assert all(check.sound for check in await verify_run(outcome["run"]))
    game = load(name, seed=1)
    mine, other = (game.view(game.start(), agent)["observation"] for agent in game.agents)
    assert mine["observation"] != other["observation"]
    assert "one after the other" in game.rules()


def winning(observation, mask):
    """A policy for tic-tac-toe: the move that wins, else one that keeps the other from it."""
    assert observation.shape == (3, 3, 2)
    own, others = (observation[:, :, i].flatten() for i in (0, 1))
    lines = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]
    for whose in (own, others):
        for line in lines:
            (free,) = [k for k in line if mask[k]][:1] or [None]
            if free is not None and sum(whose[k] for k in line) == 2:
                return free
    return np.flatnonzero(mask)[0]


async def test_a_policy_takes_a_seat_in_an_environment_of_others(monkeypatch):
    bots = types.ModuleType("bots_for_boards")
    bots.winner = Policy(winning)
    bots.lost = Policy(lambda observation, mask: 9)
    monkeypatch.setitem(sys.modules, "bots_for_boards", bots)
    monkeypatch.setattr("shapley_coop.permissions._programs", set())
    game, ended = "pettingzoo:pettingzoo.classic.tictactoe_v3:env", []
    for name in ("winner", "lost"):
        permit_program(seat := f"python:bots_for_boards:{name}")
        config = RunConfig.model_validate({"game": game, "seats": {"*": "embedded:rational"}})
        seats = {**config.seats, "player_1": Seat(model=seat)}
        playing = run("llm_only", config.model_copy(update={"seats": seats}))
        if name == "lost":
            with pytest.raises(SeatError, match=r"raised ValueError in policies\.py"):
                await playing
        else:
            ended.append((await playing)["payoffs"])
    assert ended == [{"player_1": 1, "player_2": -1}]


@pytest.mark.parametrize(
    ("name", "params", "reason"),
    [
        ("theirs:boxed", {}, "only Discrete actions"),
        ("theirs:multi", {}, "only Discrete actions"),
        ("theirs:other", {}, "no ParallelEnv and no AECEnv"),
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
    assert game.worth(record, frozenset(["left"])) == 4
    assert game.worth(record, frozenset(game.agents)) == 4.5
    assert game.worth(record, frozenset()) == 0


@pytest.mark.parametrize("name", names())
def test_every_game_of_ours_is_a_parallel_env(name):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # A mask needs a dict beside the vector; our agents have people's names, and not all of
        # them the same number of actions.
        warnings.filterwarnings("ignore", "Agents have different (observation|action) space sizes")
        warnings.filterwarnings("ignore", "Observation (is not a NumPy array|space for each agent)")
        warnings.filterwarnings("ignore", "We recommend agents to be named")
        parallel_api_test(as_parallel_env(load(name)), num_cycles=40)
        parallel_seed_test(lambda: as_parallel_env(load(name)), num_cycles=20)
        api_test(parallel_to_aec(as_parallel_env(load(name))), num_cycles=40)


def test_an_imported_environment_is_exported_again():
    env = as_parallel_env(load(HARVEST, {"heap": 12}))
    parallel_api_test(env, num_cycles=20)
    assert env.action_space("left") is env.action_space("left")
    assert env.observation_space("left") is env.observation_space("left")


def test_a_game_behaves_the_same_inside_and_outside():
    game = load("cash_grab", {"rounds": 4})
    env = as_parallel_env(game)
    observations, infos = env.reset(seed=1)
    assert infos["Alice"] == {"position": {"turn": 1}, "legal": ["wait", "take"]}
    assert list(observations["Alice"]["observation"]) == [-1, -1, -1, 1]
    observations, rewards, *_ = env.step({"Alice": 1, "Bob": 1, "Carol": 0})
    assert rewards == {"Alice": 2, "Bob": 2, "Carol": 0}
    assert list(observations["Carol"]["observation"]) == [1, 1, 0, 2]
    for _ in range(3):
        told = env.step(dict.fromkeys(env.agents, 0))
    assert all(told[2].values())
    assert env.agents == []


def test_an_action_that_is_not_open_counts_for_nothing():
    env = as_parallel_env(load("raid_battle"))
    env.reset(seed=2)
    first, *others = env.agents
    taunt = env.game.actions[first].index("Taunt")
    observations, *_ = env.step({first: taunt, **dict.fromkeys(others, 0)})
    assert not observations[first]["action_mask"][taunt]
    before = env._position["boss_hp"]
    *_, infos = env.step(dict.fromkeys([first], taunt) | dict.fromkeys(others, 0))
    assert env.game.start()["boss_hp"] > before > infos[first]["position"]["boss_hp"]


def test_an_index_that_is_no_action_is_refused():
    env = as_parallel_env(load("cash_grab"))
    env.reset()
    with pytest.raises(GameError, match="no action 2"):
        env.step({"Alice": 2, "Bob": 0, "Carol": 0})


def test_the_example_of_a_policy_holds():
    assert doctest.testmod(policies).failed == 0
