"""Python's garbage collector, kept out of the way of imports: what they make stays."""

import gc

_USUAL = gc.get_threshold()


def defer_collection() -> None:
    """Raise the threshold so far that next to nothing is collected from here on."""
    gc.set_threshold(1_000_000)


def resume_collection() -> None:
    """Collect as usual again, and leave alone whatever exists by now."""
    gc.freeze()
    gc.set_threshold(*_USUAL)
