"""The parts that the importers of studies share: the folder, its files, and lists of lines."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Annotated

import typer

from shapley_coop.cli.console import say

Folder = Annotated[
    Path, typer.Argument(help="A folder of the study's records, searched with all its subfolders.")
]


def say_some(
    lines: Iterable[str],
    most: int = 20,
    rest: str = "more: --json lists all",
    tell: Callable[[str], None] = say,
) -> None:
    """Print at most so many lines, and the number of the others."""
    told = list(lines)
    for line in told[:most]:
        tell(line)
    if len(told) > most:
        tell(f"and {len(told) - most} {rest}")


def files_below(folder: Path, name: str) -> list[Path]:
    """Return the regular files of a name in and below a folder; pipes are left out, as they block.

    Args:
        folder: the folder to search.
        name: the name of the files, or a glob pattern.
    """
    return sorted(path for path in folder.rglob(name) if path.is_file())
