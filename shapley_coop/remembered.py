"""Caches of a process, none of which grows without bound.

`by_identity` keeps what is made of objects that nobody changes, found again by which object it is:
to hash a message takes longer than much of what is made of it.

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
    """A dictionary that is emptied once it holds `MOST_KEPT` entries."""

    def __setitem__(self, key: Key, value: Value) -> None:
        if len(self) >= MOST_KEPT:
            self.clear()
        super().__setitem__(key, value)


def by_identity(most: int) -> Callable[[Function], Function]:
    """Have a function remember what it makes of an object, its first argument.

    Other arguments are compared: of one object what was made last is kept.

    Args:
        most: so many objects are kept, and stay alive; then it begins anew.
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
