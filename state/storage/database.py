"""The opening of a database and the creation of its one SQL table, which holds all facts."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from threading import Lock

from shapley_coop.state.storage.databases import Database, driver
from shapley_coop.state.storage.driver import SqliteDatabase
from shapley_coop.state.storage.facts import CLAIMED, Session
from shapley_coop.state.storage.owners import Holder
from shapley_coop.state.storage.versions import ANOTHER_HOME, BOOKS, check_version

_SQLITE = "sqlite:///"

_COLUMNS = """
    owner TEXT NOT NULL, kind TEXT {bytewise} NOT NULL, scope TEXT {bytewise} NOT NULL,
    key TEXT {bytewise} NOT NULL, value TEXT NOT NULL, body {bytes} NOT NULL
"""
_SCHEMA = (
    f"CREATE TABLE IF NOT EXISTS facts (number {{counted}}, {_COLUMNS})",
    "CREATE UNIQUE INDEX IF NOT EXISTS facts_once ON facts (kind, scope, key, owner)",
    "CREATE UNIQUE INDEX IF NOT EXISTS facts_claimed ON facts (kind, scope, key)"
    f" WHERE kind IN {CLAIMED}",
)


class Facts:
    """The store of facts in one database.

    Args:
        url: `sqlite:///path`, or a URL that an extension opens (`databases`).

    Attributes:
        database: the database's connections.
        known: the pairs (episode, holder) of which this process knows that they belong together.
    """

    def __init__(self, url: str) -> None:
        self.known: set[tuple[str, Holder]] = set()
        local = url.startswith(_SQLITE)
        self.database: Database = (
            SqliteDatabase(Path(url.removeprefix(_SQLITE))) if local else driver(url).open()
        )
        self._set_up()

    @contextmanager
    def reading(self, owner: str) -> Iterator[Session]:
        """Open a read-only session on an owner's facts, which sees all commits and never waits."""
        with self.database.reading(owner) as connection:
            yield Session(connection, owner, self.database.dialect)

    @contextmanager
    def writing(self, owner: str, lock: str = "") -> Iterator[Session]:
        """Open a transaction on an owner's facts.

        Args:
            owner: the owner whose facts are read and written.
            lock: the name of a lock; transactions with the same lock wait for each other.
        """
        with self.database.writing(owner, lock) as connection:
            yield Session(connection, owner, self.database.dialect)

    def _set_up(self) -> None:
        """Create the table if it is missing.

        Raises:
            OtherVersion: another version of this program has written the database.
        """
        with self.reading("") as session:
            if session.dialect.version(session) == BOOKS and "facts" in session.tables():
                return
        with self.writing("", "tables of coop") as session:
            there, found = "facts" in session.tables(), session.dialect.version(session)
            if there or found:
                check_version("this home's database", found, BOOKS, ANOTHER_HOME)
            if there:
                return  # another process has just created the table
            for statement in _SCHEMA:
                session.execute(statement.format(**session.dialect.types))
            session.dialect.complete(session, BOOKS)


_opening = Lock()


def facts_at(url: str) -> Facts:
    """Return the store of a database, which all of this process shares."""
    with _opening:  # parallel threads must not open it twice
        return _open_facts(url)


@cache
def _open_facts(url: str) -> Facts:
    return Facts(url)
