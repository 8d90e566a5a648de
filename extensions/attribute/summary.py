"""`coop attribute-summary`: an attribution as Markdown."""

from pathlib import Path
from typing import Annotated

import typer

from shapley_coop.cli.console import say_lines


def attribute_summary(
    after: Annotated[Path, typer.Argument(help="What `coop attribute --json` printed.")],
    before: Annotated[
        Path | None, typer.Option(help="The same of an earlier version, to compare with.")
    ] = None,
) -> None:
    """Print an attribution as Markdown, for a pull request; compared with an earlier version's.

    Agents whose 95 % intervals do not meet are marked with an asterisk.
    """
    from shapley_coop.extensions.attribute.comparing import markdown, read

    say_lines(markdown(read(after), read(before) if before else None))
