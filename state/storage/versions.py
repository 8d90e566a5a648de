"""The version of a database's schema, and the steps that lead from an earlier one to today's.

SQLite keeps the number in the file (`PRAGMA user_version`), Postgres in a table of one row. Each
step is idempotent and runs in the transaction that makes the missing tables: a process that is
killed in it leaves the earlier version.
"""

from collections.abc import Callable, Mapping

from sqlalchemy import Connection, MetaData, text

Step = Callable[[Connection, MetaData], None]
"""Brings the tables of some metadata to the next version."""

BOOKS, CHECKPOINTS = 5, 1
"""Today's versions: of journal, ledger, register and owners; of the file of checkpoints."""


class NewerSchema(ValueError):
    """A database that a later version of this program has written."""


def check_known(what: str, found: int, known: int) -> None:
    """Make sure that a version can be read.

    Raises:
        NewerSchema: it is later than this program's.
    """
    if found > known:
        raise NewerSchema(
            f"{what} has schema version {found}, and this coop knows versions up to {known}: "
            "use the later coop that wrote it, or another home"
        )


def version_of(connection: Connection) -> int:
    """The version of a database; 0 if it says none, as the first ones did not."""
    if connection.dialect.name == "sqlite":
        return int(connection.exec_driver_sql("PRAGMA user_version").scalar_one())
    if connection.execute(text("SELECT to_regclass('coop_schema')")).scalar() is None:
        return 0
    return int(connection.execute(text("SELECT version FROM coop_schema")).scalar_one())


def migrate(connection: Connection, tables: MetaData, steps: Mapping[int, Step]) -> None:
    """Bring a database, all of whose tables exist, to today's version.

    Args:
        connection: in a transaction that no other process's set-up shares.
        tables: the tables as they are today.
        steps: version → the step to it from the one before.
    """
    found = version_of(connection)
    if found == BOOKS:
        return
    for version, step in sorted(steps.items()):
        if version > found:
            step(connection, tables)
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql(f"PRAGMA user_version = {BOOKS}")
        return
    if not found:
        connection.exec_driver_sql("CREATE TABLE coop_schema (version INTEGER NOT NULL)")
        connection.exec_driver_sql("INSERT INTO coop_schema VALUES (0)")
    connection.exec_driver_sql(f"UPDATE coop_schema SET version = {BOOKS}")  # noqa: S608
