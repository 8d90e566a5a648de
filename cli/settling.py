"""Credit and settlement for records of one's own."""

import typer


def register(app: typer.Typer) -> None:
    """Add the commands."""
