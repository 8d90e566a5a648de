"""Who may import whom, and that the rooms are this repository's own."""

import ast
import importlib
import sys
from importlib.machinery import PathFinder
from pathlib import Path

import pytest

import games

ROOT = Path(__file__).parents[1]
PURE = {"games", "deals", "credit", "prompts"}
ALLOWED = {
    "games": set(),
    "credit": set(),
    "prompts": set(),
    "deals": {"games"},
    "seats": {"deals", "games"},
    "state": {"games", "deals", "seats"},
    "nodes": {"state", "seats"} | PURE,
    "graphs": {"nodes", "state", "seats"} | PURE,
    "evals": {"graphs", "state", "seats"} | PURE,
    "serve": {"graphs", "state", "seats"} | PURE,
    "cli": PURE | {"seats", "state", "nodes", "graphs", "evals", "serve"},
}
"""Room → the other rooms it may import."""


def modules(room: str) -> list[Path]:
    return sorted((ROOT / room).rglob("*.py"))


def imported(path: Path) -> set[str]:
    """Every module that a file imports anywhere, by its full name."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative imports hide what they reach"
            assert node.module
            found |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
    return found


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


@pytest.mark.parametrize(("room", "also"), [("seats", {"Game"}), ("deals", set())])
def test_deals_know_the_games_types_alone_and_seats_no_game_at_all(
    room: str, also: set[str]
) -> None:
    worlds = {"load", "catalogue", *games.names()} | also
    for path in modules(room):
        parts = {part for n in imported(path) if n.startswith("games.") for part in n.split(".")}
        assert not parts & worlds, f"{path} could look into the game"


def test_nodes_never_import_each_other() -> None:
    for path in modules("nodes"):
        others = {name for name in imported(path) if name.partition(".")[0] == "nodes"}
        assert others == set(), f"{path.name} imports {others}"


def test_nothing_imports_the_command_line_and_no_room_the_tests() -> None:
    for room in ALLOWED.keys() - {"cli"}:
        for path in modules(room):
            assert not {"cli", "tests"} & {n.partition(".")[0] for n in imported(path)}, path


def test_the_arrows_have_no_circle() -> None:
    reached: dict[str, set[str]] = {room: set(below) for room, below in ALLOWED.items()}
    for _ in ALLOWED:
        reached = {a: below.union(*(reached[b] for b in below)) for a, below in reached.items()}
    assert [room for room, below in reached.items() if room in below] == []


def test_every_package_of_the_repository_is_a_room() -> None:
    packages = {path.parent.name for path in ROOT.glob("*/__init__.py")}
    assert packages == set(ALLOWED)


@pytest.mark.parametrize("room", ALLOWED)
def test_a_room_resolves_to_this_repository(room: str) -> None:
    module = importlib.import_module(room)
    assert Path(str(module.__file__)).parent == ROOT / room
    # A server appends the working directory last, behind everything that is installed.
    elsewhere = [place for place in sys.path if Path(place or ".").resolve() != ROOT]
    spec = PathFinder.find_spec(room, elsewhere)
    assert spec is None or Path(str(spec.origin)).parent == ROOT / room
