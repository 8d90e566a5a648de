"""Who may import whom, and that everything imported is installed under one name."""

import ast
import os
import subprocess
import sys
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from shapley_coop import games
from tests.root import ROOT

PACKAGE = "shapley_coop"
PURE = {"games", "deals", "credit", "prompts"}
ALLOWED = {
    "games": set(),
    "credit": set(),
    "prompts": set(),
    "deals": {"games"},
    "seats": {"deals", "games"},
    "state": {"seats"} | PURE,
    "questions": {"state", "seats"} | PURE,
    "nodes": {"state", "seats"} | PURE,
    "graphs": {"questions", "nodes", "state", "seats"} | PURE,
    "evals": {"graphs", "questions", "nodes", "state", "seats"} | PURE,
    "cli": PURE | {"seats", "state", "nodes", "graphs", "evals"},
}
"""Room → the other rooms it may import."""

GROUND = {
    *(
        "amounts",
        "blocking",
        "by_class",
        "canonical",
        "currencies",
        "earned_value",
        "escaping",
        "extension",
        "extras",
        "files",
        "invalid",
        "many",
        "permissions",
        "remembered",
        "weak_keys",
        "wording",
        "written_files",
    ),
}
"""Modules of the package itself that import no room, and that every room may import."""


def modules(room: str) -> list[Path]:
    found = sorted((ROOT / room).rglob("*.py"))
    return [path for path in found if "tests" not in path.relative_to(ROOT).parts]


def imported(path: Path) -> set[str]:
    """Every module of ours that a file imports anywhere, without the package's name."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative imports hide what they reach"
            assert node.module
            found |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
    flat = {name for name in found if name.partition(".")[0] in {*ALLOWED, "tests", "benchmarks"}}
    assert not flat, f"{path} imports {flat}: the installed name is {PACKAGE}"
    return {name.removeprefix(f"{PACKAGE}.") for name in found if name.startswith(f"{PACKAGE}.")}


def rooms_of(path: Path) -> set[str]:
    return {name.partition(".")[0] for name in imported(path)} & ALLOWED.keys()


@pytest.mark.parametrize("room", ALLOWED)
def test_a_room_imports_only_the_rooms_below_it(room: str) -> None:
    strays = {
        str(path.relative_to(ROOT)): sorted(beyond)
        for path in modules(room)
        if (beyond := rooms_of(path) - ALLOWED[room] - {room})
    }
    assert strays == {}


def test_the_imports_between_rooms_have_no_circle() -> None:
    """As the code has them, whatever the list above would allow."""
    arrows = {
        room: {to for path in modules(room) for to in rooms_of(path)} - {room} for room in ALLOWED
    }
    assert sum(map(len, arrows.values())) > len(ALLOWED), "the code's imports were found"
    order = list(TopologicalSorter(arrows).static_order())  # a circle is a CycleError
    assert order.index("games") < order.index("state") < order.index("cli")


@pytest.mark.parametrize(("room", "also"), [("seats", {"Game"}), ("deals", set())])
def test_deals_know_the_games_types_alone_and_seats_no_game_at_all(
    room: str, also: set[str]
) -> None:
    folders = {name for name in games.names() if (ROOT / "games" / name).is_dir()}
    worlds = {"load", "catalogue", "game.Game", *games.names(), *(f"{f}.game" for f in folders)}
    for path in modules(room):
        seen = {name.removeprefix("games.") for name in imported(path) if name.startswith("games.")}
        assert not seen & ((worlds | also) - folders), f"{path} could look into the game"


def test_a_run_loads_no_library_and_no_other_game_than_it_needs(tmp_path: Path) -> None:
    """By a process of its own, in which nothing else was loaded."""
    program = (
        "import sys\nfrom shapley_coop.cli import main\n"
        "try:\n    main()\nfinally:\n    print(*sys.modules, sep='\\n', file=sys.stderr)"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program, "run", "escape_room"],
        env={**os.environ, "COOP_HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = {*ran.stderr.split()}
    assert {"shapley_coop.games.escape_room", "langgraph.graph"} <= loaded
    rooms = (
        *("seats.a2a", "seats.python_seat"),
        *("seats.schema", "state.tools", "deals.analysis.certificate"),
        "seats.embedded.delegating",
    )
    assert not loaded & {"yaml", "openai", "psycopg", "langgraph.checkpoint.memory"}
    assert not loaded & {f"{PACKAGE}.{room}" for room in rooms}
    played = {f"{PACKAGE}.extensions.{name}." for name in EXTENSIONS}
    of_extensions = {module for module in loaded if module.startswith((*played,))}
    assert not [module for module in of_extensions if not module.endswith(".templates")]


def test_nodes_never_import_each_other() -> None:
    shared = ("state.asking", "state.letters")  # no nodes, but what these call
    for path in modules("nodes"):
        nodes = {name for name in imported(path) if name.partition(".")[0] == "nodes"}
        others = {name for name in nodes if not name.startswith(shared)}
        assert others == set(), f"{path.name} imports {others}"


def test_the_ground_modules_import_no_room() -> None:
    for name in GROUND:
        assert rooms_of(ROOT / PACKAGE / f"{name}.py") == set(), name


def test_rooms_import_each_other_and_not_the_public_front() -> None:
    strays = {
        str(path.relative_to(ROOT)): sorted(front)
        for room in ALLOWED
        for path in modules(room)
        if (front := {name.partition(".")[0] for name in imported(path)} - ALLOWED.keys() - GROUND)
    }
    assert strays == {}


def test_nothing_imports_the_command_line() -> None:
    for room in ALLOWED.keys() - {"cli"}:
        for path in modules(room):
            assert "cli" not in {name.partition(".")[0] for name in imported(path)}, path


def test_every_folder_of_modules_at_the_root_is_a_room() -> None:
    packages = {path.parent.name for path in ROOT.glob("*/__init__.py")}
    assert packages - {"benchmarks"} == {*ALLOWED, PACKAGE, "extensions"}


MIRROR_NO_ROOM = {"ground", "house", "proofs"}
"""Tests of the ground modules, of the repository itself, and of promises under fire."""


def test_a_test_lies_in_a_folder_that_mirrors_the_code() -> None:
    for path in (ROOT / "tests").rglob("test_*.py"):
        folder = path.parent.relative_to(ROOT / "tests")
        of_a_room = {*folder.parts[:1]} <= ALLOWED.keys() and folder.parts
        assert str(folder) in MIRROR_NO_ROOM or (of_a_room and (ROOT / folder).is_dir()), path


def test_no_folder_of_tests_is_a_package() -> None:
    """Pytest puts it on the path, where a package `a2a` would stand before the library's."""
    assert [*(ROOT / "tests").rglob("__init__.py")] == []


