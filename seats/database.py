"""One SQLAlchemy engine per database URL, set up for many processes at once."""

from functools import cache
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, create_engine, event
from sqlalchemy.engine import make_url

BUSY_SECONDS = 60


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
        made = create_engine(parsed, connect_args={"timeout": BUSY_SECONDS})
        event.listen(made, "connect", _set_up_sqlite)
        event.listen(made, "begin", _begin_immediate)
        return made
    return create_engine(parsed.set(drivername="postgresql+psycopg"), pool_pre_ping=True)


def _set_up_sqlite(connection: Any, _: Any) -> None:
    # The driver would otherwise begin a deferred transaction by itself, which fails at once
    # instead of waiting when another process has written in between.
    connection.isolation_level = None
    connection.execute(f"PRAGMA busy_timeout = {BUSY_SECONDS * 1000}")
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")


def _begin_immediate(connection: Any) -> None:
    connection.exec_driver_sql("BEGIN IMMEDIATE")
