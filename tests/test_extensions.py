"""An extension can be removed: its commands are gone, and everything else goes on."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from shapley_coop.extension import Extension, installed

ROOT = Path(__file__).parents[1]
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


def coop(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "shapley_coop", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder), "COOP_HOME": str(folder / ".coop")},
        capture_output=True,
        text=True,
        check=False,
    )


def test_every_folder_of_an_extension_is_found_under_its_name() -> None:
    assert {name for name in SHIPPED if name in installed()} == {*SHIPPED}
    assert all(installed()[name].name == name for name in SHIPPED)


@pytest.mark.slow
@pytest.mark.parametrize("removed", [*({name} for name in SHIPPED), {*SHIPPED}], ids=sorted)
def test_the_rest_plays_on_without_it(removed: set[str], tmp_path: Path) -> None:
    folder = without(removed, tmp_path)
    listed = json.loads(coop(folder, "list", "--json").stdout)
    assert {*listed["extensions"]} & {*SHIPPED} == {*SHIPPED} - removed
    commands = {command for name in removed for command in _commands(installed()[name])}
    for command in commands:
        gone = coop(folder, *command.split())
        assert gone.returncode == 2, gone.stderr
    assert coop(folder, "run", "escape_room", "--name", "r").returncode == 0
    assert coop(folder, "verify", "r").returncode == 0


@pytest.mark.slow
def test_what_an_absent_extension_would_play_is_refused_in_one_line(tmp_path: Path) -> None:
    folder = without({"pettingzoo"}, tmp_path)
    done = coop(folder, "run", "pettingzoo:pettingzoo.classic.rps_v2:parallel_env")
    assert done.returncode == 2
    assert "no extension plays pettingzoo:…" in done.stderr


def _commands(extension: Extension) -> set[str]:
    return {command for commands in extension.commands.values() for command in commands}
