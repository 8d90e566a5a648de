"""Folders of sweeps: reading one, splitting cells among machines, and merging several folders."""

from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from pathlib import Path

from shapley_coop.evals.cell import Cell, Row
from shapley_coop.extensions.sweeps.store import ROW, NoSweep, Store
from shapley_coop.state.storage.databases import Statements

_OTHER = "SELECT cell FROM sweep_rows WHERE sweep = :sweep AND cell = :cell AND content <> :content"


def left_in(folder: Path, cells: Sequence[Cell]) -> list[Cell]:
    """Return the cells that have no row in a folder: all of them if the folder holds no sweep.

    Raises:
        ValueError: the folder holds a sweep of another version.
    """
    try:
        with Store(folder) as store:
            return store.left(cells)
    except NoSweep:
        return list(cells)


def read_rows(folder: Path) -> list[Row]:
    """Return the rows of all runs in a folder, in memory.

    Raises:
        ValueError: the folder holds no sweep.
    """
    with Store(folder) as store:
        return list(store.rows())


def failures_in(folder: Path) -> list[Row]:
    """Return the last failed attempt of every cell that has no result row in a folder.

    Raises:
        ValueError: the folder holds no sweep.
    """
    with Store(folder) as store:
        return store.failures()


def shard(cells: Sequence[Cell], part: int, parts: int) -> list[Cell]:
    """Return one machine's share of the cells: share number `part`, from 1, of `parts` shares.

    The shares are disjoint. A cell stays in its share when seeds are added.
    """
    return [c for c in cells if (c.condition.rank + c.seed + c.repetition) % parts == part - 1]


def shard_from(given: str) -> tuple[int, int]:
    """Return (i, n) from the text "i/n": the part, from 1, and the number of parts.

    >>> shard_from("1/2")
    (1, 2)

    Raises:
        ValueError: the text has another form, or i is not in 1..n.
    """
    part, _, parts = given.partition("/")
    if part.isdigit() and parts.isdigit() and 1 <= int(part) <= int(parts):
        return int(part), int(parts)
    raise ValueError(f"--shard {given}: give i/n with 1 ≤ i ≤ n, as in 1/2")


def merge(folders: Iterable[Path], out: Path) -> int:
    """Merge the rows and costs of several folders into a new folder.

    Args:
        folders: the folders of the machines.
        out: the new folder.

    Returns:
        The number of merged runs.

    Raises:
        ValueError: `out` holds a sweep, one of `folders` holds no sweep, two hold the same sweep,
            or two have different runs of a cell; then nothing is merged.
    """
    with ExitStack() as opened:
        sources = [opened.enter_context(Store(folder)) for folder in folders]
        _check_apart(sources)
        into = opened.enter_context(Store(out, new=True))
        if into.column("SELECT id FROM sweeps WHERE sweep = :sweep"):
            raise ValueError(f"{out} contains a sweep already: merge into a new folder")
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
    """Refuse a sweep that is given twice, by a link or as a copy: its cost would count twice."""
    found: dict[str, Path] = {}
    for source in sources:
        first = found.setdefault(source.id, source.folder)
        if first is not source.folder:
            raise ValueError(f"{first} and {source.folder} are the same sweep: give it once")


def _take_in(source: Store, into: Store, session: Statements) -> None:
    rows = source.rows()
    for row in rows.as_kept(rows.cells()):
        values = into.given(**{name: x for name, x in row.items() if name != "sweep"})
        if session.execute(_OTHER, **values):
            raise ValueError(
                f"{source.folder} has another run of cell {row['cell']}: merge only one"
            )
        session.execute(ROW, **values)
