"""Tests whether a setting of a run, or a parameter of a game, names a file or an import.

>>> opens("prompts", "/etc/passwd"), opens("prompts", ""), opens("game", "escape_room")
(True, False, False)
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from shapley_coop import extension
from shapley_coop.games.catalogue import names

IMPORTS = {"factory", "file", "folder", "path", "repo"}


FILES: dict[str, Callable[[str], bool]] = {
    "game": lambda given: given not in names(),
    "prompts": bool,
}
"""Key → the test of whether its value names a file; extensions add those of their games."""


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
    if key in IMPORTS or not isinstance(value, str):
        return key in IMPORTS
    if key in extension.offered("opened"):
        return bool(extension.load("opened", key)(value))
    return key in FILES and FILES[key](value)
