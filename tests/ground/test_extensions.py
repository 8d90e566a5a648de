"""An extension can be removed: its commands are gone, and everything else goes on."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from shapley_coop import extension
from shapley_coop.extension import BrokenExtension, Extension, installed
from shapley_coop.extensions import PLAYS
from shapley_coop.games.catalogue import is_program, title
from tests.brought import brought_by, with_all_extensions
from tests.root import ROOT

SHIPPED = sorted(path.parent.name for path in ROOT.glob("extensions/*/__init__.py"))


def without(removed: set[str], folder: Path) -> Path:
    """The package as a clone has it in which these extensions' folders were deleted."""
    package = folder / "shapley_coop"
    (package / "extensions").mkdir(parents=True)
    for path in (ROOT / "shapley_coop").iterdir():
        if path.name not in ("extensions", "__pycache__"):
            (package / path.name).symlink_to(path.resolve())
    for path in (ROOT / "extensions").iterdir():
        if path.name not in {*removed, "__pycache__"}:
            (package / "extensions" / path.name).symlink_to(path)
    return folder


def coop(
    folder: Path, *arguments: str, home: Path | None = None
) -> subprocess.CompletedProcess[str]:
    kept = str(home or folder / ".coop")
    return subprocess.run(
        [sys.executable, "-m", "shapley_coop", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder), "COOP_HOME": kept},
        capture_output=True,
        text=True,
        check=False,
    )


def test_every_folder_of_an_extension_is_found_under_its_name() -> None:
    assert {name for name in SHIPPED if name in installed()} == {*SHIPPED}
    assert all(installed()[name].name == name for name in SHIPPED)


@with_all_extensions
def test_errors_know_which_extension_brings_a_game_or_a_workflow() -> None:
    plays = {name: {*one.games, *one.workflows} for name, one in installed().items()}
    shipped = {name: found for name, found in plays.items() if found and name in SHIPPED}
    assert {name: {*brought} for name, brought in PLAYS.items()} == shipped


@pytest.mark.slow
@pytest.mark.parametrize(
    "removed", [*({name} for name in SHIPPED), {*SHIPPED}], ids=[*SHIPPED, "all"]
)
def test_the_rest_plays_on_without_it(removed: set[str], tmp_path: Path) -> None:
    folder = without(removed, tmp_path)
    listed = json.loads(coop(folder, "list", "--json").stdout)
    assert {*listed["extensions"]} & {*SHIPPED} == {*SHIPPED} - removed
    commands = {command for name in removed for command in _commands(installed()[name])}
    for command in commands:
        gone = coop(folder, *command.split())
        assert gone.returncode == 2, gone.stderr
        assert "An extension may bring it" in gone.stderr
    assert coop(folder, "run", "escape_room", "--name", "r").returncode == 0
    assert coop(folder, "verify", "r").returncode == 0


@pytest.mark.slow
def test_what_an_absent_extension_would_play_is_refused_in_one_line(tmp_path: Path) -> None:
    folder = without({"pettingzoo"}, tmp_path)
    done = coop(folder, "run", "pettingzoo:pettingzoo.classic.rps_v2:parallel_env")
    assert done.returncode == 2
    assert "no installed extension plays pettingzoo:…" in done.stderr


@pytest.mark.slow
@brought_by("exchange")
def test_a_game_of_a_removed_extension_names_it(tmp_path: Path) -> None:
    folder, needed = without({"exchange"}, tmp_path), "needs the extension exchange, which is not"
    for words in (("task_exchange",), ("escape_room", "--graph", "pairwise_exchange")):
        done = coop(folder, "run", *words)
        assert (done.returncode, done.stderr.count("\n")) == (2, 1)
        assert f"{words[-1]} {needed}" in done.stderr
    listed, helped = coop(folder, "list"), coop(folder, "help", "--all")
    assert (listed.returncode, helped.returncode) == (0, 0)
    assert "task_exchange" not in listed.stdout + listed.stderr


@pytest.mark.slow
@brought_by("studies")
def test_an_extension_that_needs_an_absent_one_names_it(tmp_path: Path) -> None:
    folder = without({"raid"}, tmp_path)
    (tmp_path / "log.json").write_text("{}", encoding="utf-8")
    done = coop(folder, "import", "raid-log", str(tmp_path / "log.json"))
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "it needs the extension raid, which is not here" in done.stderr


@pytest.mark.slow
def test_where_nothing_asks_people_a_run_waits_and_names_the_extension(tmp_path: Path) -> None:
    folder, absent = without({"people"}, tmp_path), "needs the extension people, which is not here"
    run = ("run", "escape_room", "-g", "llm_only", "--agent", "Alice=human", "--name")
    waiting = coop(folder, *run, "r")
    assert waiting.returncode == 0
    assert f"r waits for Alice: coop answer {absent}" in waiting.stderr
    refused = coop(folder, *run, "served", "--serve")
    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)
    assert f"--serve {absent}" in refused.stderr
    assert "served" not in coop(folder, "runs").stdout, "it was not begun"


@pytest.mark.slow
def test_runs_of_an_absent_extension_are_listed_still(tmp_path: Path) -> None:
    whole, home = without(set(), tmp_path / "whole"), tmp_path / "home"
    game = "pettingzoo:pettingzoo.classic.rps_v2:parallel_env"
    played = ("run", game, "-g", "llm_only", "--set", "max_cycles=2", "--name", "r")
    assert coop(whole, *played, home=home).returncode == 0
    folder = without({"pettingzoo"}, tmp_path / "rest")
    assert "rps_v2" in coop(folder, "runs", home=home).stdout
    shown = coop(folder, "show", "r", home=home)
    assert (shown.returncode, shown.stderr.count("\n")) == (2, 1)
    assert "no installed extension plays pettingzoo:…" in shown.stderr


def test_what_a_game_is_called_needs_no_extension() -> None:
    assert title("nobodys:package.module.tug:env") == "tug"
    assert is_program("nobodys:os:system")
    assert not is_program("name: tug\nagents: [Ann, Ben]\n")


def test_a_part_that_fails_to_load_is_named_whatever_it_raises(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "unloadable.py").write_text("{}['key']\n", encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    brought = Extension("lacking", "Fails.", games={"tug": "unloadable:GAME"})
    monkeypatch.setattr(extension, "_find_all", lambda: {"lacking": brought})
    with pytest.raises(BrokenExtension, match=r"tug of lacking .*KeyError: 'key'"):
        extension.load("games", "tug")


def _commands(one: Extension) -> set[str]:
    return {command for commands in one.commands.values() for command in commands}
