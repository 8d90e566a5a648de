"""Seats of ours, and policies that others trained, act in environments of others."""

import os
import sys
import types

import numpy as np
import pytest

from shapley_coop.evals.verifying import verify_run
from shapley_coop.extensions.pettingzoo.policies import Policy
from shapley_coop.games import load
from shapley_coop.graphs.running import play as run
from shapley_coop.permissions import permit_program
from shapley_coop.seats.seat import Seat, SeatError
from shapley_coop.state.run_config import RunConfig

os.environ.setdefault("SDL_VIDEODRIVER", "dummy")
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


FAST = ("mpe2.simple_tag_v3:parallel_env", "pettingzoo.classic.tictactoe_v3:env")
"""One where all act at once, and one where they take turns."""


@pytest.mark.parametrize(
    "name",
    [pytest.param(x, marks=[] if x in FAST else pytest.mark.slow) for x in ENVIRONMENTS],
)
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
