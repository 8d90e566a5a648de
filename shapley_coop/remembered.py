"""Caches of bounded size, for one process.

`by_identity` caches results for objects that never change, keyed by the object's identity. Hashing
a message would take longer than many of the computations that are cached.

>>> made = []
>>> @by_identity(2)
... def loudly(words, mark):
...     made.append(mark)
...     return " ".join(words).upper() + mark
>>> words = ["so", "be", "it"]
>>> loudly(words, "."), loudly(words, "."), loudly(words, "!"), made
('SO BE IT.', 'SO BE IT.', 'SO BE IT!', ['.', '!'])
"""

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

MOST_KEPT = 256

Function = TypeVar("Function", bound=Callable[..., Any])
Key = TypeVar("Key")
Value = TypeVar("Value")


class Bounded(dict[Key, Value]):
    """A dictionary that empties itself before it would exceed `MOST_KEPT` entries."""

    def __setitem__(self, key: Key, value: Value) -> None:
        if len(self) >= MOST_KEPT:
            self.clear()
        super().__setitem__(key, value)


def by_identity(most: int) -> Callable[[Function], Function]:
    """Return a decorator that caches a function's results by the identity of its first argument.

    The other arguments are compared by value. Of each object only the latest result is kept.

    Args:
        most: the most objects that are cached and kept alive; a full cache is emptied.
    """

    def remembering(make: Function) -> Function:
        known: dict[int, tuple[Any, tuple[Any, ...], Any]] = {}

        def found(thing: Any, *more: Any) -> Any:
            kept = known.get(id(thing))
            if kept is None or kept[0] is not thing or kept[1] != more:
                if len(known) >= most:
                    known.clear()
                kept = known[id(thing)] = thing, more, make(thing, *more)
            return kept[2]

        return cast(Function, wraps(make)(found))

    return remembering
