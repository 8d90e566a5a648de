"""Worlds, seats and suites of one's own: new files, installed plug-ins, PettingZoo, real models."""

import json
import sys
from collections.abc import Iterator
from importlib import invalidate_caches
from pathlib import Path

import pytest

from shapley_coop import extension
from shapley_coop.games import load, names
from tests.brought import brought_by
from tests.coop_command import USAGE, Coop, coop_in, one_line, valid
from tests.embedded_reply import reply
from tests.stub_openai import StubOpenAI

SEATS = """\
from shapley_coop.seats.embedded import EmbeddedChatModel

def model(seat, *, agent, seed):
    return EmbeddedChatModel(character=seat.name, agent=agent, seed=seed)

def broken(seat, *, agent, seed):
    return 7
"""
EXTENSION = """\
from shapley_coop.extension import Extension

EXTENSION = Extension(
    name="hamlet",
    about="A hamlet.",
    games={
        "hamlet": "hamlet_pack.worlds:GAME",
        "ghost": "hamlet_pack.nowhere:GAME",
        "number": "hamlet_pack.seats:SEATS",
        "village": "hamlet_pack.worlds:GAME",
    },
    seats={"hamlet": "hamlet_pack.seats:model"},
    suites={"hamlets": "hamlet_pack"},
)
"""
ENTRIES = "[shapley_coop.extensions]\nhamlet = hamlet_pack:EXTENSION\nlost = nowhere:EXTENSION\n"


