"""What is installed: one name, whole, that works from a folder with modules named like ours."""

import importlib.util
import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.brought import brought_by
from tests.installation import OUTSIDE, PACKAGE, built, programs, run
from tests.root import ROOT
from tests.served import configuration, paths

ROOMS = [
    path
    for path in ROOT.iterdir()
    if path.is_dir() and path.name not in OUTSIDE and (path / "__init__.py").exists()
]


def installed_as(path: Path) -> str:
    """Where a file of the repository lies in an installation."""
    inside = path.relative_to(ROOT).as_posix()
    return inside if inside.startswith(f"{PACKAGE}/") else f"{PACKAGE}/{inside}"


def files(pattern: str) -> set[Path]:
    """The files of all rooms that match."""
    return {
        path
        for room in ROOMS
        for path in room.rglob(pattern)
        if path.is_file() and not {"__pycache__", "tests"} & {*path.relative_to(ROOT).parts}
    }


def test_every_room_at_the_root_is_seen_inside_the_package() -> None:
    """By a link, which editors, type checkers and installations follow alike."""
    links = {
        path.name: os.readlink(path) for path in (ROOT / PACKAGE).iterdir() if path.is_symlink()
    }
    linked = {*(room.name for room in ROOMS if room.name != PACKAGE), "langgraph.json"}
    assert links == {name: f"../{name}" for name in linked}
    folders = {path.parent for path in files("*.py")}
    assert {folder for folder in folders if not (folder / "__init__.py").exists()} == set()


