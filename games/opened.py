"""Tests whether a setting of a run, or a parameter of a game, names a file or an import.

>>> opens("market", "/etc/passwd"), opens("market", ""), opens("game", "escape_room")
(True, False, False)
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from shapley_coop.games.catalogue import names

IMPORTS = {"factory", "file", "folder", "path", "repo"}


def _names_a_scenario(given: str) -> bool:
    from shapley_coop.games.exchange import paper
    from shapley_coop.games.exchange.source import GENERATED

    return given in (GENERATED, *paper.names())


FILES: dict[str, Callable[[str], bool]] = {
    "game": lambda given: given not in names(),
    "scenario": lambda given: not _names_a_scenario(given),
    "task": lambda given: given.endswith((".yaml", ".yml")),
    "records": bool,
    "market": bool,
    "tools": bool,
    "prompts": bool,
}
"""Key → the test of whether its value names a file."""


def is_file(key: str, value: Any) -> bool:
    """Return whether a setting names an existing file."""
    return isinstance(value, str) and opens(key, value) and Path(value).is_file()


def not_here(key: str, value: Any) -> str:
    """Return which checks fail because this setting's file is missing; "" if the file exists."""
    if key in IMPORTS or not opens(key, value) or Path(value).is_file():
        return ""
    return (
        f"the {key} file {value} is not on this machine: play, contributions, transfers and "
        "payoffs follow from it, and cannot be checked without it"
    )


def opens(key: str, value: Any) -> bool:
    """Return whether using this setting opens a file of this machine or imports a module."""
    return key in IMPORTS or (isinstance(value, str) and key in FILES and FILES[key](value))
