"""A cache of a process that never grows without bound."""

from typing import TypeVar

MOST_KEPT = 256

Key = TypeVar("Key")
Value = TypeVar("Value")


class Bounded(dict[Key, Value]):
    """A dictionary that is emptied once it holds `MOST_KEPT` entries."""

    def __setitem__(self, key: Key, value: Value) -> None:
        if len(self) >= MOST_KEPT:
            self.clear()
        super().__setitem__(key, value)
