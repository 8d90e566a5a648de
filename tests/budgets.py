"""How much there is to read, counted: what `tests/budgets.toml` bounds, and `make lint` prints.

python -m tests.budgets            # the table: now, the bound, the target
python -m tests.budgets --lower    # write what is counted into the bounds that it is below
"""

import ast
import re
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tests.root import ROOT

TABLE = ROOT / "tests" / "budgets.toml"
CORE = (
    *("graphs", "nodes", "questions", "prompts", "state", "deals", "games", "credit", "seats"),
    *("evals", "cli", "shapley_coop"),
)
EXTENSIONS = ROOT / "extensions"
LONG_FILE, LONG_FUNCTION = 300, 40
_CACHES = {"cache", "lru_cache", "cached_property", "by_identity"}


@dataclass(frozen=True)
class Budget:
    """One row: what is counted, what it may be, and what it shall be."""

    name: str
    counted: int
    bound: int
    target: int | None


@cache
def counts() -> dict[str, int]:
    """Count all rows, by their names in the table."""
    core = {room: [*_modules(ROOT / room)] for room in CORE}
    extensions = {path.name: [*_modules(path)] for path in _extensions()}
    ours = [path for paths in core.values() for path in paths]
    product = ours + [path for paths in extensions.values() for path in paths]
    tests = [*_modules(ROOT / "tests"), *_tests_of_extensions()]
    return {
        **{room: _lines(paths) for room, paths in core.items()},
        "core": _lines(ours),
        **{f"extensions.{name}": _lines(paths) for name, paths in extensions.items()},
        "extensions": _lines(product) - _lines(ours),
        "tests": _lines(tests),
        "benchmarks": _lines([*_modules(ROOT / "benchmarks")]),
        "kernel": kernel(),
        "long files": sum(len(_text(path).splitlines()) > LONG_FILE for path in product),
        "long functions": sum(_long_functions(path) for path in product),
        "core files that import an extension": sum(map(_imports_an_extension, ours)),
        "imports inside functions": sum(map(_imports_inside, product)),
        "caches": sum(map(_caches, product)),
    }


def budgets() -> list[Budget]:
    """Return every row of the table, counted now."""
    bounds = tomllib.loads(TABLE.read_text(encoding="utf-8"))
    return [
        Budget(
            name, counted, bounds.get(name, {}).get("bound", 0), bounds.get(name, {}).get("target")
        )
        for name, counted in counts().items()
    ]


@cache
def kernel() -> int:
    """Count the lines of ours that `coop run escape_room` imports."""
    program = (
        "import sys\nfrom shapley_coop.cli import main\n"
        "try:\n    main()\nfinally:\n"
        "    ours = [m for n, m in sys.modules.items() if n.partition('.')[0] == 'shapley_coop']\n"
        "    print(*(m.__file__ for m in ours if m.__file__), sep='\\n', file=sys.stderr)"
    )
    with tempfile.TemporaryDirectory() as home:
        ran = subprocess.run(
            [sys.executable, "-c", program, "run", "escape_room"],
            cwd=home,
            capture_output=True,
            text=True,
            check=True,
        )
    return _lines([Path(line) for line in ran.stderr.splitlines() if line.endswith(".py")])


def _extensions() -> list[Path]:
    return sorted(path.parent for path in EXTENSIONS.glob("*/__init__.py"))


def _modules(folder: Path) -> Iterator[Path]:
    """Yield a folder's modules, without the tests that lie in it and without links."""
    for path in sorted(folder.glob("*")):
        if path.is_dir() and not path.is_symlink() and path.name not in ("tests", "__pycache__"):
            yield from _modules(path)
        elif path.suffix == ".py":
            yield path


def _tests_of_extensions() -> Iterator[Path]:
    for path in _extensions():
        yield from _modules(path / "tests")


@cache
def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


@cache
def _nodes(path: Path) -> list[ast.AST]:
    return [*ast.walk(ast.parse(_text(path)))]


def _lines(paths: list[Path]) -> int:
    return sum(len(_text(path).splitlines()) for path in paths)


_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def _functions(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    yield from (node for node in _nodes(path) if isinstance(node, _FUNCTIONS))


def _long_functions(path: Path) -> int:
    spans = ((f.end_lineno or f.lineno) - f.lineno + 1 for f in _functions(path))
    return sum(span > LONG_FUNCTION for span in spans)


def _imports_inside(path: Path) -> int:
    found = {
        node
        for function in _functions(path)
        for node in ast.walk(function)
        if isinstance(node, (ast.Import, ast.ImportFrom))
    }
    return len(found)


def _imports_an_extension(path: Path) -> bool:
    return bool(re.search(r"shapley_coop\.extensions\.\w", _text(path)))


def _caches(path: Path) -> int:
    names = (
        node.func if isinstance(node, ast.Call) else node
        for tree in _nodes(path)
        if isinstance(tree, (*_FUNCTIONS, ast.ClassDef))
        for node in tree.decorator_list
    )
    return sum(getattr(name, "attr", getattr(name, "id", "")) in _CACHES for name in names)


def _lower() -> None:
    """Write what is counted in place of each bound that it is below."""
    text = TABLE.read_text(encoding="utf-8")
    for row in budgets():
        was = re.compile(rf'^("?{re.escape(row.name)}"? = {{ bound = )\d+', re.MULTILINE)
        text = was.sub(rf"\g<1>{min(row.bound, row.counted)}", text)
    TABLE.write_text(text, encoding="utf-8")


def main() -> None:
    """Print the table, or lower its bounds."""
    if "--lower" in sys.argv:
        _lower()
    print(f"{'':36}{'now':>8}{'bound':>8}{'target':>8}")
    rows = budgets()
    for row in rows:
        over = "  over its bound" if row.counted > row.bound else ""
        target = "" if row.target is None else row.target
        print(f"{row.name:36}{row.counted:8}{row.bound:8}{target:>8}{over}")
    above = sum(row.target is not None and row.counted > row.target for row in rows)
    print(f"{sum(row.counted > row.bound for row in rows)} over a bound, {above} over a target")


if __name__ == "__main__":
    main()
