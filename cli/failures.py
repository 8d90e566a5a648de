"""One-line messages for failures: the cause, the place and a remedy, without a traceback.

The line quotes an error's message only if the message is known to contain no private text. For
other errors, the line names only the error's type and place."""

import errno
import os
import traceback
from pathlib import Path

DEBUG = "COOP_DEBUG"
MORE = f"see more with {DEBUG}=1"


def reason(error: BaseException) -> str:
    """Return the reason of a failure, or "" if the error's message may be private."""
    from shapley_coop.extension import GROUP
    from shapley_coop.extras import LibraryMissing
    from shapley_coop.games import GameError
    from shapley_coop.games.programs import own_fault
    from shapley_coop.graphs.same_run import ConfigChanged
    from shapley_coop.seats.seat import SeatError
    from shapley_coop.state.storage.checkpoints.serializer import Unreadable
    from shapley_coop.state.storage.faults import storage_fault

    if own := own_fault(error):
        return own
    if isinstance(error, SeatError | Unreadable | GameError | ConfigChanged | LibraryMissing):
        return str(error)
    if isinstance(error, ModuleNotFoundError) and (error.name or "").startswith(f"{GROUP}."):
        gone = str(error.name).removeprefix(f"{GROUP}.").partition(".")[0]
        return f"it needs the extension {gone}, which is not here: coop list names those that are"
    of_system = _of_system(error) if isinstance(error, OSError) else ""
    if of_system:
        return of_system
    fault = storage_fault(error)
    if "not a database" not in fault:
        return fault
    from shapley_coop.state.storage.home import home

    return f"the home {home().folder} cannot be used: {fault}; move it away, or set COOP_HOME"


def in_one_line(error: BaseException) -> str:
    """Return a one-line message for an unexpected failure."""
    return reason(error) or f"it failed: {type(error).__name__}{_place(error)}; {MORE}"


def _of_system(error: OSError) -> str:
    """Return the message about an unusable file or port, or "" if the error is about neither."""
    said = error.strerror or type(error).__name__
    if error.errno in (errno.EADDRINUSE, errno.EACCES) and not error.filename:
        return f"the port cannot be used: {said}; give another --port, or 0 for a free one"
    if not error.filename:
        return ""
    from shapley_coop.state.storage.home import home

    if not _in_home(error):
        return f"{error.filename}: {said}"
    from shapley_coop.state.storage.faults import storage_fault

    why = storage_fault(error) or f"{said}; move it away, or set COOP_HOME"
    return f"the home {home().folder} cannot be used: {why}"


def of_home(error: BaseException) -> bool:
    """Return whether an error comes from the disk or database that holds runs, not from input."""
    from shapley_coop.state.storage.faults import storage_fault

    if isinstance(error, OSError) and (error.errno == errno.ENOTDIR or not _in_home(error)):
        return False
    return bool(storage_fault(error))


def _in_home(error: OSError) -> bool:
    """Return whether an error concerns a file in the home, where runs are stored."""
    from shapley_coop.state.storage.home import home

    path = os.path.abspath(os.fsdecode(error.filename or ""))
    return bool(error.filename) and Path(path).is_relative_to(home().folder.absolute())


def _place(error: BaseException) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    return f" ({os.path.basename(frames[-1].filename)}:{frames[-1].lineno})" if frames else ""
