"""Every game of the catalogue passes the battery; the catalogue finds games or says what is wrong.

The dice are drawn independently for every seed, turn and agent.
"""

import subprocess
import sys
from collections.abc import Callable
from itertools import product

import numpy as np
import pytest

from shapley_coop import games
from shapley_coop.games import GameError, load
from shapley_coop.games.dice import dice
from tests.brought import brought_by
from tests.games.battery import BATTERY
from tests.root import ROOT

MODULES = {path.stem for path in (ROOT / "games").glob("*.py")}


@pytest.mark.parametrize("check", BATTERY, ids=lambda check: check.__name__)
@pytest.mark.parametrize("name", games.names())
def test_every_game_passes_the_battery(name: str, check: Callable[[str], None]) -> None:
    check(name)


def test_the_catalogue_names_escape_room_and_summarises_each_game_in_a_line() -> None:
    assert "escape_room" in games.names()
    assert games.names() == sorted(games.names())
    assert all("\n" not in games.summary(name) for name in games.names())


def test_a_module_that_is_no_game_is_not_taken_for_one() -> None:
    assert {"game", "matrix", "dice"} <= MODULES - set(games.names())
    with pytest.raises(GameError, match=r"^no game 'matrix': there are .*escape_room"):
        load("matrix")


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("chess", "no game 'chess': there are "),
        ("", "no game '': there are "),
        ("no/such/file.yaml", "no file 'no/such/file.yaml': there are "),
        ("../games/escape_room", "no game '../games/escape_room'"),
        ("/tmp", "no game '/tmp'"),
        ("x\0y", "no game 'x"),
        ("x" * 5000, "no game 'xxx"),
    ],
)
def test_an_unknown_game_is_answered_with_the_known_ones(name: str, complaint: str) -> None:
    with pytest.raises(GameError) as refusal:
        load(name)
    assert str(refusal.value).startswith(complaint)
    assert "escape_room" in str(refusal.value)
    assert len(str(refusal.value)) < 1000


def test_a_game_can_be_given_as_its_content() -> None:
    table = games.catalogue.read("prisoners_dilemma")
    named, given = load("prisoners_dilemma"), load(table, {"rounds": 3})
    assert isinstance(table, dict)
    assert given.turns == 3
    assert given.facts()["payoffs"] == named.facts()["payoffs"]


# Escape Room


def test_escape_room_pays_what_the_paper_prints() -> None:
    game = load("escape_room")
    printed = {("door", "lever"): (10, -1), ("lever", "door"): (-1, 10)}
    for play in product(["door", "lever"], repeat=2):
        rewards = game.step(game.start(), dict(zip(game.agents, play, strict=True))).rewards
        assert tuple(rewards.values()) == printed.get(play, (-1, -1))


@pytest.mark.parametrize(("agents", "levers"), [(3, 1), (3, 2), (4, 2)])
def test_whoever_stands_at_the_open_door_escapes(agents: int, levers: int) -> None:
    names = [f"A{n}" for n in range(agents)]
    game = load("escape_room", {"agents": names, "levers": levers, "prize": 7, "cost": 2})
    for play in product(["door", "lever"], repeat=agents):
        after = game.step(game.start(), dict(zip(names, play, strict=True)))
        opened = play.count("lever") >= levers
        out = [a for a, x in zip(names, play, strict=True) if opened and x == "door"]
        assert after.rewards == {a: 7 if a in out else -2 for a in names}
        assert after.effects == ([{"effect": "escaped", "agents": out}] if out else [])


def test_silence_in_the_escape_room_is_no_action_and_pays_nobody() -> None:
    game = load("escape_room")
    after = game.step(game.start(), {"Alice": "door"})
    assert after.rewards == {"Alice": -1, "Bob": -1}
    assert after.effects == [{"effect": "idle", "agent": "Bob"}]


@pytest.mark.parametrize(
    ("params", "complaint"),
    [
        ({"door": "lever"}, "give them different names"),
        ({"levers": 2}, "leave nobody at the door"),
        ({"levers": 0}, "levers"),
        ({"prize": "much"}, "prize"),
        ({"prize": float("nan")}, "finite"),
        ({"prize": 1e300}, "at most 1000000000"),
        ({"door": ""}, "could not name ''"),
        ({"door": "<s>"}, "could not name '<s>'"),
        ({"agents": 40, "levers": 40}, "leave nobody at the door"),
        pytest.param(
            {"agents": 40, "door": "<s>"}, "could not name '<s>'", marks=brought_by("many")
        ),
        pytest.param(
            {"agents": 40, "prize": 1e300}, "at most 1000000000", marks=brought_by("many")
        ),
        ({"agents": 1001}, "give 2 to 1000"),
        ({"agents": ["Ann", "everyone"]}, "choose other names"),
        ({"agents": ["Ann", "B\u200bn"]}, "not a valid agent name"),
    ],
)
def test_a_room_that_cannot_be_is_refused_in_one_line(params: dict, complaint: str) -> None:
    with pytest.raises(GameError, match=r"^escape_room") as refusal:
        load("escape_room", params)
    assert complaint in str(refusal.value)
    assert "\n" not in str(refusal.value)


# Dice


def test_dice_are_the_same_in_another_process() -> None:
    drawn = "dice(3, 2, 'Ann').integers(10**9, size=4).tolist()"
    code = f"from shapley_coop.games.dice import dice; print({drawn})"
    run = [sys.executable, "-c", code]
    elsewhere = subprocess.run(run, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert elsewhere.strip() == str(dice(3, 2, "Ann").integers(10**9, size=4).tolist())


def test_every_seed_turn_and_agent_has_its_own_dice() -> None:
    keys = list(product((0, 1), (1, 2, 12), ("", "Ann", "Ben")))
    draws = [tuple(dice(*key).integers(10**9, size=3)) for key in keys]
    assert len(set(draws)) == len(keys)


def test_what_one_agent_draws_never_shifts_what_another_draws() -> None:
    ben = dice(5, 1, "Ben").random(8)
    dice(5, 1, "Ann").random(1000)
    assert np.array_equal(dice(5, 1, "Ben").random(8), ben)
