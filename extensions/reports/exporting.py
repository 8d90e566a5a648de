"""`coop export`: write a sweep's tables, or its unchanged rows."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shapley_coop.cli.console import progress, say
from shapley_coop.cli.options import PriceFile, prices_from
from shapley_coop.extensions.sweeps.commands.results import Folder
from shapley_coop.written_files import make_folder, replace_file

if TYPE_CHECKING:
    from shapley_coop.extensions.sweeps.store import Store

ROWS = "rows"
"""The format of `coop export` that writes rows unchanged and makes no tables."""

INSPECT = "inspect"
"""The format of `coop export` that writes logs for Inspect."""


def export(
    folder: Folder,
    out: Annotated[
        Path | None,
        typer.Option("-o", "--out", help="The folder to write to. Default: DIR/tables."),
    ] = None,
    format_: Annotated[
        str,
        typer.Option(
            "--format",
            help="csv, jsonl or parquet: tables; rows: whole runs; inspect: logs for inspect view.",
        ),
    ] = "csv",
    prices: PriceFile = None,
    force: Annotated[bool, typer.Option("--force", help="Replace files that exist.")] = False,
) -> None:
    """Write a sweep's tidy tables, its unchanged rows, or logs for Inspect."""
    from shapley_coop.extensions.sweeps.store import Store

    into = out or folder / "tables"
    with Store(folder) as store:
        if format_ == ROWS:
            say(str(write_rows(store, into, force)))
            return
        if format_ == INSPECT:
            from shapley_coop.extensions.reports.inspect_logs import write_logs

            for path in write_logs(store, out or folder / INSPECT, force):
                say(str(path))
            return
        count = len(store.rows())
    from shapley_coop.extensions.reports.tables import tables
    from shapley_coop.extensions.reports.writing import check_new, write

    if not force:
        check_new(into, format_)
    with progress(count, f"{count} runs") as moved:
        written = write(tables(folder, prices_from(prices), moved), into, format_)
    for path in written:
        say(str(path))


def write_rows(store: "Store", folder: Path, force: bool = False) -> Path:
    """Write every row as a line of JSON to rows.jsonl in a folder, and return the file's path.

    Raises:
        ValueError: the file exists, and `force` is False.
    """
    path = folder / "rows.jsonl"
    if path.exists() and not force:
        raise ValueError(f"{path} exists: give another --out, or --force to replace it")
    make_folder(folder)
    lines = (f"{json.dumps(x, ensure_ascii=False, sort_keys=True)}\n" for x in store.rows())
    replace_file(path, lines)
    return path
