"""The storage of a sweep: one SQLite file in the sweep's folder, with one row for each cell.

Any number of processes on one machine share the file: see `extensions.sweeps.workers`. With
COOP_DATABASE_URL the tables are in that database, under the folder's name, and any number of
machines share them. But if the folder already has a file, the sweep stays in the file.
"""

import json
import sqlite3
from collections.abc import Iterable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any
from uuid import uuid4

from shapley_coop.evals.cell import Cell, Row
from shapley_coop.extensions.sweeps.stored import Stored
from shapley_coop.extensions.sweeps.suite import Suite, games_in, refuse_programs
from shapley_coop.state.storage.databases import Database, Statements
from shapley_coop.state.storage.home import home
from shapley_coop.state.storage.leases import FileLeases, Leases
from shapley_coop.state.storage.sqlite import SqliteDatabase
from shapley_coop.state.storage.versions import check_version
from shapley_coop.written_files import make_folder

FILE, VERSION = "sweep.sqlite", 2

_TABLES = {
    "sweeps": "version INTEGER, id TEXT, content TEXT, spent DOUBLE PRECISION, PRIMARY KEY (sweep)",
    "sweep_rows": "cell TEXT, suite TEXT, labels TEXT, seed BIGINT, repetition INTEGER, "
    "calls INTEGER, content TEXT, volatile TEXT, PRIMARY KEY (sweep, cell)",
    "sweep_failures": "cell TEXT, usd DOUBLE PRECISION, content TEXT, PRIMARY KEY (sweep, cell)",
    "sweep_taken": "cell TEXT, worker TEXT, PRIMARY KEY (sweep, cell)",
    "sweep_places": "cell TEXT, place TEXT, PRIMARY KEY (sweep, cell)",
    "sweep_calls": "id TEXT, worker TEXT, endpoint TEXT, made DOUBLE PRECISION, "
    "tokens DOUBLE PRECISION, worst DOUBLE PRECISION, under_way INTEGER, PRIMARY KEY (sweep, id)",
}
_INDEX = """
    CREATE INDEX IF NOT EXISTS ix_sweep_rows
    ON sweep_rows (sweep, suite, labels, seed, repetition, cell, calls)
"""
_NOBODY = ""
"""The owner of sweeps' rows: none, because only the operator runs sweeps, never a tenant."""

_ENTER = """
    INSERT INTO sweeps (sweep, version, id, content, spent)
    VALUES (:sweep, :version, :id, :content, 0) ON CONFLICT (sweep) DO UPDATE SET id = sweeps.id
"""
ROW = """
    INSERT INTO sweep_rows
    (sweep, cell, suite, labels, seed, repetition, calls, content, volatile)
    VALUES (:sweep, :cell, :suite, :labels, :seed, :repetition, :calls, :content, :volatile)
    ON CONFLICT (sweep, cell) DO NOTHING
"""
_PLACE = """
    INSERT INTO sweep_places (sweep, cell, place) VALUES (:sweep, :cell, :place)
    ON CONFLICT (sweep, cell) DO NOTHING
"""


class NoSweep(ValueError):
    """The error if a folder contains no sweep."""


