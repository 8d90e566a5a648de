"""A sweep's folder: its suites, and one appended line for each run.

    sweep.json            the suites as they were run, and the sweep's id
    rows.jsonl            one line a run: all that is compared; equal runs have equal lines
    volatile.jsonl        one line a run: names, times and versions, which differ each time;
                          older sweeps call it apart.jsonl
    failures.jsonl        one line a failed attempt; its cell is tried again by the next sweep
    rows.1of2.jsonl, …    the same of a shard
    .rows.jsonl.index, …  where each line is: see `evals.sweeps.index`; made anew where it is gone

A line counts when its newline is on the disk: a torn last line is dropped by the next writer.
"""

import fcntl
import json
import os
import threading
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

from shapley_coop.evals.sweeps.index import Index
from shapley_coop.evals.sweeps.lines import files_of, whole_lines
from shapley_coop.evals.sweeps.stored import Row, RowLocation, Stored, by_cell, in_order
from shapley_coop.evals.sweeps.suite import Suite, games_in, refuse_programs

MANIFEST = "sweep.json"
KINDS = ("rows", "volatile", "failures")
INDEXED = ("rows", "failures")


class Writer:
    """Appends lines to one shard of a folder; one process at a time.

    Use it in a `with` block: it holds a lock, which the system frees when the process dies.

    Args:
        folder: the sweep's.
        shard: part and parts; None for the whole.

    Raises:
        ValueError: another process is writing there.
    """

    def __init__(self, folder: Path, shard: tuple[int, int] | None = None) -> None:
        self.folder = folder
        suffix = f".{shard[0]}of{shard[1]}" if shard else ""
        self._paths = {kind: folder / f"{kind}{suffix}.jsonl" for kind in KINDS}
        self._files: dict[str, int] = {}
        self._indexes: dict[str, Index] = {}
        self._mutex = threading.Lock()

    def __enter__(self) -> "Writer":
        make_folder(self.folder)
        for kind, path in self._paths.items():
            self._files[kind] = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
            try:
                fcntl.flock(self._files[kind], fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                self.__exit__()
                raise ValueError(
                    f"{path}: another sweep is writing it; wait for its end, or give --shard i/n"
                ) from None
            _drop_torn_line(self._files[kind])
        _sync_folder(self.folder)
        try:
            for kind in INDEXED:
                self._indexes[kind] = Index(self._paths[kind])
        except ValueError:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        for index in self._indexes.values():
            with index:
                index.write()
        self._indexes.clear()
        for file in self._files.values():
            os.close(file)
        self._files.clear()

    def finished(self, row: Row, volatile: Row) -> None:
        """Keep a run. It counts once its row, which is written last, is on the disk."""
        self._append("volatile", volatile)
        self._append("rows", row)

    def failed(self, failure: Row) -> None:
        """Record a failed attempt and its cause."""
        self._append("failures", failure)

    def _append(self, kind: str, line: Row) -> None:
        data = f"{_json(line)}\n".encode()
        with self._mutex:
            left = memoryview(data)
            while left:
                left = left[os.write(self._files[kind], left) :]
            os.fsync(self._files[kind])
            if kind in self._indexes:
                self._indexes[kind].add(line, data)


def read(folder: Path, kind: str = "rows") -> list[Row]:
    """Every whole line of a kind, over all shards.

    Raises:
        ValueError: a line in the middle of a file is no JSON object.
    """
    return [line for path in files_of(folder, kind) for _, line in whole_lines(path)]


def stored(folder: Path) -> Stored:
    """The folder's runs in the order of its suites' cells, each once, read when it is used.

    Raises:
        ValueError: the folder holds no sweep, or two different rows of one cell.
    """
    return in_order(folder, suites_of(folder))


def read_rows(folder: Path) -> list[Row]:
    """All of `stored` at once."""
    return list(stored(folder))


def volatile_lines(folder: Path) -> Iterator[Row]:
    """The volatile fields of every attempt that ended."""
    for path in files_of(folder, "volatile"):
        yield from (line for _, line in whole_lines(path))


def manifest(folder: Path) -> dict[str, Any]:
    """What the folder was made for.

    Raises:
        ValueError: it holds no sweep.
    """
    try:
        found: dict[str, Any] = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        raise ValueError(f"{folder} holds no sweep: coop sweep SUITE -o DIR makes one") from None
    return found


def suites_of(folder: Path) -> list[Suite]:
    """The suites that the folder was made for, as they were run.

    Raises:
        ValueError: it holds no sweep, or one of programs that were not permitted.
    """
    suites = [Suite.model_validate(content) for content in manifest(folder)["suites"].values()]
    refuse_programs(folder, (game for suite in suites for game in games_in(suite)))
    return suites


def register(folder: Path, suites: Iterable[Suite], skipped: dict[str, str]) -> str:
    """Record the suites that are swept here; seeds and suites may be added later.

    Returns:
        The sweep's id, which the first process makes.
    """
    make_folder(folder)
    path = folder / MANIFEST
    _write_new(path, {"sweep": uuid4().hex[:8], "suites": {}, "skipped": {}})
    known = manifest(folder)
    for suite in suites:
        now = suite.model_dump(mode="json")
        before = known["suites"].get(suite.name, now)
        if before == {**now, "seeds": before["seeds"]}:
            now["seeds"] = sorted({*before["seeds"], *now["seeds"]})
        known["suites"][suite.name] = now
    known["skipped"] = {**known["skipped"], **skipped}
    for name in known["suites"]:
        known["skipped"].pop(name, None)
    replace_file(path, json.dumps(known, ensure_ascii=False, indent=1) + "\n")
    return str(known["sweep"])


def merge(folders: Iterable[Path], into: Path) -> int:
    """Merge the runs of several folders of the same sweep, sorted, each once.

    Returns:
        How many runs there are.

    Raises:
        ValueError: a folder holds no sweep, or two of them differ about a cell.
    """
    sources = list(folders)
    if (into / MANIFEST).exists():
        raise ValueError(f"{into} holds a sweep already: merge into a new folder")
    suites = [suite for folder in sources for suite in suites_of(folder)]
    places: dict[str, RowLocation] = {}
    for folder in sources:
        for place in stored(folder).places:
            known = places.setdefault(place.cell, place)
            if (known.length, known.crc) != (place.length, place.crc):
                raise ValueError(f"{folder} has another run of the cell {place.cell}: keep one")
    told = {k: v for f in reversed(sources) for k, v in by_cell(f, "volatile").items()}
    skipped = {k: v for f in sources for k, v in manifest(f)["skipped"].items()}
    register(into, suites, skipped)
    merged = Stored([places[cell] for cell in sorted(places)])
    with Writer(into) as writer:
        for row in merged:
            at = told.get(row["cell"])
            writer.finished(row, Stored([at])[0] if at else {"cell": row["cell"]})
    return len(merged)


def make_folder(folder: Path) -> None:
    """Make a folder unless it exists.

    Raises:
        ValueError: it cannot be made.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ValueError(f"{folder}: no folder can be made there ({error.strerror})") from None


def _json(line: Row) -> str:
    return json.dumps(line, ensure_ascii=False, sort_keys=True, allow_nan=False)


def _drop_torn_line(file: int) -> None:
    """Cut off what a killed process left without its newline."""
    size = os.fstat(file).st_size
    end, tail = size, b""
    while end and b"\n" not in tail:
        begin = max(0, end - 65536)
        tail, end = os.pread(file, end - begin, begin), begin
    whole = end + tail.rfind(b"\n") + 1
    if whole < size:
        os.ftruncate(file, whole)
        os.fsync(file)


def _write_new(path: Path, content: dict[str, Any]) -> None:
    """Write a file unless it is there; of several at the same time, one wins."""
    draft = path.with_name(f".{path.name}.{uuid4().hex}")
    draft.write_text(_json(content), encoding="utf-8")
    try:
        os.link(draft, path)
    except FileExistsError:
        return
    finally:
        draft.unlink()


def replace_file(path: Path, text: str) -> None:
    """Write a file atomically: afterwards it is there whole, or as it was before."""
    draft = path.with_name(f".{path.name}.{uuid4().hex}")
    try:
        draft.write_text(text, encoding="utf-8")
        os.replace(draft, path)
    finally:
        draft.unlink(missing_ok=True)


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