EXTENSIONS = sorted(path.parent.name for path in ROOT.glob("extensions/*/__init__.py"))
NEEDS = {
    "a2a": {"people", "server"},
    "attribute": {"bounty", "reports"},
    "authoring": {"exchange"},
    "batches": {"sweeps"},
    "bounty": {"people", "proof", "repository", "wev"},
    "company": {"repository"},
    "experiments": {"reports", "sweeps"},
    "mcp": {"server", "values"},
    "page": {"server"},
    "papers": {"exchange", "raid", "reports", "sweeps"},
    "people": {"page", "server"},
    "reconcile": {"proof"},
    "remote": {"sweeps"},
    "replays": {"sweeps"},
    "reports": {"page", "sweeps"},
    "signing": {"exchange"},
    "studies": {"company", "raid", "signing", "wev"},
    "tenants": {"server"},
    "trials": {"reports", "sweeps"},
}
"""Extension → the other extensions that it imports."""


def test_the_core_names_no_extension() -> None:
    for path in [path for room in (*ALLOWED, PACKAGE) for path in modules(room)]:
        strays = {name for name in imported(path) if name.startswith("extensions")}
        assert strays == set(), path
        assert f"{PACKAGE}.extensions." not in path.read_text(encoding="utf-8"), path


@pytest.mark.parametrize("name", EXTENSIONS)
def test_an_extension_imports_the_core_and_what_it_declares(name: str) -> None:
    others = {
        one.split(".")[1]
        for path in modules(f"extensions/{name}")
        for one in imported(path)
        if one.startswith("extensions.")
    }
    assert others - {name} == NEEDS.get(name, set())