class Store:
    """The tables of one sweep, for use in a `with` block; several threads may use one store.

    Args:
        folder: the sweep's folder.
        new: whether to make the folder and the tables if they are missing.
        in_database: whether to look in the shared database alone, and not for a file.

    Attributes:
        folder: the sweep's folder.
        leases: the leases of the processes that play the sweep.
        name: the sweep's name in a shared database; "" in a file of its own.

    Raises:
        ValueError: the folder holds no sweep, or one of another version.
    """

    def __init__(self, folder: Path, *, new: bool = False, in_database: bool = False) -> None:
        self.folder, file = folder, folder / FILE
        found = file.exists() and not in_database
        shared = "" if found else home().database
        if found and not file.is_file():  # reading a pipe or a device might never end
            raise ValueError(f"{file} is not a file")
        if new:
            make_folder(folder)
        elif not (shared or found):
            raise self._no_sweep()
        self.name = folder.resolve().name if shared else ""
        self._database: Database = SqliteDatabase(file)
        self.leases: Leases = FileLeases(folder)
        if shared:
            from shapley_coop.state.storage.facts import facts_at  # slow, and for databases alone

            self._database, self.leases = facts_at(shared).database, home().leases
        try:
            self._open(new)
        except sqlite3.DatabaseError as error:
            self.close()
            raise ValueError(f"{file} is not a sweep's file, or it is damaged: {error}") from None
        except ValueError:
            self.close()
            raise

    def _open(self, new: bool) -> None:
        """Create the tables if they are missing, and check the sweep's version."""
        with self._database.reading(_NOBODY) as session:
            missing = _TABLES.keys() - session.tables()
        if missing:
            with self.writing("tables of sweeps") as session:
                for name, told in _TABLES.items():
                    session.execute(f"CREATE TABLE IF NOT EXISTS {name} (sweep TEXT, {told})")
                session.execute(_INDEX)
        if versions := self.column("SELECT version FROM sweeps WHERE sweep = :sweep"):
            check_version(str(self.folder), versions[0], VERSION, "sweep into a new folder")
        elif not new:
            raise self._no_sweep()

    def _no_sweep(self) -> "NoSweep":
        return NoSweep(f"{self.folder} holds no sweep: coop sweep SUITE -o DIR makes one")

    def __enter__(self) -> "Store":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file; a shared database stays open."""
        if isinstance(self._database, SqliteDatabase):
            self._database.close()

    def given(self, **values: Any) -> dict[str, Any]:
        """Return an SQL statement's parameters, with the sweep's name added as `sweep`."""
        return {"sweep": self.name, **values}

    def find(self, query: str, **values: Any) -> list[dict[str, Any]]:
        """Return the rows of a query, whose parameters are `values` and `sweep`."""
        with self._database.reading(_NOBODY) as session:
            return session.rows(query, **self.given(**values))

    def column(self, query: str, **values: Any) -> list[Any]:
        """Return the values of a query with one column; they take less memory than rows."""
        with self._database.reading(_NOBODY) as session:
            return [value for (value,) in session.execute(query, **self.given(**values))]

    def write(self, *statements: str, **values: Any) -> None:
        """Execute statements in one transaction; their parameters are `values` and `sweep`."""
        with self.writing() as session:
            for statement in statements:
                session.execute(statement, **self.given(**values))

    def writing(self, lock: str = "") -> AbstractContextManager[Statements]:
        """Open a transaction that may write.

        Args:
            lock: the name of a lock that the transaction holds; "" for no lock.
        """
        return self._database.writing(_NOBODY, lock)

    @property
    def id(self) -> str:
        """The sweep's id, with which its runs' names begin; it is the same at each resume."""
        return str(self.column("SELECT id FROM sweeps WHERE sweep = :sweep")[0])

    @property
    def spent(self) -> float:
        """The cost of all calls in USD, each at the price when the call was made."""
        return float(sum(self.column("SELECT spent FROM sweeps WHERE sweep = :sweep")))

    @property
    def content(self) -> dict[str, Any]:
        """The stored content: {"suites": name → suite, "skipped": name → reason}."""
        (content,) = self.column("SELECT content FROM sweeps WHERE sweep = :sweep")
        return dict(json.loads(content))

    @property
    def suites(self) -> list[Suite]:
        """The suites of the sweep, as they were run.

        Raises:
            ValueError: a suite names a program as its game, and programs were not permitted.
        """
        suites = [Suite.model_validate(one) for one in self.content["suites"].values()]
        refuse_programs(self.folder, (game for suite in suites for game in games_in(suite)))
        return suites

    def register(self, suites: Iterable[Suite], skipped: dict[str, str]) -> str:
        """Record the suites of the sweep; a later call may add seeds and suites.

        Returns:
            The sweep's id, which the first call creates.
        """
        fresh = self.given(version=VERSION, id=uuid4().hex[:8], content='{"suites": {}}')
        with self.writing() as session:
            session.execute(_ENTER, **fresh)
            query = "SELECT id, content FROM sweeps WHERE sweep = :sweep"
            ((name, content),) = session.execute(query, **fresh)
            known = json.loads(content)
            for suite in suites:
                now = suite.model_dump(mode="json")
                before = known["suites"].get(suite.name, now)
                if suite.is_stored_as(before):
                    now["seeds"] = sorted({*before["seeds"], *now["seeds"]})
                known["suites"][suite.name] = now
            told = {**known.get("skipped", {}), **skipped}
            known["skipped"] = {k: why for k, why in told.items() if k not in known["suites"]}
            kept = self.given(content=json.dumps(known, ensure_ascii=False))
            session.execute("UPDATE sweeps SET content = :content WHERE sweep = :sweep", **kept)
        return str(name)

    def done(self) -> set[str]:
        """Return the ids of the cells that have rows."""
        return set(self.column("SELECT cell FROM sweep_rows WHERE sweep = :sweep"))

    def left(self, cells: Iterable[Cell]) -> list[Cell]:
        """Return the cells that have no rows, in order."""
        done = self.done()
        return [cell for cell in cells if cell.id not in done]

    def taken(self) -> set[str]:
        """Return the ids of the cells that a process has taken and not finished."""
        return set(self.column("SELECT cell FROM sweep_taken WHERE sweep = :sweep"))

    def failed_cost(self, cell: str) -> float:
        """Return the cost in USD of a cell's failed attempts."""
        query = "SELECT usd FROM sweep_failures WHERE sweep = :sweep AND cell = :cell"
        return float(sum(self.column(query, cell=cell)))

    def place(self, cell: str, new: str = "") -> str:
        """Return the server that plays a cell: the first that was given as `new`, or ""."""
        if new:
            self.write(_PLACE, cell=cell, place=new)
        query = "SELECT place FROM sweep_places WHERE sweep = :sweep AND cell = :cell"
        return "".join(self.column(query, cell=cell))

    def counts(self) -> dict[str, tuple[int, int]]:
        """Return suite → the number of the suite's ended runs, and the number of their calls."""
        found = self.find(
            "SELECT suite, COUNT(*) AS done, SUM(calls) AS calls FROM sweep_rows "
            "WHERE sweep = :sweep GROUP BY suite"
        )
        return {one["suite"]: (one["done"], one["calls"]) for one in found}

    def failures(self) -> list[Row]:
        """Return the last failed attempt of every cell that has no row."""
        query = "SELECT content FROM sweep_failures WHERE sweep = :sweep ORDER BY cell"
        return list(map(json.loads, self.column(query)))

    def rows(self) -> Stored:
        """Return the runs in the order of the suites' cells; each row is read when it is used.

        Raises:
            ValueError: a suite names a program as its game, and programs were not permitted.
        """
        return Stored.of(self, self.suites)
