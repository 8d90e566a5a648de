"""The app's own code: its modules and the modules that they import, without libraries."""

import ast
import inspect
import sys
import sysconfig
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from langgraph.pregel import Pregel

from shapley_coop.extensions.attribute.walking import branches_of, graphs_in, innermost

FRAMEWORKS = ("langchain", "langgraph", "deepagents", "shapley_coop")
"""Prefixes of framework packages, whose code is never counted as the app's own."""

_STDLIB = sysconfig.get_path("stdlib")


@dataclass(frozen=True)
class OwnCode:
    """The code of an app.

    Attributes:
        packages: top-level packages that define the graph or its nodes, installed or not.
        begins: pairs (name, file) of the modules that define the graph or its nodes.
    """

    packages: frozenset[str] = frozenset()
    begins: frozenset[tuple[str, str]] = frozenset()

    def has(self, name: str, file: str) -> bool:
        """Return whether a module is the app's own and not a library's."""
        return name.partition(".")[0] in self.packages or not is_library(file)

    def files(self) -> list[Path]:
        """Return the files of the app's own modules: those in `begins`, and what they import."""
        found: dict[str, None] = {}
        waiting = sorted(self.begins)
        while waiting:
            name, file = waiting.pop()
            if file in found or not self.has(name, file) or not Path(file).is_file():
                continue
            found[file] = None
            waiting += [
                one for one in _imports(name, Path(file)) if not one[0].startswith(FRAMEWORKS)
            ]
        return [Path(file) for file in sorted(found)]


def own_code(graphs: Collection[Any]) -> OwnCode:
    """Return the code of an app; `graphs` holds the app's graph as given and as compiled."""
    begins = {place for graph in graphs for place in _holders(graph)}
    packages = {name.partition(".")[0] for name, _ in begins}
    for graph in graphs:
        of = set(_of_nodes(graph)) if isinstance(graph, Pregel) else set()
        begins |= of
        packages |= {n.partition(".")[0] for n, _ in of if not n.startswith(FRAMEWORKS)}
    return OwnCode(frozenset(packages), frozenset(begins))


def code_of(function: Any) -> str:
    """Return a function's name, and the text of its module and of the modules it imports."""
    texts = [
        path.read_text(encoding="utf-8") for path in OwnCode(frozenset(), _of(function)).files()
    ]
    return "\x00".join([getattr(function, "__qualname__", ""), *texts])


def is_library(file: str) -> bool:
    """Return whether a file belongs to an installed package or to Python itself."""
    is_installed = "site-packages" in file or "dist-packages" in file
    return is_installed or file.startswith((_STDLIB, "<frozen"))


def _holders(graph: Any) -> Iterator[tuple[str, str]]:
    """Yield (name, file) of each loaded module that has a variable for this graph."""
    for name, module in list(sys.modules.items()):
        held = list(getattr(module, "__dict__", {}).values())
        if any(one is graph for one in held) and (file := getattr(module, "__file__", None)):
            yield name, file


def _of_nodes(app: Any) -> Iterator[tuple[str, str]]:
    """Yield (name, file) of the modules that define nodes, their tools, and conditional edges."""
    for graph in graphs_in(app):
        for bound in (node.bound for node in graph.nodes.values()):
            for part in (bound, *getattr(bound, "tools_by_name", {}).values()):
                yield from _of(part)
                for way in ("afunc", "coroutine"):
                    yield from _of(getattr(part, way, None))
        for branch in branches_of(graph):
            yield from _of(getattr(branch.path, "func", None))


def _of(part: Any) -> frozenset[tuple[str, str]]:
    """Return (name, file) of the module that defines a function or an object's class."""
    part = innermost(part)
    is_code = inspect.isroutine(part) or inspect.isclass(part)
    part = part if is_code else type(part)
    try:
        file = inspect.getsourcefile(part)
    except TypeError:  # a built-in, which no file defines
        return frozenset()
    return frozenset({(part.__module__ or "", file)} if file else ())


def _imports(name: str, file: Path) -> Iterator[tuple[str, str]]:
    """Yield (name, file) of imported modules that are loaded or lie in the app's folder."""
    is_package = file.name == "__init__.py"
    package = name if is_package else name.rpartition(".")[0]
    root = file.parents[min(name.count(".") + is_package, len(file.parents) - 1)]
    try:
        tree = ast.parse(file.read_bytes())
    except (SyntaxError, ValueError):  # the module is compiled, or has errors
        return
    for wanted in _named(tree, package):
        beside = root.joinpath(*wanted.split("."))
        loaded = getattr(sys.modules.get(wanted), "__file__", None)
        for path in (loaded, f"{beside}.py", str(beside / "__init__.py")):
            if path and Path(path).is_file():
                yield wanted, path
                break


def _named(tree: ast.AST, package: str) -> Iterator[str]:
    """Yield every name in import statements that may be the name of a module."""
    for node in ast.walk(tree):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: package.count(".") + 2 - node.level] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            names = [f"{base}.{alias.name}" for alias in node.names] if base else []
        for name in names:
            parts = name.split(".")
            yield from (".".join(parts[: k + 1]) for k in range(len(parts)))
