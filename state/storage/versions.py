"""The version of what is kept: today's is read, and no other.

SQLite keeps a schema's number in the file (`PRAGMA user_version`), Postgres in a table of one row.
"""

BOOKS, CHECKPOINTS = 9, 3
"""Today's versions: of facts, and in Postgres of the checkpoints beside them; of their own file."""


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
