"""Games of ours are environments of PettingZoo's, and behave there as they do here."""

import warnings

import pytest
from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test
from pettingzoo.utils.conversions import parallel_to_aec

from extensions.pettingzoo.tests.foreign_environments import HARVEST, install
from shapley_coop.extensions.pettingzoo.export import as_parallel_env
from shapley_coop.games import GameError, load, names


@pytest.fixture(autouse=True)
def theirs(monkeypatch):
    install(monkeypatch)


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
