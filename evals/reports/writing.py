"""Tables written part by part: at no time is a whole one in memory."""

from collections.abc import Callable, Iterable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from shapley_coop.escaping import in_cell
from shapley_coop.evals.reports.tables import COLUMNS, Tables
from shapley_coop.extras import needing
from shapley_coop.written_files import make_folder

with needing("reports", "a table of runs"):
    import polars as pl


def _csv(frame: pl.DataFrame, file: Any, first: bool) -> None:
    """Spreadsheets open it, so no text in it is a formula."""
    texts = frame.select(pl.col(pl.String))
    frame.with_columns(map(_safe, texts)).write_csv(file, include_header=first)


def _safe(texts: pl.Series) -> pl.Series:
    """Each different text is looked at once: most columns have few."""
    known = texts.drop_nulls().unique().to_list()
    return texts.replace({text: cell for text in known if (cell := in_cell(text)) != text})


def _jsonl(frame: pl.DataFrame, file: Any, first: bool) -> None:
    frame.write_ndjson(file)


_APPENDED: dict[str, Callable[[pl.DataFrame, Any, bool], None]] = {"csv": _csv, "jsonl": _jsonl}

FORMATS = (*_APPENDED, "parquet")


def check_new(folder: Path, format_: str) -> None:
    """Refuse to write where tables are, before any is made.

    Raises:
        ValueError: there is no such format, or a table is there.
    """
    if format_ not in FORMATS:
        raise ValueError(f"no format {format_!r}: there are {', '.join(FORMATS)}")
    for name in COLUMNS:
        if (path := folder / f"{name}.{format_}").exists():
            raise ValueError(f"{path} exists: give another --out, or --force to replace it")


def write(parts: Iterable[Tables], folder: Path, format_: str) -> list[Path]:
    """Write tables, each as one file; files of these names are replaced once all is written.

    Args:
        parts: of the tables, all with the same columns.
        folder: made unless it is there.
        format_: csv, jsonl or parquet.

    Raises:
        ValueError: there is no such format, or no folder can be made.
    """
    if format_ not in FORMATS:
        raise ValueError(f"no format {format_!r}: there are {', '.join(FORMATS)}")
    make_folder(folder)
    with TemporaryDirectory(dir=folder, prefix=".tables-") as drafts:
        made = (_joined if format_ == "parquet" else _appended)(parts, Path(drafts), format_)
        return [draft.replace(folder / draft.name) for draft in made]


def _appended(parts: Iterable[Tables], drafts: Path, format_: str) -> list[Path]:
    made: dict[str, Path] = {}
    for part in parts:
        for name, frame in part.items():
            first = name not in made
            path = made.setdefault(name, drafts / f"{name}.{format_}")
            with path.open("ab") as file:
                _APPENDED[format_](frame, file, first)
    return list(made.values())


def _joined(parts: Iterable[Tables], drafts: Path, format_: str) -> list[Path]:
    """Parquet cannot be appended to: the parts are files, which are then streamed into one."""
    found: dict[str, list[Path]] = {}
    for number, part in enumerate(parts):
        for name, frame in part.items():
            path = drafts / f"{name}-{number}.part"
            frame.write_parquet(path)
            found.setdefault(name, []).append(path)
    made = []
    for name, paths in found.items():
        made.append(drafts / f"{name}.{format_}")
        pl.scan_parquet(paths).sink_parquet(made[-1])
    return made
