"""Options of the commands that repeat the papers' experiments."""

from typing import Annotated

import typer

SeedCount = Annotated[int, typer.Option(help="The number of seeds; the first is 0.", min=1)]
EverySeat = Annotated[str, typer.Option(help="The model of every seat.")]
