"""The version of a database's schema, and the steps that lead from an earlier one to today's.

SQLite keeps the number in the file (`PRAGMA user_version`), Postgres in a table of one row. Each
step is idempotent and runs in the transaction that makes the missing tables: a process that is
killed in it leaves the earlier version.
"""

from collections.abc import Callable, Mapping

from shapley_coop.state.storage.driver import Session
from shapley_coop.state.storage.tables import Table

Step = Callable[[Session, Mapping[str, Table]], None]
"""Brings tables, by their names as they are today, to the next version."""

BOOKS, CHECKPOINTS = 6, 1
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


def version_of(session: Session) -> int:
    """The version of a database; 0 if it says none, as the first ones did not."""
    if session.sqlite:
        return int(session.rows("PRAGMA user_version", {})[0]["user_version"])
    if session.rows("SELECT to_regclass('coop_schema') AS known", {})[0]["known"] is None:
        return 0
    return int(session.rows("SELECT version FROM coop_schema", {})[0]["version"])


def migrate(session: Session, tables: Mapping[str, Table], steps: Mapping[int, Step]) -> None:
    """Bring a database, all of whose tables exist, to today's version.

    Args:
        session: a transaction that no other process's set-up shares.
        tables: the tables as they are today.
        steps: version → the step to it from the one before.
    """
    found = version_of(session)
    if found == BOOKS:
        return
    for version, step in sorted(steps.items()):
        if version > found:
            step(session, tables)
    if session.sqlite:
        session.write(f"PRAGMA user_version = {BOOKS}")
        return
    if not found:
        session.write("CREATE TABLE coop_schema (version INTEGER NOT NULL)")
        session.write("INSERT INTO coop_schema VALUES (0)")
    session.write(f"UPDATE coop_schema SET version = {BOOKS}")  # noqa: S608
