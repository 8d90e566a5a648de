"""One database per URL and process, and the tables that a book has in it."""

import logging
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from threading import Lock
from typing import ClassVar

from shapley_coop.state.storage.driver import Database, Session, SqliteDatabase
from shapley_coop.state.storage.tables import Table
from shapley_coop.state.storage.versions import BOOKS, mark, other_schema, version_of

_SQLITE = "sqlite:///"

_TABLES_LOCK = 5_311_846
_tables_lock = Lock()

# At DEBUG it logs every statement with its values, and checkpoints hold private reasoning.
logging.getLogger("aiosqlite").setLevel(logging.INFO)


@cache
def database(url: str) -> Database:
    """The database of a URL; what is written at once to a SQLite file is committed together.

    Args:
        url: `sqlite:///path` or `postgresql://…`.
    """
    if url.startswith(_SQLITE):
        return SqliteDatabase(Path(url.removeprefix(_SQLITE)))
    from shapley_coop.state.storage.postgres import PostgresDatabase

    return PostgresDatabase(url)


class Book:
    """Some tables of a database, made when it is opened.

    Args:
        url: `sqlite:///…` or `postgresql://…`.
    """

    tables: ClassVar[Mapping[str, Table]]

    def __init__(self, url: str) -> None:
        self._database = database(url)
        if self._is_set_up():
            return
        # Other threads and processes that need the tables wait until they are there.
        with _tables_lock, self._database.writing() as session:
            if not session.sqlite:
                session.rows(f"SELECT pg_advisory_xact_lock({_TABLES_LOCK})", {})
            self._set_up(session)

    def _is_set_up(self) -> bool:
        """Whether everything is in place; it takes no lock, so that no writer stops a reader."""
        with self._database.reading() as session:
            return version_of(session) == BOOKS and self.tables.keys() <= tables_in(session)

    def _set_up(self, session: Session) -> None:
        """Make the tables that are missing.

        Raises:
            OtherSchema: another version of this program has written the database.
        """
        found, there = version_of(session), tables_in(session)
        if found != BOOKS:
            if found or there & self.tables.keys():
                raise other_schema("this home's database", found, BOOKS)
            mark(session)
        for name in (x for x in self.tables if x not in there):
            for statement in self.tables[name].created(sqlite=session.sqlite):
                session.write(statement)


def tables_in(session: Session) -> set[str]:
    """The names of a database's tables."""
    query = (
        "SELECT name FROM sqlite_master WHERE type = 'table'"
        if session.sqlite
        else "SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema()"
    )
    return {row["name"] for row in session.rows(query, {})}
