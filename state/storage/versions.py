"""The version of a database's schema: today's is read, and no other.

SQLite keeps the number in the file (`PRAGMA user_version`), Postgres in a table of one row.
"""

from shapley_coop.state.storage.driver import Session

BOOKS, CHECKPOINTS = 7, 1
"""Today's versions: of journal, ledger, register and owners; of the file of checkpoints."""


class OtherSchema(ValueError):
    """A database that another version of this program has written."""


def other_schema(what: str, found: int, known: int) -> OtherSchema:
    """Say that a database is of another version, and what to do."""
    return OtherSchema(
        f"{what} has schema version {found}, and this coop reads version {known} alone: "
        "use the coop that wrote it, or name another home (COOP_HOME or COOP_DATABASE_URL)"
    )


def version_of(session: Session) -> int:
    """Read the version of a database; 0 where it says none."""
    if session.sqlite:
        return int(session.rows("PRAGMA user_version", {})[0]["user_version"])
    if session.rows("SELECT to_regclass('coop_schema') AS known", {})[0]["known"] is None:
        return 0
    return int(session.rows("SELECT version FROM coop_schema", {})[0]["version"])


def mark(session: Session) -> None:
    """Write today's version into a database that is being set up."""
    if session.sqlite:
        session.write(f"PRAGMA user_version = {BOOKS}")
        return
    session.write("CREATE TABLE coop_schema (version INTEGER NOT NULL)")
    session.write(f"INSERT INTO coop_schema VALUES ({BOOKS})")  # noqa: S608
