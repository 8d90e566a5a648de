"""The option and the lists of lines that the commands `coop import …` share."""

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
