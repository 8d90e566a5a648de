"""Games, seats and suites that other installed packages bring: Python's entry points.

A package names what it brings in its `pyproject.toml`::

    [project.entry-points."shapley_coop.games"]
    tug = "my_package.tug:GAME"        # a subclass of Game

    [project.entry-points."shapley_coop.seats"]
    mine = "my_package.seats:model"    # called with a seat, an agent and a seed: a chat model

    [project.entry-points."shapley_coop.suites"]
    tugs = "my_package.suites"         # a package whose folder holds tugs.yaml

A plug-in that cannot be loaded says so when it is used, and hinders nothing else.
"""

from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Literal

Group = Literal["games", "seats", "suites"]


class BrokenPlugin(ValueError):
    """A plug-in cannot be loaded; one line says which, of which package, and why."""


@cache
def _found(group: Group) -> dict[str, EntryPoint]:
    return {entry.name: entry for entry in sorted(entry_points(group=f"shapley_coop.{group}"))}


def names(group: Group) -> list[str]:
    """The names that installed packages bring, sorted; nothing is loaded."""
    return sorted(_found(group))


def load(group: Group, name: str) -> Any:
    """What a plug-in's entry point names.

    Raises:
        BrokenPlugin: it cannot be loaded.
        KeyError: there is none of that name.
    """
    entry = _found(group)[name]
    try:
        return entry.load()
    except Exception as error:  # whatever a package that is not ours may do when it is loaded
        raise broken(group, name, error) from None


def broken(group: Group, name: str, error: BaseException | str) -> BrokenPlugin:
    """Why a plug-in cannot be used, in one line."""
    entry = _found(group)[name]
    package = entry.dist.name if entry.dist else "a package"
    said = error if isinstance(error, str) else f"{type(error).__name__}: {error}"
    return BrokenPlugin(f"{name} of {package} ({entry.value}): {' '.join(said.split())[:300]}")
