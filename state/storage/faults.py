"""One-line messages for errors of disks and databases, without rows or private texts."""

import errno
import sqlite3
from collections.abc import Iterator

from shapley_coop.state.storage.databases import errors, explain

_MEND = {
    "full": "free some space",
    "readonly": "make it writable, or set COOP_HOME to another folder",
    "locked": "end the process that holds its lock, or wait",
    "unable to open": "check that its folder exists and is writable",
    "disk i/o": "check the disk, its quota and its free space",
}
"""A part of SQLite's error message → the remedy for the user."""

_ERRNO = {
    errno.ENOSPC: "free some space",
    errno.EDQUOT: "free some space, or raise the quota",
    errno.EROFS: "make it writable, or set COOP_HOME to another folder",
    errno.EACCES: "make it writable, or set COOP_HOME to another folder",
    errno.EPERM: "make it writable, or set COOP_HOME to another folder",
    errno.EIO: "check the disk",
    errno.EFBIG: "free some space, or raise the limit of a file's size",
    errno.ENOTDIR: "set COOP_HOME to a folder",
}


def storage_fault(error: BaseException) -> str:
    """Say what is wrong with the disk or database, if it caused an error, and the remedy.

    Returns:
        One line, or "" if the error has another cause.
    """
    for one in _causes(error):
        if isinstance(one, sqlite3.Error):
            said = str(one).partition("\n")[0]
            mend = next((mend for part, mend in _MEND.items() if part in said.lower()), "")
            return f"the database: {said}" + (f" ({mend})" if mend else "")
        if isinstance(one, OSError) and one.errno in _ERRNO:
            where = f"{one.filename}: " if one.filename else ""
            return f"{where}{one.strerror} ({_ERRNO[one.errno]})"
        if told := explain(one):
            return told
    if isinstance(error, errors()):
        return f"the database: {type(error).__name__}"
    return ""


def _causes(error: BaseException) -> Iterator[BaseException]:
    """Yield an error, then the errors that it chains or groups, breadth first."""
    seen: set[int] = set()
    left: list[BaseException | None] = [error]
    while left:
        one = left.pop(0)
        if one is None or id(one) in seen:
            continue
        seen.add(id(one))
        yield one
        left += [one.__cause__, one.__context__]
        if isinstance(one, BaseExceptionGroup):
            left += one.exceptions
