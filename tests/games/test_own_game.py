"""A game of one's own, by the path of its file: played, verified, refused with a reason."""

import json
import re
from pathlib import Path

import pytest

from shapley_coop.cli.playing.new_game import new_game
from shapley_coop.games import GameError, foresight_of, load
from shapley_coop.graphs.preparing import prepare
from shapley_coop.graphs.running import play
from shapley_coop.state.run_config import RunConfig
from shapley_coop.state.settings import config_of, game_of
from tests.coop_command import FAILED, USAGE, Coop, one_line, valid
from tests.stub_openai import StubOpenAI

ORCHARD = new_game("orchard")


@pytest.fixture
def orchard(tmp_path: Path) -> Path:
    path = tmp_path / "orchard.py"
    path.write_text(ORCHARD, encoding="utf-8")
    return path


def broken(path: Path, old: str, new: str) -> Path:
    assert old in ORCHARD
    path.write_text(ORCHARD.replace(old, new), encoding="utf-8")
    return path


@pytest.mark.parametrize("name", ["rational", "free_rider", "tit_for_tat", "contract_breaker"])
async def test_default_seats_and_every_kind_of_character_act_in_it(
    orchard: Path, name: str
) -> None:
    room = RunConfig(game=str(orchard), seed=1, seats={"*": f"embedded:{name}"})
    outcome = await play("shapley_coop", room)
    assert outcome["game"] == "orchard"
    assert outcome["turns_played"] > 1
    assert outcome["acted"] == dict.fromkeys(("Ann", "Ben", "Cyd"), outcome["turns_played"])
    assert sum(outcome["payoffs"].values()) == outcome["credit"]["worth_of_all"] > 0


@pytest.mark.parametrize("graph", ["llm_only", "negotiation", "short_term", "contracts"])
async def test_every_workflow_plays_it(orchard: Path, graph: str) -> None:
    outcome = await play(graph, RunConfig(game=str(orchard), seed=2))
    assert set(outcome["acted"].values()) == {outcome["turns_played"]} != {0}


async def test_the_run_stores_the_absolute_path_and_finds_its_game_from_any_folder(
    orchard: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(orchard.parent)
    run = prepare("llm_only", RunConfig(game="orchard.py", seed=1))
    assert re.fullmatch(r"orchard-[0-9a-f]{8}", run.run)
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert config_of(run.room).game == str(orchard)
    assert game_of(run.room).agents == ("Ann", "Ben", "Cyd")


def test_a_file_that_has_changed_is_run_again(orchard: Path) -> None:
    assert load(str(orchard)).start()["store"] == 12
    broken(orchard, "store: int = 12", "store: int = 20")
    assert load(str(orchard)).start()["store"] == 20


@pytest.mark.parametrize("name", ["_", "_1", "none", "step", "field", "Orchard", "a b"])
def test_a_name_that_makes_no_class_is_refused_before_anything_is_written(
    coop: Coop, tmp_path: Path, name: str
) -> None:
    assert "cannot name a game" in one_line(coop("new", "game", name), USAGE)
    assert list(tmp_path.iterdir()) == []


def test_it_takes_a_number_of_agents_and_refuses_a_play_without_turns(orchard: Path) -> None:
    assert load(str(orchard), {"agents": 4}).agents == ("Agent1", "Agent2", "Agent3", "Agent4")
    for wrong in ({"rounds": 0}, {"agents": ["Ann"]}):
        with pytest.raises(GameError, match="|".join(wrong)):
            load(str(orchard), wrong)


def test_its_facts_name_it_and_its_plays_need_no_dice(orchard: Path) -> None:
    game = load(str(orchard))
    assert game.facts()["game"] == "orchard"
    assert not game.rolls_dice


def test_its_own_foresight_serves_embedded_agents(orchard: Path) -> None:
    dice = "    rolls_dice = False"
    broken(orchard, dice, f"    foresight = type('Sight', (), {{}})\n{dice}")
    game = load(str(orchard))
    assert foresight_of(game.facts()) is type(game).foresight is not None


@pytest.mark.parametrize("end", ["GAME=Orchard", "GAME: type[Game] = Orchard"])
def test_a_game_is_named_in_any_spelling(orchard: Path, end: str) -> None:
    broken(orchard, "GAME = Orchard", end)
    assert load(str(orchard)).name == "orchard"


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("GAME = Orchard", "NO_GAME = Orchard", "defines no game: end it with GAME = YourGame"),
        ("GAME = Orchard", "GAME = 7", "GAME is not a subclass"),
        ("GAME = Orchard", "GAME = Orchid", "NameError"),
        ("def over(", "def is_over(", "Orchard lacks over: define each"),
        ("store: int = 12", "store: int == = 12", "SyntaxError"),
        ('        return {"turn": 1', '        raise 1\n        return {"turn": 1', ""),
    ],
)
def test_a_file_that_defines_no_game_is_refused_in_one_line(
    orchard: Path, old: str, new: str, reason: str
) -> None:
    broken(orchard, old, new)
    if not reason:
        assert load(str(orchard)).agents, "what fails in a method fails when it is called"
        return
    with pytest.raises(GameError, match=reason) as refusal:
        load(str(orchard))
    assert "\n" not in str(refusal.value)
    assert "orchard.py" in str(refusal.value)


def test_a_program_that_defines_no_game_is_never_run(tmp_path: Path) -> None:
    path, trace = tmp_path / "other.py", tmp_path / "trace"
    path.write_text(f"open({str(trace)!r}, 'w').close()\n", encoding="utf-8")
    with pytest.raises(GameError, match="defines no game"):
        load(str(path))
    assert not trace.exists()


def test_the_command_line_plays_and_verifies_it(coop: Coop, orchard: Path) -> None:
    outcome = valid(coop("run", "orchard.py", "--name", "picked", "--json").result)
    assert outcome["game"] == "orchard"
    assert set(outcome["acted"].values()) == {outcome["turns_played"]} != {0}
    assert coop("verify", "picked").code == 0


def test_a_run_in_which_no_agent_acted_says_so_first_and_ends_with_code_1(
    coop: Coop, orchard: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-canary")
    with StubOpenAI(lambda messages, request: "I have nothing to say.") as stub:
        seats = ("--model", "openai:mute", "--base-url", stub.base_url)
        given = ("run", "orchard.py", "--graph", "llm_only", *seats, "--set", "rounds=2")
        told = coop(*given, "--name", "quiet")
        printed = coop(*given, "--json")
    report = told.out[told.out.rindex("turn 2") :].partition("\n")[2].strip()
    assert report.startswith("No agent acted in 2 turns.")
    assert told.code == printed.code == FAILED
    assert json.loads(printed.out)["acted"] == dict.fromkeys(("Ann", "Ben", "Cyd"), 0)


def test_a_run_in_which_one_agent_acted_ends_well(
    coop: Coop, orchard: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-canary")
    with StubOpenAI(lambda messages, request: "I have nothing to say.") as stub:
        seats = ("--model", "openai:mute", "--agent", "Ann=embedded:rational")
        given = ("--graph", "llm_only", *seats, "--base-url", stub.base_url)
        outcome = coop("run", "orchard.py", *given, "--set", "rounds=2", "--json").result
    assert outcome["acted"] == {"Ann": 2, "Ben": 0, "Cyd": 0}
