"""A sweep's folder: one SQLite file in which each cell has its row, written once.

Any number of processes on one machine share it: see `evals.sweeps.workers`. With COOP_DATABASE_URL
the same tables are in that database instead, where a sweep has its folder's name, and any number of
machines share it. A folder that has a file is read and written there, wherever the database is.
"""

import json
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

from shapley_coop.evals.sweeps.stored import Row, Stored
from shapley_coop.evals.sweeps.suite import Suite, games_in, refuse_programs
from shapley_coop.state.storage.database import facts_at
from shapley_coop.state.storage.driver import SqliteDatabase
from shapley_coop.state.storage.home import home
from shapley_coop.state.storage.leases import FileLeases, Leases
from shapley_coop.state.storage.statements import Statements
from shapley_coop.state.storage.versions import check_version
from shapley_coop.written_files import make_folder

FILE, VERSION = "sweep.sqlite", 1

_TABLES = {
    "sweeps": "version INTEGER, id TEXT, content TEXT, spent DOUBLE PRECISION, PRIMARY KEY (sweep)",
    "sweep_rows": "cell TEXT, suite TEXT, labels TEXT, seed BIGINT, repetition INTEGER, "
    "calls INTEGER, content TEXT, volatile TEXT, PRIMARY KEY (sweep, cell)",
    "sweep_failures": "cell TEXT, usd DOUBLE PRECISION, content TEXT, PRIMARY KEY (sweep, cell)",
    "sweep_taken": "cell TEXT, worker TEXT, PRIMARY KEY (sweep, cell)",
    "sweep_calls": "id TEXT, worker TEXT, endpoint TEXT, made DOUBLE PRECISION, "
    "tokens DOUBLE PRECISION, worst DOUBLE PRECISION, under_way INTEGER, PRIMARY KEY (sweep, id)",
}
_INDEX = """
    CREATE INDEX IF NOT EXISTS ix_sweep_rows
    ON sweep_rows (sweep, suite, labels, seed, repetition, cell, calls)
"""
_NOBODY = ""
"""Rows of sweeps have no owner: operators sweep, and no tenant does."""

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


class NoSweep(ValueError):
    """A folder that holds no sweep."""


