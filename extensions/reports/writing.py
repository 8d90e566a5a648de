"""Writers of tables to files, part by part, so that no whole table is in memory."""

from collections.abc import Callable, Iterable
from pathlib import Path
from tempfile import TemporaryDirectory

from shapley_coop.escaping import in_cell
from shapley_coop.extensions.reports.tables import COLUMNS, Tables
from shapley_coop.extras import require_extra
from shapley_coop.written_files import make_folder

with require_extra("reports", "a table of runs"):
    import polars as pl


def _safe(texts: pl.Series) -> pl.Series:
    """Return texts, changed so that spreadsheets do not read any of them as a formula."""
    known = texts.drop_nulls().unique().to_list()
    return texts.replace({text: cell for text in known if (cell := in_cell(text)) != text})


_SINKS: dict[str, Callable[[pl.LazyFrame, Path], object]] = {
    "csv": pl.LazyFrame.sink_csv,
    "jsonl": pl.LazyFrame.sink_ndjson,
    "parquet": pl.LazyFrame.sink_parquet,
}
FORMATS = tuple(_SINKS)
KNOWN = (*FORMATS, "rows", "inspect")
"""The formats of `coop export`: of tables, and those of `exporting`."""


def check_new(folder: Path, format_: str) -> None:
    """Refuse to overwrite tables, before any table is made.

    Raises:
        ValueError: the format does not exist, or a table's file exists.
    """
    if format_ not in FORMATS:
        raise ValueError(f"{format_!r} is not a format: choose from {', '.join(KNOWN)}")
    for name in COLUMNS:
        if (path := folder / f"{name}.{format_}").exists():
            raise ValueError(f"{path} exists: give another --out, or --force to replace it")


def write(parts: Iterable[Tables], folder: Path, format_: str) -> list[Path]:
    """Write each table to one file; existing files are replaced after all tables are written.

    Args:
        parts: the tables of successive groups of runs, with equal columns (`tables.tables`).
        folder: the folder, which is made if it does not exist.
        format_: csv, jsonl or parquet.

    Raises:
        ValueError: the format does not exist, or the folder cannot be made.
    """
    if format_ not in FORMATS:
        raise ValueError(f"{format_!r} is not a format: choose from {', '.join(KNOWN)}")
    make_folder(folder)
    with TemporaryDirectory(dir=folder, prefix=".tables-") as drafts:
        made = []
        for name, paths in _parts(parts, Path(drafts), format_).items():
            made.append(Path(drafts, f"{name}.{format_}"))
            _SINKS[format_](pl.scan_parquet(paths), made[-1])
        return [draft.replace(folder / draft.name) for draft in made]


def _parts(parts: Iterable[Tables], drafts: Path, format_: str) -> dict[str, list[Path]]:
    """Write each part of each table to a draft file; return table name → its draft files."""
    found: dict[str, list[Path]] = {}
    for number, part in enumerate(parts):
        for name, frame in part.items():
            path = drafts / f"{name}-{number}.part"
            if format_ == "csv":  # spreadsheets open CSV: no text may be a formula
                frame = frame.with_columns(map(_safe, frame.select(pl.col(pl.String))))  # noqa: PLW2901
            frame.write_parquet(path)
            found.setdefault(name, []).append(path)
    return found
