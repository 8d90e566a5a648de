"""The creation and opening of a database's one SQL table, which holds all facts.

SQLite and Postgres differ in the types of some columns. In addition, Postgres has a policy that
shows each row to its owner only.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any

from shapley_coop.state.storage.driver import SqliteDatabase
from shapley_coop.state.storage.facts import CLAIMED, Session
from shapley_coop.state.storage.owners import SERVER, Holder
from shapley_coop.state.storage.versions import ANOTHER_HOME, BOOKS, check_version

_SQLITE = "sqlite:///"

_COLUMNS = """
    owner TEXT NOT NULL, kind TEXT {bytewise} NOT NULL, scope TEXT {bytewise} NOT NULL,
    key TEXT {bytewise} NOT NULL, value TEXT NOT NULL, body {bytes} NOT NULL
"""
_TYPES = {
    True: {"counted": "INTEGER PRIMARY KEY", "bytewise": "", "bytes": "BLOB"},
    False: {"counted": "BIGSERIAL PRIMARY KEY", "bytewise": 'COLLATE "C"', "bytes": "BYTEA"},
}
"""True for SQLite, False for Postgres → the column types in which the databases differ."""

_TABLES = (
    f"CREATE TABLE IF NOT EXISTS facts (number {{counted}}, {_COLUMNS})",
    "CREATE UNIQUE INDEX IF NOT EXISTS facts_once ON facts (kind, scope, key, owner)",
    "CREATE UNIQUE INDEX IF NOT EXISTS facts_claimed ON facts (kind, scope, key)"
    f" WHERE kind IN {CLAIMED}",
)
_SETTING = "coalesce(current_setting('coop.owner', true), '')"
_MAY = f"({_SETTING} IN (owner, '{SERVER}'))"
_POLICY = (
    "ALTER TABLE facts ENABLE ROW LEVEL SECURITY",
    "ALTER TABLE facts FORCE ROW LEVEL SECURITY",
    f"CREATE POLICY coop_owner ON facts USING {_MAY} WITH CHECK {_MAY}",
)
"""The statements by which Postgres lets a session read and write only its owner's rows."""


class Facts:
    """The store of facts in one database.

    Args:
        url: `sqlite:///path` or `postgresql://…`.

    Attributes:
        sqlite: True for a SQLite file, False for Postgres.
        database: the database's connections.
        known: the pairs (episode, holder) that this process has verified already.
    """

    def __init__(self, url: str) -> None:
        self.sqlite = url.startswith(_SQLITE)
        self.known: set[tuple[str, Holder]] = set()
        if self.sqlite:
            self.database: Any = SqliteDatabase(Path(url.removeprefix(_SQLITE)))
        else:
            from shapley_coop.state.storage.postgres import PostgresDatabase

            self.database = PostgresDatabase(url)
        self._set_up()

    @contextmanager
    def reading(self, owner: str) -> Iterator[Session]:
        """Open a read-only session of an owner; it sees all commits and waits for no writer."""
        with self.database.reading(owner) as connection:
            yield Session(connection, owner, self.sqlite)

    @contextmanager
    def writing(self, owner: str, lock: str = "") -> Iterator[Session]:
        """Open a transaction of an owner.

        Args:
            owner: the owner whose facts are read and written.
            lock: the lock to hold, by its name; unused in SQLite, which has only one writer.
        """
        with self.database.writing(owner, lock) as connection:
            yield Session(connection, owner, self.sqlite)

    def _set_up(self) -> None:
        """Create the table if it is missing.

        Raises:
            OtherVersion: another version of this program has written the database.
        """
        with self.reading("") as session:
            if _version(session) == BOOKS and "facts" in session.tables():
                return
        with self.writing("", "tables of coop") as session:
            there, found = "facts" in session.tables(), _version(session)
            if there or found:
                check_version("this home's database", found, BOOKS, ANOTHER_HOME)
            if there:
                return  # another process has just created the table
            for statement in _TABLES:
                session.execute(statement.format(**_TYPES[self.sqlite]))
            if self.sqlite:
                session.execute(f"PRAGMA user_version = {BOOKS}")
                return
            for statement in _POLICY:
                session.execute(statement)
            session.execute("CREATE TABLE coop_schema (version INTEGER NOT NULL)")
            session.execute("INSERT INTO coop_schema VALUES (?)", BOOKS)


def _version(session: Session) -> int:
    """Return the version in a database, or 0 if there is none."""
    if session.sqlite:
        return int(session.execute("PRAGMA user_version")[0][0])
    if "coop_schema" not in session.tables():
        return 0
    return int(session.execute("SELECT version FROM coop_schema")[0][0])


_opening = Lock()


def facts_at(url: str) -> Facts:
    """Return the one store of a database in this process."""
    with _opening:  # without the lock, parallel threads would each open the database
        return _open_facts(url)


@cache
def _open_facts(url: str) -> Facts:
    return Facts(url)
