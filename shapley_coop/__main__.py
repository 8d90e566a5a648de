"""The entry point of the command `coop`, and of `python -m shapley_coop`."""

import atexit
import gc

from shapley_coop.cli import main


def enter() -> None:
    """Run a command in a process of its own, which seldom collects garbage.

    What a command imports stays to its end. By Python's own thresholds the collector would search
    it many times at the start, and once more at the exit (`python -m benchmarks start`).
    """
    gc.set_threshold(100_000, 50, 100)
    atexit.register(gc.freeze)
    main()


if __name__ == "__main__":
    enter()
