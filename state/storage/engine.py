"""One SQLAlchemy engine per database URL, safe for several processes at once."""

import logging
import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any, ClassVar

from sqlalchemy import Connection, Engine, Executable, MetaData, Row, create_engine, event, inspect
from sqlalchemy.engine import make_url

from shapley_coop.state.storage.at_rest import private_file, private_folder
from shapley_coop.state.storage.driver import CoreSession, Session, driver_of
from shapley_coop.state.storage.versions import BOOKS, check_known, version_of

BUSY_SECONDS = 60
_AGAIN = 0.005
"""Seconds until a lock that SQLite itself does not wait for is tried again."""

_TABLES_LOCK = 5_311_846
_tables_lock = Lock()

# At DEBUG it logs every statement with its values, and checkpoints hold private reasoning.
logging.getLogger("aiosqlite").setLevel(logging.INFO)


@cache
def engine(url: str) -> Engine:
    """The engine of a SQLite file or a Postgres database; made once per process and URL.

    What is committed survives a power cut: answers are paid for, and postings refer to them.

    Args:
        url: `sqlite:///path` or `postgresql://…`.
    """
    parsed = make_url(url)
    if parsed.get_backend_name() == "sqlite":
        if parsed.database:
            private_folder(Path(parsed.database).parent)
            private_file(Path(parsed.database))
        made = create_engine(parsed, connect_args={"timeout": BUSY_SECONDS}, hide_parameters=True)
        event.listen(made, "connect", _set_up_sqlite)
        event.listen(made, "begin", _begin)
        return made
    # Rows hold private text: an error must not quote them.
    made = create_engine(
        parsed.set(drivername="postgresql+psycopg"), pool_pre_ping=True, hide_parameters=True
    )
    event.listen(made, "do_connect", _connect_bounded)
    return made


class Book:
    """Some tables of a database, made when it is opened.

    Args:
        url: `sqlite:///…` or `postgresql://…`.
    """

    tables: ClassVar[MetaData]

    def __init__(self, url: str) -> None:
        self._engine = engine(url)
        sqlite = self._engine.dialect.name == "sqlite"
        # Single queries wait for no writer, and no writer waits for them. AUTOCOMMIT would bring
        # back the SQLite driver's own transactions; `_begin` sends none here.
        alone: dict[str, Any] = {"reading": True} if sqlite else {"isolation_level": "AUTOCOMMIT"}
        self._reader = self._engine.execution_options(**alone)
        if self._is_set_up():
            return
        # Other threads and processes that need the tables wait until they are there.
        with _tables_lock, self._engine.begin() as connection:
            if not sqlite:
                connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_TABLES_LOCK})")
            self._set_up(connection)

    def _is_set_up(self) -> bool:
        """Whether everything is in place; it takes no lock, so that no writer stops a reader."""
        with self._reader.connect() as connection:
            if version_of(connection) != BOOKS:
                return False
            return self.tables.tables.keys() <= set(inspect(connection).get_table_names())

    def _set_up(self, connection: Connection) -> None:
        """Make the tables that are missing.

        Raises:
            NewerSchema: a later version of this program has written the database.
        """
        check_known("this home's database", version_of(connection), BOOKS)
        self.tables.create_all(connection)

    def _rows(self, query: Executable) -> Sequence[Row[Any]]:
        with self._reader.connect() as connection:
            return connection.execute(query).all()

    def _row(self, query: Executable) -> Row[Any] | None:
        return next(iter(self._rows(query)), None)

    @contextmanager
    def _session(self) -> Iterator[Session]:
        """One transaction, to make statements in; on SQLite together with others' of the file."""
        if self._engine.dialect.name == "sqlite":
            with driver_of(self._engine).writing() as session:
                yield session
        else:
            with self._engine.begin() as connection:
                yield CoreSession(connection)

    def _write(self, *changes: tuple[Executable, Any]) -> None:
        """Make changes, each a statement with its rows, in one transaction."""
        with self._engine.begin() as connection:
            for statement, rows in changes:
                connection.execute(statement, rows)


def _connect_bounded(_: Any, __: Any, given: list[Any], named: dict[str, Any]) -> Any:
    from shapley_coop.state.storage.bounded import BoundedConnection, parameters

    options = f"{named.pop('options', '')} {parameters()['options']}".strip()
    return BoundedConnection.connect(*given, **{**parameters(), **named, "options": options})


def _set_up_sqlite(connection: Any, _: Any) -> None:
    # The driver's own transactions are deferred: they fail at once, instead of waiting, when
    # another process has written in between.
    connection.isolation_level = None
    connection.execute(f"PRAGMA busy_timeout = {BUSY_SECONDS * 1000}")
    _write_ahead(connection)
    connection.execute("PRAGMA synchronous = FULL")


def _write_ahead(connection: sqlite3.Connection) -> None:
    """Have a file's log written ahead; SQLite does not wait by itself for who does the same now."""
    gives_up = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > gives_up:
                raise
        time.sleep(_AGAIN)


def _begin(connection: Any) -> None:
    if not connection.get_execution_options().get("reading"):
        connection.exec_driver_sql("BEGIN IMMEDIATE")
