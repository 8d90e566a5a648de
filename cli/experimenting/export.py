"""`coop export`: a sweep's tables."""

from pathlib import Path
from typing import Annotated

import typer

from shapley_coop.cli.experimenting import results
from shapley_coop.cli.options import PriceFile


def export(
    folder: Annotated[Path, typer.Argument(help="The folder of a sweep.", metavar="DIR")],
    out: Annotated[
        Path | None, typer.Option("-o", "--out", help="Where to write. Default: DIR/tables.")
    ] = None,
    format_: Annotated[
        str, typer.Option("--format", help="csv, jsonl or parquet: tables; rows: whole runs.")
    ] = "csv",
    prices: PriceFile = None,
    force: Annotated[bool, typer.Option("--force", help="Replace files that exist.")] = False,
) -> None:
    """Write a sweep's tidy tables, or its rows as they are."""
    results.export(folder, out, format_, prices, force)
