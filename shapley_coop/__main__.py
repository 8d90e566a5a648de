"""The entry point of the command `coop`, and of `python -m shapley_coop`."""

import atexit
import gc

from shapley_coop.cli import main


def enter() -> None:
    """Run a command as a process of its own, which seldom looks for garbage.

    What a command imports stays to its end: by Python's own thresholds it is searched dozens of
    times at the start and once more at the exit, which is a fifth of a short run's time.
    """
    gc.set_threshold(100_000, 50, 100)
    atexit.register(gc.freeze)
    main()


if __name__ == "__main__":
    enter()
