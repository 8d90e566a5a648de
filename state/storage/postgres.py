"""Books in Postgres, whose connections SQLAlchemy keeps."""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

import orjson

from shapley_coop.extras import needing
from shapley_coop.state.storage.bounded import BoundedConnection, parameters
from shapley_coop.state.storage.driver import NOTHING, Given, KeyTaken, Row, Session

with needing("postgres", "a home in Postgres"):
    from sqlalchemy import Connection, TextClause, create_engine, event, text
    from sqlalchemy.engine import make_url
    from sqlalchemy.exc import IntegrityError

SETTING = "coop.owner"
"""The setting of a session that says for whom it reads and writes."""


class PostgresSession:
    """A transaction in Postgres.

    Args:
        connection: in a transaction, or to be read alone.
    """

    sqlite = False

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def rows(self, query: str, given: Given) -> list[Row]:
        """The rows that a query finds."""
        return [dict(row) for row in self._connection.execute(_text(query), given).mappings()]

    def write(self, statement: str, rows: Sequence[Given] = NOTHING) -> None:
        """Make a change, once for each row of values."""
        if not rows:
            return
        try:
            if len(rows) == 1:
                self._connection.execute(_text(statement), rows[0])
            elif insertion := _insertion_as_json(statement, rows):
                self._connection.execute(*insertion)
            else:
                self._connection.execute(_text(statement), rows)
        except IntegrityError:
            raise KeyTaken("a row of that key is there already") from None


class PostgresDatabase:
    """A Postgres database.

    Args:
        url: `postgresql://…`.

    Attributes:
        engine: its connections.
    """

    sqlite = False

    def __init__(self, url: str) -> None:
        # Rows hold private text: an error must not quote them.
        self.engine = create_engine(
            make_url(url).set(drivername="postgresql+psycopg"),
            pool_pre_ping=True,
            hide_parameters=True,
        )
        event.listen(self.engine, "do_connect", _connect_bounded)
        self._alone = self.engine.execution_options(isolation_level="AUTOCOMMIT")

    @contextmanager
    def reading(self, owner: str | None = None) -> Iterator[Session]:
        """Queries that wait for no writer."""
        with self._alone.connect() as connection:
            # A setting of the session costs a round trip only where the owner changes.
            if owner is not None and connection.info.get(SETTING) != owner:
                connection.info.pop(SETTING, None)
                _act_for(connection, owner, local=False)
                connection.info[SETTING] = owner
            yield PostgresSession(connection)

    @contextmanager
    def writing(self, owner: str | None = None) -> Iterator[Session]:
        """One transaction."""
        with self.engine.begin() as connection:
            if owner is not None:
                _act_for(connection, owner, local=True)
            yield PostgresSession(connection)


@lru_cache(maxsize=256)
def _text(statement: str) -> TextClause:
    return text(statement)


_INSERT = re.compile(r"INSERT INTO (\w+) \(([\w, ]+)\) VALUES \(([\w:, ]+)\)")
"""`Table.insert`: the table, its columns, and a value by the name of each."""

_NUL = r"\u0000"
"""In JSON, the one character that no text of Postgres holds."""


def _insertion_as_json(statement: str, rows: Sequence[Given]) -> tuple[TextClause, Given] | None:
    """An insertion of many rows as one statement, and its one value: all rows as JSON.

    A statement for each row takes the driver and the database longer.

    Returns:
        None where the statement is no `Table.insert`, or JSON cannot hold a row.
    """
    found = _INSERT.fullmatch(statement)
    if found is None or found[3] != f":{found[2].replace(', ', ', :')}":
        return None
    columns = found[2].split(", ")
    plain = [{column: row[column] for column in columns} for row in rows]
    try:
        written = orjson.dumps(plain, default=_hexadecimal).decode()
    except TypeError:  # as of a lone surrogate: the driver refuses that row by itself
        return None
    # The driver refuses that character, too; Postgres would quote the rows in its message.
    return None if _NUL in written else (_from_json(found[1], found[2]), {"rows": written})


@lru_cache(maxsize=256)
def _from_json(table: str, columns: str) -> TextClause:
    """The statement that inserts rows from JSON."""
    rows = f"json_populate_recordset(CAST(NULL AS {table}), CAST(:rows AS json))"
    return text(f"INSERT INTO {table} ({columns}) SELECT {columns} FROM {rows}")  # noqa: S608


def _hexadecimal(value: Any) -> str:
    """Bytes as Postgres reads them in text."""
    if isinstance(value, bytes | memoryview):
        return f"\\x{value.hex()}"
    raise TypeError


def _act_for(connection: Connection, owner: str, *, local: bool) -> None:
    setting = f"SELECT set_config('{SETTING}', :owner, {'true' if local else 'false'})"
    connection.execute(_text(setting), {"owner": owner})


def _connect_bounded(_: Any, __: Any, given: list[Any], named: dict[str, Any]) -> Any:
    options = f"{named.pop('options', '')} {parameters()['options']}".strip()
    return BoundedConnection.connect(*given, **{**parameters(), **named, "options": options})
