"""The versions of stored data; this program reads only the current versions."""

BOOKS, CHECKPOINTS = 10, 3
"""The current versions: of a database of facts, and of SQLite's checkpoints."""


ANOTHER_HOME = "name another home (COOP_HOME or COOP_DATABASE_URL)"


class OtherVersion(ValueError):
    """The error if another version of this program wrote stored data."""


def check_version(what: str, found: object, reads: object, instead: str = "") -> None:
    """Check that this program can read some stored data.

    Args:
        what: the name of the data.
        found: the version that the data record; 0 or None if they record none.
        reads: the version that this program reads.
        instead: other advice; the message first advises to use the program that wrote the data.

    Raises:
        OtherVersion: the data have another version, or no version.
    """
    if found != reads:
        named = f"version {str(found)[:80]}" if found else "no version"
        raise OtherVersion(
            f"{what} has {named}, but this coop reads only version {reads}: use the coop "
            f"that wrote it{instead and f', or {instead}'}"
        )
