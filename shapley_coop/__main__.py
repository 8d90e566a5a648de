"""`coop`, also as `python -m shapley_coop`: a command in a process of its own."""

import atexit
import os
import sys
import threading
from contextlib import suppress

from shapley_coop.collector import defer_collection


def process() -> None:
    """Run a command, and end the process as soon as all that it began is done.

    Python would take apart each object of each module first, which a short run notices.
    """
    defer_collection()
    from shapley_coop.cli import main

    try:
        main()
    except SystemExit as ending:
        code = 0 if ending.code is None else ending.code
        alone = threading.active_count() == 1 and not (sys.getprofile() or sys.gettrace())
        if alone and isinstance(code, int):
            with suppress(OSError):  # nobody reads any more: Python's own way tells so
                atexit._run_exitfuncs()
                sys.stdout.flush()
                sys.stderr.flush()
                os._exit(code)
        raise


if __name__ == "__main__":
    process()
