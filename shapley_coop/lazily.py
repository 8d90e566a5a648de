"""Packages whose names are imported when they are first used (PEP 562).

A package lists what it offers as imports for type checkers, and each name is found there when it is
asked for: so one of its modules can be imported without all the others.

    if TYPE_CHECKING:
        from shapley_coop.seats.seat import Seat
    else:
        __getattr__ = offered(__name__, __file__)

No name may be that of a module of the package: importing the module would take its place.
"""

import ast
import sys
from collections.abc import Callable
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any


def offered(package: str, file: str) -> Callable[[str], Any]:
    """A package's `__getattr__`.

    Args:
        package: its name.
        file: its source, in which the names are imported.
    """

    def found(name: str) -> Any:
        homes = _homes(file)
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module, there = homes[name]
        value = getattr(import_module(module), there)
        setattr(sys.modules[package], name, value)
        return value

    return found


@cache
def _homes(file: str) -> dict[str, tuple[str, str]]:
    """Name → the module that has it, and its name there."""
    return {
        alias.asname or alias.name: (node.module, alias.name)
        for node in ast.walk(ast.parse(Path(file).read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and node.module
        for alias in node.names
    }
