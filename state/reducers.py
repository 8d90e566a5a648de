"""How what several steps write to one key of the table becomes one value."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from shapley_coop.games import Turn

Event = TypeVar("Event", bound=Mapping[str, object])


def keep_by_id(events: list[Event], writes: Sequence[list[Event]]) -> list[Event]:
    """Fold events in, each id once, so that a replayed write changes nothing."""
    known = {event["id"] for event in events}
    kept = list(events)
    for write in writes:
        for event in write:
            if event["id"] not in known:
                known.add(event["id"])
                kept.append(event)
    return kept


def keep_by_turn(turns: list[Turn], writes: Sequence[list[Turn]]) -> list[Turn]:
    """Fold turns in, each number once."""
    known = {turn["turn"] for turn in turns}
    kept = list(turns)
    for write in writes:
        for turn in write:
            if turn["turn"] not in known:
                known.add(turn["turn"])
                kept.append(turn)
    return kept


def latest(old: int, new: int) -> int:
    """What several asked at once say alike: the last of them."""
    return new


def gather(waiting: dict[str, Any], arrived: dict[str, Any] | None) -> dict[str, Any]:
    """Collect what agents hand in at the same time; None clears."""
    return {} if arrived is None else {**waiting, **arrived}


def add_up(spent: dict[str, Any], more: Mapping[str, Any]) -> dict[str, Any]:
    """Add numbers key by key, however deep."""
    total = dict(spent)
    for key, value in more.items():
        old = total.get(key)
        if isinstance(value, Mapping):
            total[key] = add_up(old or {}, value)
        else:
            total[key] = value if old is None else old + value
    return total