class Store:
    """The tables of one sweep. Use it in a `with` block; threads may use it at once.

    Args:
        folder: the sweep's.
        new: whether to make it where it is missing.

    Attributes:
        folder: the same.
        leases: of the processes that play it.

    Raises:
        ValueError: the folder holds no sweep, or one of another version.
    """

    def __init__(self, folder: Path, *, new: bool = False) -> None:
        self.folder, file = folder, folder / FILE
        shared = "" if file.exists() else home().database
        if file.exists() and not file.is_file():  # it would be read for ever
            raise ValueError(f"{file} is no file")
        if new:
            make_folder(folder)
        elif not (shared or file.is_file()):
            raise self._no_sweep()
        self._name = folder.resolve().name if shared else ""
        self._database: Any = facts_at(shared).database if shared else SqliteDatabase(file)
        self.leases: Leases = home().leases if shared else FileLeases(folder)
        try:
            self._open(new)
        except sqlite3.DatabaseError as error:
            self.close()
            raise ValueError(f"{file} is no sweep's file, or damaged: {error}") from None
        except ValueError:
            self.close()
            raise

    def _open(self, new: bool) -> None:
        """Make the tables that are missing, and look at the version."""
        with self._reading() as session:
            missing = _TABLES.keys() - session.tables()
        if missing:
            with self.writing("tables of sweeps") as session:
                for name, told in _TABLES.items():
                    session.execute(f"CREATE TABLE IF NOT EXISTS {name} (sweep TEXT, {told})")
                session.execute(_INDEX)
        if entered := self._entered():
            check_version(str(self.folder), entered["version"], VERSION, "sweep into a new folder")
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
        if self._database.sqlite:
            self._database.close()

    def given(self, **values: Any) -> dict[str, Any]:
        """Return a statement's values, with the sweep's."""
        return {"sweep": self._name, **values}

    def find(self, query: str, **values: Any) -> list[dict[str, Any]]:
        """Return the rows that a query finds, whose values are given and the `sweep`."""
        with self._reading() as session:
            return session.rows(query, **self.given(**values))

    def write(self, *statements: str, **values: Any) -> None:
        """Make changes in one transaction, whose values are given and the `sweep`."""
        with self.writing() as session:
            for statement in statements:
                session.execute(statement, **self.given(**values))

    @contextmanager
    def _reading(self) -> Iterator[Statements]:
        with self._database.reading(_NOBODY) as connection:
            yield Statements(connection, self._database.sqlite)

    @contextmanager
    def writing(self, lock: str = "") -> Iterator[Statements]:
        """One transaction.

        Args:
            lock: what it alone may change meanwhile.
        """
        with self._database.writing(_NOBODY, lock) as connection:
            yield Statements(connection, self._database.sqlite)

    @property
    def is_empty(self) -> bool:
        """Whether nothing was ever swept here."""
        return not self._entered()

    @property
    def id(self) -> str:
        """The sweep's, which makes a cell's run the same one whenever it goes on."""
        return str(self._entered()["id"])

    @property
    def spent(self) -> float:
        """What calls have cost, in USD, at the prices of when they were made."""
        return float(self._entered().get("spent", 0.0))

    @property
    def content(self) -> dict[str, Any]:
        """{"suites": name → suite, "skipped": name → why}."""
        return dict(json.loads(self._entered()["content"]))

    def _entered(self) -> dict[str, Any]:
        """Return what is kept of the sweep itself; nothing where nothing was ever swept."""
        return next(iter(self.find("SELECT * FROM sweeps WHERE sweep = :sweep")), {})

    @property
    def suites(self) -> list[Suite]:
        """The suites that are swept here, as they were run.

        Raises:
            ValueError: one names a program that was not permitted.
        """
        suites = [Suite.model_validate(one) for one in self.content["suites"].values()]
        refuse_programs(self.folder, (game for suite in suites for game in games_in(suite)))
        return suites

    def register(self, suites: Iterable[Suite], skipped: dict[str, str]) -> str:
        """Record the suites that are swept here; seeds and suites may be added later.

        Returns:
            The sweep's id, which the first process makes.
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
                if before == {**now, "seeds": before["seeds"]}:
                    now["seeds"] = sorted({*before["seeds"], *now["seeds"]})
                known["suites"][suite.name] = now
            told = {**known.get("skipped", {}), **skipped}
            known["skipped"] = {k: why for k, why in told.items() if k not in known["suites"]}
            kept = self.given(content=json.dumps(known, ensure_ascii=False))
            session.execute("UPDATE sweeps SET content = :content WHERE sweep = :sweep", **kept)
        return str(name)

    def done(self) -> set[str]:
        """Return the cells that have rows."""
        return self._cells_in("sweep_rows")

    def taken(self) -> set[str]:
        """Return the cells that a process has taken and not ended."""
        return self._cells_in("sweep_taken")

    def _cells_in(self, table: str) -> set[str]:
        query = f"SELECT cell FROM {table} WHERE sweep = :sweep"  # noqa: S608 - ours
        return {found["cell"] for found in self.find(query)}

    def failed_cost(self, cell: str) -> float:
        """Return what a cell's failed attempts have cost, in USD."""
        query = "SELECT usd FROM sweep_failures WHERE sweep = :sweep AND cell = :cell"
        return float(sum(found["usd"] for found in self.find(query, cell=cell)))

    def counts(self) -> dict[str, tuple[int, int]]:
        """Suite → how many of its runs have ended, and their calls."""
        query = (
            "SELECT suite, COUNT(*) AS done, SUM(calls) AS calls FROM sweep_rows "
            "WHERE sweep = :sweep GROUP BY suite"
        )
        return {found["suite"]: (found["done"], found["calls"]) for found in self.find(query)}

    def failures(self) -> list[Row]:
        """Return the last failed attempt of every cell that has not ended."""
        query = "SELECT content FROM sweep_failures WHERE sweep = :sweep ORDER BY cell"
        return [json.loads(found["content"]) for found in self.find(query)]

    def rows(self) -> Stored:
        """Return the runs in the order of the suites' cells, each read when it is used.

        Raises:
            ValueError: a suite names a program that was not permitted.
        """
        return Stored.of(self, self.suites)
