"""The line of an error about a game or a workflow whose extension was removed."""

from collections.abc import Mapping
from importlib import import_module

from shapley_coop.extension import GROUP, installed


def removed(played: str) -> str:
    """Return a line that names the removed extension of a game or workflow; "" for other names."""
    try:
        shipped: Mapping[str, tuple[str, ...]] = import_module(GROUP).PLAYS
    except ModuleNotFoundError:  # the whole folder was removed
        return ""
    gone = next((name for name, plays in shipped.items() if played in plays), "")
    if not gone or gone in installed():
        return ""
    return f"{played} needs the extension {gone}, which is not here: coop list names those that are"