@pytest.fixture
def pack(coop: Coop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """An installed package that brings games, of which two are broken, a seat and a suite."""
    site = tmp_path / "site"
    folder, info = site / "hamlet_pack", site / "hamlet_pack-1.0.dist-info"
    for each in (folder, info):
        each.mkdir(parents=True)
    assert coop("new", "game", "hamlet", "-o", str(folder / "worlds.py")).code == 0
    (folder / "__init__.py").write_text(EXTENSION, encoding="utf-8")
    (folder / "seats.py").write_text(SEATS + "SEATS = 7\n", encoding="utf-8")
    suite = "name: hamlets\nbase: {game: hamlet, graph: llm_only}\nseeds: [1]\n"
    (folder / "hamlets.yaml").write_text(suite, encoding="utf-8")
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: hamlet-pack\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(ENTRIES, encoding="utf-8")
    monkeypatch.syspath_prepend(str(site))
    invalidate_caches()
    extension._find_all.cache_clear()
    yield
    extension._find_all.cache_clear()
    for name in [name for name in sys.modules if name.startswith("hamlet_pack")]:
        del sys.modules[name]


def test_a_new_game_plays_and_verifies(coop: Coop) -> None:
    ended = coop("new", "game", "common_store")
    assert (ended.code, ended.out) == (0, "common_store.py\n")
    outcome = valid(coop("run", "common_store.py", "--name", "r", "--json").result)
    assert outcome["status"] in ("agreed", "no_deal")
    assert len(outcome["happened"]["acted"]) == 3
    assert outcome["game"] == "common_store"
    assert coop("verify", "r").code == 0
    assert "exists already" in one_line(coop("new", "game", "common_store"), USAGE)
    assert "exists already" in one_line(coop("new", "game", "escape_room"), USAGE)
    for name in ("Tug", "2tug", "class", "a/b"):
        assert "cannot name a game" in one_line(coop("new", "game", name), USAGE)


def test_installed_packages_bring_games_seats_and_suites(coop: Coop, pack: None) -> None:
    assert "hamlet" in names()
    options = ("--model", "hamlet:greedy", "--graph", "llm_only", "--name", "r")
    outcome = valid(coop("run", "hamlet", *options, "--json").result)
    assert outcome["game"] == "hamlet"
    assert outcome["seats"]["Ann"] == "hamlet:greedy"
    assert coop("verify", "r").code == 0
    assert coop("sweep", "hamlets", "-o", "runs").code == 0


def test_a_broken_plug_in_breaks_nothing_else(coop: Coop, pack: None) -> None:
    listed = coop("list", "--json").result["games"]
    assert listed["ghost"].startswith("cannot be played: ghost of hamlet")
    assert "no subclass" in listed["number"]
    assert "Hamlet has the name 'hamlet': give it the name 'village'" in listed["village"]
    assert listed["escape_room"] == load("escape_room").summary()
    told = one_line(coop("run", "ghost"), USAGE)
    assert "ModuleNotFoundError" in told


PONG = """\
from pettingzoo.classic import rps_v2

def parallel_env(**settings):
    return rps_v2.parallel_env(**settings)
"""


@brought_by("pettingzoo")
def test_an_environment_of_ones_own_plays_from_the_folder_one_stands_in(
    coop: Coop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", list(sys.path))
    Path("my_rps.py").write_text(PONG, encoding="utf-8")
    options = ("--graph", "llm_only", "--set", "max_cycles=3", "--json")
    outcome = valid(coop("run", "pettingzoo:my_rps:parallel_env", *options).result)
    assert outcome["turns_played"] == 3
    assert outcome["run"].startswith("my_rps-")


@pytest.mark.parametrize(
    ("factory", "told"),
    [
        ("pettingzoo.classic.rps:parallel_env", "give pettingzoo.classic.rps_v2:parallel_env"),
        ("pettingzoo.classic.rps_v2", "a factory is missing after the module"),
        ("pettingzoo.classic.rps_v2:nothing", "rps_v2 has no 'nothing'"),
    ],
)
@brought_by("pettingzoo")
def test_a_wrong_environment_is_told_what_to_write(coop: Coop, factory: str, told: str) -> None:
    assert told in one_line(coop("run", f"pettingzoo:{factory}"), USAGE)


# A first real model


def test_a_server_on_this_machine_needs_no_key(coop: Coop) -> None:
    with StubOpenAI(reply) as stub:
        options = ("--graph", "llm_only", "--model", "openai:Alice", "--base-url", stub.base_url)
        assert valid(coop("run", "escape_room", *options, "--json").result)["turns_played"] == 1
    away = ("--model", "openai:x", "--base-url", "http://models.example/v1")
    assert "needs OPENAI_API_KEY" in one_line(coop("run", "escape_room", *away), 3)


CALLABLE = """
from itertools import product
from shapley_coop.games import Game, Params, Step


def tug(prize=3):
    cells = product(["pull", "wait"], repeat=2)
    pays = {("pull", "pull"): [0, 0], ("wait", "wait"): [1, 1]}
    table = [
        {"play": list(c), "pays": pays.get(c, [prize, -1] if c[0] == "pull" else [-1, prize])}
        for c in cells
    ]
    acts = {a: ["pull", "wait"] for a in ("Ann", "Ben")}
    return {"name": "tug", "agents": ["Ann", "Ben"], "actions": acts, "payoffs": table}


def half():
    class Half(Game):
        name = "half"
    return Half


def number():
    return 7
"""


def test_a_callable_makes_a_game(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "path", [*sys.path])
    coop = coop_in(tmp_path, monkeypatch, capsys)
    (tmp_path / "games_of_a_test.py").write_text(CALLABLE, encoding="utf-8")
    ran = coop("run", "python:games_of_a_test:tug", "-g", "negotiation_priced", "--json")
    assert ran.result["game"] == "tug"
    assert coop("verify", ran.result["run"]).code == 0
    for name, told in (
        ("half", "Half lacks facts, legal, over, rules, start, step: define each"),
        ("number", "gave a int: return a subclass of Game, or a payoff table"),
        ("nothing", "cannot be built: AttributeError"),
    ):
        assert told in one_line(coop("run", f"python:games_of_a_test:{name}"), USAGE)
    suite = tmp_path / "s.yaml"
    suite.write_text(json.dumps({"name": "s", "base": {"game": "python:games_of_a_test:tug"}}))
    assert "coop --trust-programs" in one_line(coop("sweep", str(suite)), USAGE)
    sys.modules.pop("games_of_a_test")
