"""What a cell plays: the settings of its condition, which are shared, and its own seed."""

import json
from collections.abc import Iterator, Mapping
from functools import cached_property
from operator import gt, lt
from typing import Any


def canonical(content: Any) -> str:
    """JSON with sorted keys and no spaces: equal content is equal text."""
    return json.dumps(content, sort_keys=True, separators=(",", ":"))


class Settings:
    """What the cells of a condition have in common, and its canonical JSON.

    Args:
        room: what is played, resolved, as plain JSON; each cell has a seed of its own.
    """

    def __init__(self, room: Mapping[str, Any]) -> None:
        self.room = room

    @cached_property  # a hundred thousand cells share it
    def around_the_seed(self) -> tuple[str, str]:
        """The canonical JSON up to the seed's number, and behind it."""
        smaller, greater = (
            canonical({k: x for k, x in self.room.items() if chosen(k, "seed")})[1:-1]
            for chosen in (lt, gt)
        )
        return f'{{{smaller}{"," * bool(smaller)}"seed":', f"{',' * bool(greater)}{greater}}}"


class Room(Mapping[str, Any]):
    """The settings of a condition with a cell's seed; a hundred thousand of them share one."""

    __slots__ = ("_seed", "_settings")

    def __init__(self, settings: Settings, seed: int) -> None:
        self._settings, self._seed = settings, seed

    def __getitem__(self, key: str) -> Any:
        return self._seed if key == "seed" else self._settings.room[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._settings.room)

    def __len__(self) -> int:
        return len(self._settings.room)

    def canonical(self) -> str:
        """Its canonical JSON."""
        before, after = self._settings.around_the_seed
        return f"{before}{self._seed}{after}"