def test_a_clone_without_links_says_so_in_one_line(tmp_path: Path) -> None:
    """As git on Windows writes them unless links are enabled: files that hold their targets."""
    (tmp_path / PACKAGE).mkdir()
    shutil.copy(ROOT / PACKAGE / "__init__.py", tmp_path / PACKAGE)
    (tmp_path / PACKAGE / "graphs").write_text("../graphs", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", f"import {PACKAGE}"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != 0
    assert "git config core.symlinks true" in done.stderr.splitlines()[-1]


SERVED = configuration()


def test_the_servers_paths_stay_as_they_are() -> None:
    """Deployments name them; the folders stay at the root of the repository."""
    assert {name: served["path"] for name, served in SERVED["graphs"].items()} == paths()
    assert SERVED["checkpointer"]["path"] == "./extensions/server/checkpoints.py:checkpoints"
    assert SERVED["auth"]["path"] == "./extensions/server/auth.py:auth"
    assert SERVED["http"]["app"] == "./extensions/server/app.py:app"


@pytest.mark.parametrize(
    "path",
    [
        *(served["path"] for served in SERVED["graphs"].values()),
        *(
            pytest.param(path, marks=brought_by("server"))
            for path in (
                SERVED["checkpointer"]["path"],
                SERVED["auth"]["path"],
                SERVED["http"]["app"],
            )
        ),
    ],
)
def test_what_the_server_loads_is_there(path: str) -> None:
    """It is loaded as the server does: from its file, under a name of the server's own."""
    file, _, name = path.partition(":")
    spec = importlib.util.spec_from_file_location(f"served_{Path(file).stem}", ROOT / file)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    served = getattr(module, name)
    if file.startswith("./graphs/"):
        assert served.name == Path(file).stem
        assert served.checkpointer is None
    assert served is not None


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel."""
    return built(tmp_path_factory.mktemp("wheel"))


@pytest.mark.slow
def test_the_wheel_holds_one_name_and_every_file_of_ours(wheel: Path) -> None:
    held = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    assert {name.partition("/")[0] for name in held} == {PACKAGE}
    assert held == {installed_as(path) for path in files("*")}
    for needed in (
        "py.typed",
        "extensions/sweeps/suites/escape_room.yaml",
        "extensions/page/page/index.html",
    ):
        assert f"{PACKAGE}/{needed}" in held


SCRIPT = """\
import asyncio
from shapley_coop import RunConfig, play, play_sync
config = RunConfig(game="escape_room", seed=3)
print(asyncio.run(play("shapley_coop", config))["payoffs"])
print(play_sync("shapley_coop", config)["payoffs"])
"""


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of an environment that holds our wheel, and sees the libraries."""
    return programs(wheel, tmp_path_factory.mktemp("environment"))


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of somebody's own, whose modules are called as ours and fail when imported."""
    folder = tmp_path_factory.mktemp("elsewhere")
    for name in ("state.py", "cli.py", "evals/__init__.py", "prompts/__init__.py"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text("raise RuntimeError('not yours')\n", encoding="utf-8")
    (folder / "script.py").write_text(SCRIPT, encoding="utf-8")
    return folder


@pytest.mark.slow
@brought_by("reports")
def test_what_is_installed_works_beside_modules_of_the_same_names(
    installed: Path, elsewhere: Path
) -> None:
    def coop(*arguments: str) -> str:
        return run([str(installed / "coop"), *arguments], elsewhere)

    outcome = json.loads(coop("run", "escape_room", "--seed", "3", "--name", "first", "--json"))
    assert outcome["payoffs"] == {"Alice": 4.5, "Bob": 4.5}
    assert [row["runs"] for row in json.loads(coop("demo", "--seeds", "1", "--json"))["rows"]] == [
        *[1] * 4
    ]
    assert json.loads(coop("verify", "first", "--json"))["sound"]
    assert coop("report", "first") == "first.html\n"
    assert "</html>" in (elsewhere / "first.html").read_text(encoding="utf-8")
    assert "list" in run([str(installed / "python"), "-m", PACKAGE, "--help"], elsewhere)


@pytest.mark.slow
def test_a_script_of_five_lines_plays_awaited_and_not(installed: Path, elsewhere: Path) -> None:
    assert len(SCRIPT.splitlines()) == 5
    told = run([str(installed / "python"), "script.py"], elsewhere)
    assert told == 2 * "{'Alice': 4.5, 'Bob': 4.5}\n"
    where = [str(installed / "python"), "-c", f"import {PACKAGE}.state as s; print(s.__file__)"]
    assert Path(run(where, elsewhere).strip()).is_relative_to(installed.parent)


TUG = """\
name: tug
agents: [Ann, Ben]
actions: {Ann: [pull, wait], Ben: [pull, wait]}
payoffs:
  - {play: [pull, pull], pays: [0, 0]}
  - {play: [pull, wait], pays: [3, -1]}
  - {play: [wait, pull], pays: [-1, 3]}
  - {play: [wait, wait], pays: [1, 1]}
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    "world", ["orchard.py", "tug.yaml", "pettingzoo:pettingzoo.classic.tictactoe_v3:env"]
)
def test_an_installed_wheel_plays_worlds_of_ones_own_in_a_clean_folder(
    installed: Path, tmp_path: Path, world: str
) -> None:
    def coop(*arguments: str) -> str:
        return run([str(installed / "coop"), *arguments], tmp_path)

    if world == "orchard.py":
        assert coop("new", "game", "orchard").strip() == world
    (tmp_path / "tug.yaml").write_text(TUG, encoding="utf-8")
    outcome = json.loads(coop("run", world, "--name", "own", "--json"))
    assert outcome["turns_played"] >= 1
    assert all(outcome["acted"].values())
    assert json.loads(coop("verify", "own", "--json"))["sound"]


def test_an_image_is_built_without_what_git_ignores_and_without_tokens() -> None:
    """What is in `.gitignore` is of one machine; `tokens.yaml` opens the server."""
    left_out = {line.strip("/") for line in (ROOT / ".dockerignore").read_text().splitlines()}
    ignored = {line.strip("/") for line in (ROOT / ".gitignore").read_text().splitlines()}
    caches = {name for name in ignored if name.startswith(".") and name.endswith("_cache")}
    nested = {"__pycache__": "**/__pycache__", "*.pyc": "**/*.pyc"}
    expected = {nested.get(name, name) for name in ignored - caches} | {".*_cache", "tokens.yaml"}
    assert expected - left_out == set()
