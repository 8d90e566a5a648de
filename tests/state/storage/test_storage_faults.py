"""A full, read-only, locked, dead or frozen place is told in one line, and the run can go on."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from shapley_coop.graphs.preparing import prepare
from shapley_coop.state.run_config import RunConfig
from shapley_coop.state.storage import facts
from shapley_coop.state.storage.checkpoints import savers
from shapley_coop.state.storage.facts import facts_at
from shapley_coop.state.storage.faults import storage_fault
from shapley_coop.state.storage.home import home
from shapley_coop.state.storage.sqlite import SqliteDatabase
from tests.coop_command import FAILED, USAGE, Coop, one_line

FULL = ("PRAGMA max_page_count = 1", "database or disk is full (free some space)")
READ_ONLY = ("PRAGMA query_only = 1", "readonly database (make it writable")


@contextmanager
def broken_books(statement: str) -> Iterator[None]:
    """Each connection to the books is first told this."""
    books: Any = facts_at(home().books_url).database
    opened = SqliteDatabase._opened

    def told(there: SqliteDatabase) -> sqlite3.Connection:
        connection = opened(there)
        connection.execute(statement)
        return connection

    books.close()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(SqliteDatabase, "_opened", told)
        yield
    books.close()


@contextmanager
def broken_checkpoints(statement: str) -> Iterator[None]:
    """So is each connection to the checkpoints."""
    connected = savers._connect

    def told(file: Path) -> sqlite3.Connection:
        connection = connected(file)
        connection.execute(statement)
        return connection

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(savers, "_connect", told)
        yield


@pytest.mark.parametrize("broken", [broken_books, broken_checkpoints])
@pytest.mark.parametrize(("statement", "said"), [FULL, READ_ONLY])
def test_what_cannot_be_written_stops_a_run_in_one_line(
    coop: Coop, broken: Callable[[str], Any], statement: str, said: str
) -> None:
    assert coop("run", "escape_room", "--graph", "llm_only", "--name", "before").code == 0
    prepare("shapley_coop", RunConfig(game="escape_room"), "r")
    with broken(statement):
        line = one_line(coop("resume", "r", "--json"), FAILED)
    assert said in line
    assert "Go on with coop resume r" in line
    assert coop("resume", "r", "--json").code == 0
    assert coop("verify", "r").code == 0


def test_a_run_that_cannot_be_entered_is_told_in_one_line(coop: Coop) -> None:
    assert coop("runs").code == 0
    with broken_books(READ_ONLY[0]):
        line = one_line(coop("run", "escape_room", "--name", "r", "--json"), FAILED)
    assert READ_ONLY[1] in line


def test_a_home_that_is_no_folder_is_told_in_one_line(
    coop: Coop, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("COOP_HOME", str(tmp_path / "file" / "home"))
    assert "set COOP_HOME" in one_line(coop("run", "escape_room"), USAGE)


def test_a_foreign_write_lock_stops_no_reader(coop: Coop) -> None:
    assert coop("run", "escape_room", "--name", "r").code == 0
    with ExitStack() as locks:
        for name in ("books", "checkpoints"):
            file = home().folder / f"{name}.sqlite"
            foreign = locks.enter_context(closing(sqlite3.connect(file)))
            foreign.execute("BEGIN IMMEDIATE")
        for command in (("runs",), ("show", "r"), ("letters", "r"), ("verify", "r")):
            facts._open_facts.cache_clear()  # as a process that begins now
            assert coop(*command).code == 0


def test_an_error_that_is_of_neither_disk_nor_database_is_none() -> None:
    assert storage_fault(ValueError("of the program")) == ""
    assert storage_fault(ConnectionRefusedError(111, "refused")) == ""
