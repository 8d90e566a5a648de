"""The reducers that merge several steps' writes to one key of the table."""

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any, Self, TypeVar

from langgraph.channels import BinaryOperatorAggregate

from shapley_coop.games import Turn

Event = TypeVar("Event", bound=Mapping[str, object])


class Folded(BinaryOperatorAggregate[Any]):
    """LangGraph's channel with a reducer; its `copy` is faster, as it builds no empty value first.

    LangGraph copies all channels at each conditional edge, so copies must be fast.
    """

    __slots__ = ()

    def copy(self) -> Self:
        """Return a new channel with the same value; an update of one does not change the other."""
        copied = object.__new__(type(self))
        copied.typ, copied.key = self.typ, self.key
        copied.operator, copied.value = self.operator, self.value
        return copied


def keep_by_id(events: list[Event], writes: Sequence[list[Event]]) -> list[Event]:
    """Append only events with new ids, so that a repeated write changes nothing."""
    return _keep_by("id", events, writes)


def keep_by_turn(turns: list[Turn], writes: Sequence[list[Turn]]) -> list[Turn]:
    """Append only turns with new numbers, so that a repeated write changes nothing."""
    return _keep_by("turn", turns, writes)


def _keep_by(key: str, events: list[Event], writes: Sequence[list[Event]]) -> list[Event]:
    known = {event[key] for event in events}
    kept = list(events)
    for event in chain.from_iterable(writes):
        if event[key] not in known:
            known.add(event[key])
            kept.append(event)
    return kept


def gather(waiting: dict[str, Any], arrived: dict[str, Any] | None) -> dict[str, Any]:
    """Merge the entries that parallel tasks write; None clears the key."""
    return {} if arrived is None else {**waiting, **arrived}


def gather_drafts(waiting: dict[str, Any], arrived: dict[str, Any] | None) -> dict[str, Any]:
    """Merge the drafts of the newest question (`at`), and drop older drafts; None clears all.

    >>> gather_drafts({"Ann": {"at": "1"}, "Ben": {"at": "2"}}, {"Cem": {"at": "2"}})
    {'Ben': {'at': '2'}, 'Cem': {'at': '2'}}
    """
    if not arrived:
        return {} if arrived is None else waiting
    now = {draft["at"] for draft in arrived.values()}
    return {**{who: draft for who, draft in waiting.items() if draft["at"] in now}, **arrived}


def add_up(spent: dict[str, Any], more: dict[str, Any]) -> dict[str, Any]:
    """Return the sum of two nested mappings, whose numbers are added key by key."""
    total = dict(spent)
    for key, value in more.items():
        old = total.get(key)
        if isinstance(value, dict):
            total[key] = add_up(old or {}, value)
        else:
            total[key] = value if old is None else old + value
    return total
