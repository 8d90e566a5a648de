"""What a game can be told is listed, of every game, with what refuses a value."""

from pathlib import Path
from typing import Any

import pytest

from shapley_coop import games
from shapley_coop.cli.playing.new_game import new_game
from shapley_coop.games import GameError
from tests.brought import brought_by
from tests.coop_command import USAGE, Coop, one_line


def listed(coop: Coop, game: str) -> dict[str, dict[str, Any]]:
    """The parameters of a game by name, as `coop list GAME --json` has them."""
    found = coop("list", game, "--json").result
    assert found["game"] == game
    return {one["name"]: one for one in found["parameters"]}


@brought_by("exchange")
def test_a_parameter_has_its_type_default_bounds_and_meaning(coop: Coop) -> None:
    exchange = listed(coop, "task_exchange")
    assert exchange["rounds"] == {
        "name": "rounds",
        "type": "integer",
        "default": 40,
        "bounds": "1 to 1,000",
        "meaning": "Most turns of transfers and work.",
    }
    assert exchange["worth"]["bounds"] == "one of record, potential"
    assert exchange["agents"]["bounds"] == "at least 2 entries"
    assert exchange["absent"]["type"] == "text or mapping"
    assert listed(coop, "public_goods")["endowment"]["bounds"] == "more than 0"


def test_a_bound_that_no_value_reaches_is_told(coop: Coop, tmp_path: Path) -> None:
    for kind in ("int", "int | float"):
        bounded = f"store: {kind} = __import__('pydantic').Field(12, lt=60)"
        text = new_game("orchard").replace("store: int = 12", bounded)
        (tmp_path / "orchard.py").write_text(text, encoding="utf-8")
        found = coop("list", "orchard.py", "--json").result["parameters"]
        assert {one["name"]: one["bounds"] for one in found}["store"] == "less than 60"


@pytest.mark.parametrize("game", games.names())
def test_every_game_says_what_its_parameters_mean_and_takes_their_defaults(
    coop: Coop, game: str
) -> None:
    found = listed(coop, game)
    assert found.keys() == games.load(game).Params.model_fields.keys()
    assert all(one["meaning"] for one in found.values())
    again = games.load(game, {name: one["default"] for name, one in found.items()})
    assert again.params == games.load(game).params


@brought_by("many")
def test_a_value_beyond_the_bounds_that_are_told_is_refused(coop: Coop) -> None:
    assert listed(coop, "public_goods")["levels"]["bounds"] == "1 to 100"
    assert games.load("public_goods", {"levels": 100})
    with pytest.raises(GameError, match="levels"):
        games.load("public_goods", {"levels": 101})


def test_the_table_shows_them_and_cuts_a_long_default(coop: Coop) -> None:
    told = coop("list", "prisoners_dilemma").out
    assert told.startswith("prisoners_dilemma: ")
    for head in ("parameter", "type", "default", "bounds", "meaning"):
        assert head in told
    assert '[{"play": ["defect", "defect"], "pays":…' in told
    assert "--set PARAMETER=VALUE" in told


def test_a_game_of_ones_own_is_listed_by_its_file(coop: Coop, tmp_path: Any) -> None:
    assert coop("new", "game", "orchard", "--out", str(tmp_path / "orchard.py")).code == 0
    assert "rounds" in listed(coop, str(tmp_path / "orchard.py"))
    assert "no game 'orchid'" in coop("list", "orchid").err


GAME = ("run", "g.yaml")
SUITE = ("sweep", "g.yaml")
WRONG = [
    (GAME, "agents: A", "g.yaml: t: parameter agents: it has to be a list"),
    (GAME, "agents: [A, B]\npayofs: []", "g.yaml: t has no parameter 'payofs': it has agents,"),
    (GAME, "agents: [A", "g.yaml: cannot be read as a game: it is no YAML (line 2)"),
    (SUITE, "base: 3", "g.yaml: base: it has to be a mapping, as in {key: value}"),
    (SUITE, "vary: [", "g.yaml: cannot be read as a suite: it is no YAML (line 2): expected the"),
]


@pytest.mark.parametrize(("command", "text", "said"), WRONG, ids=[said for *_, said in WRONG])
def test_what_is_wrong_with_a_file_is_one_line_that_names_it(
    coop: Coop, command: tuple[str, ...], text: str, said: str
) -> None:
    Path("g.yaml").write_text(f"name: t\n{text}", "utf-8")
    assert said in one_line(coop(*command), USAGE)


def test_a_workflow_is_told_from_a_game(coop: Coop) -> None:
    refused = coop("list", "shapley_coop")
    assert refused.code == 2
    assert "shapley_coop is a workflow, not a game: coop graph shapley_coop" in refused.err
