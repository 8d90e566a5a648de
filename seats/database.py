"""One SQLAlchemy engine per database URL, set up for many processes at once."""

from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any

from sqlalchemy import Engine, MetaData, create_engine, event
from sqlalchemy.engine import make_url

BUSY_SECONDS = 60
_MAKING_TABLES = 5_311_846
_making = Lock()


@cache
def engine(url: str) -> Engine:
    """The engine of a SQLite file or a Postgres database; made once per process and URL.

    Args:
        url: `sqlite:///path` or `postgresql://…`.
    """
    parsed = make_url(url)
    if parsed.get_backend_name() == "sqlite":
        if parsed.database:
            Path(parsed.database).parent.mkdir(parents=True, exist_ok=True)
        made = create_engine(parsed, connect_args={"timeout": BUSY_SECONDS}, hide_parameters=True)
        event.listen(made, "connect", _set_up_sqlite)
        event.listen(made, "begin", _begin_immediate)
        return made
    # Rows hold private text: an error must not quote them.
    return create_engine(
        parsed.set(drivername="postgresql+psycopg"), pool_pre_ping=True, hide_parameters=True
    )


def prepared(url: str, metadata: MetaData) -> Engine:
    """The engine of a database in which these tables exist.

    Whoever comes first makes them; other threads and processes wait.
    """
    made = engine(url)
    with _making, made.begin() as connection:
        if connection.dialect.name == "postgresql":
            connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_MAKING_TABLES})")
        metadata.create_all(connection)
    return made


def _set_up_sqlite(connection: Any, _: Any) -> None:
    # The driver would otherwise begin a deferred transaction by itself, which fails at once
    # instead of waiting when another process has written in between.
    connection.isolation_level = None
    connection.execute(f"PRAGMA busy_timeout = {BUSY_SECONDS * 1000}")
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")


def _begin_immediate(connection: Any) -> None:
    connection.exec_driver_sql("BEGIN IMMEDIATE")
