"""The version of what is kept: today's is read, and no other.

SQLite keeps a schema's number in the file (`PRAGMA user_version`), Postgres in a table of one row.
"""

from shapley_coop.state.storage.driver import Session

BOOKS, CHECKPOINTS = 7, 2
"""Today's versions: of journal, ledger, register and owners; of the file of checkpoints."""


ANOTHER_HOME = "name another home (COOP_HOME or COOP_DATABASE_URL)"


class OtherVersion(ValueError):
    """Another version of this program wrote something that is kept."""


def check_version(what: str, found: object, reads: object, instead: str = "") -> None:
    """Make sure that this program can read something that is kept.

    Args:
        what: its name.
        found: the version that it names; 0 or None where it names none.
        reads: the version that this program reads.
        instead: what to do but use the program that wrote it.

    Raises:
        OtherVersion: it is of another version, or names none.
    """
    if found != reads:
        named = f"version {str(found)[:80]}" if found else "no version"
        raise OtherVersion(
            f"{what} names {named}, and this coop reads version {reads} alone: "
            f"use the coop that wrote it{instead and f', or {instead}'}"
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
