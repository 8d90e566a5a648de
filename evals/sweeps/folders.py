"""Folders of sweeps: what one holds, the part of one machine, and several merged."""

import json
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from pathlib import Path

from shapley_coop.evals.sweeps.cells import Cell
from shapley_coop.evals.sweeps.store import ROW, NoSweep, Store
from shapley_coop.evals.sweeps.stored import Row
from shapley_coop.state.storage.statements import Statements
from shapley_coop.written_files import make_folder, replace_file

_OTHER = "SELECT cell FROM sweep_rows WHERE sweep = :sweep AND cell = :cell AND content <> :content"


def done_in(folder: Path) -> set[str]:
    """Return the cells of which a folder has rows; none where it holds no sweep.

    Raises:
        ValueError: it holds one of another version.
    """
    try:
        with Store(folder) as store:
            return store.done()
    except NoSweep:
        return set()


def read_rows(folder: Path) -> list[Row]:
    """Return all of a folder's runs at once.

    Raises:
        ValueError: it holds no sweep.
    """
    with Store(folder) as store:
        return list(store.rows())


def failures_in(folder: Path) -> list[Row]:
    """Like `Store.failures`, of a folder.

    Raises:
        ValueError: it holds no sweep.
    """
    with Store(folder) as store:
        return store.failures()


def shard(cells: Sequence[Cell], part: int, parts: int) -> list[Cell]:
    """Return one of `parts` disjoint parts, from 1, for machines that share no database.

    A cell's part does not change when seeds are added, and every part has all conditions.
    """
    return [c for c in cells if (c.condition.rank + c.seed + c.repetition) % parts == part - 1]


def shard_from(given: str) -> tuple[int, int]:
    """Read i/n: the part, from 1, and the number of parts.

    >>> shard_from("1/2")
    (1, 2)

    Raises:
        ValueError: there is no such part.
    """
    part, _, parts = given.partition("/")
    if part.isdigit() and parts.isdigit() and 1 <= int(part) <= int(parts):
        return int(part), int(parts)
    raise ValueError(f"--shard {given}: give i/n with 1 ≤ i ≤ n, as in 1/2")


def merge(folders: Iterable[Path], out: Path) -> int:
    """Take the rows of several folders of one sweep together, and what they have cost.

    Args:
        folders: of the machines.
        out: a new folder.

    Returns:
        How many runs there are.

    Raises:
        ValueError: something was swept into `out`, a folder holds no sweep, or two of them are one
            sweep or differ about a cell; then nothing is taken in.
    """
    with ExitStack() as opened:
        sources = [opened.enter_context(Store(folder)) for folder in folders]
        _check_apart(sources)
        into = opened.enter_context(Store(out, new=True))
        if not into.is_empty:
            raise ValueError(f"{out} holds a sweep already: merge into a new folder")
        suites = [(source.suites, source.content["skipped"]) for source in sources]
        with into.writing() as session:
            for source in sources:
                _take_in(source, into, session)
        for one, skipped in suites:
            into.register(one, skipped)
        cost = sum(source.spent for source in sources)
        into.write("UPDATE sweeps SET spent = :spent WHERE sweep = :sweep", spent=cost)
        return len(into.done())


def _check_apart(sources: Sequence[Store]) -> None:
    """Refuse a sweep that is given twice, as a link or a copy: its money would count twice."""
    found: dict[str, Path] = {}
    for source in sources:
        first = found.setdefault(source.id, source.folder)
        if first is not source.folder:
            raise ValueError(f"{first} and {source.folder} are one sweep: give it once")


def _take_in(source: Store, into: Store, session: Statements) -> None:
    rows = source.rows()
    for row in rows.as_kept(rows.cells()):
        values = into.given(**{name: x for name, x in row.items() if name != "sweep"})
        if session.execute(_OTHER, **values):
            raise ValueError(f"{source.folder} has another run of the cell {row['cell']}: keep one")
        session.execute(ROW, **values)


def write_rows(store: Store, folder: Path, force: bool = False) -> Path:
    """Write every row whole, a line of JSON each, into a folder that is made unless it is there.

    Raises:
        ValueError: the file is there, and is not to be replaced.
    """
    path = folder / "rows.jsonl"
    if path.exists() and not force:
        raise ValueError(f"{path} exists: give another --out, or --force to replace it")
    make_folder(folder)
    lines = (f"{json.dumps(x, ensure_ascii=False, sort_keys=True)}\n" for x in store.rows())
    replace_file(path, lines)
    return path
