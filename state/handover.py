"""Answers on their way from the node that asks to the one that reads them, in one process.

The journal has them already. What is found here saves a thread and a query; what is not, after a
restart or in a fork, is read from the journal.
"""

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import replace
from threading import Lock

from shapley_coop.seats.records import Entry, Pointer
from shapley_coop.state.storage.home import home
from shapley_coop.state.storage.owners import Holder, holder

_MOST = 4096
_waiting: OrderedDict[tuple[Holder, str], Entry] = OrderedDict()
_lock = Lock()


def hand_over(entry: Entry) -> Pointer:
    """Leave an answer that the journal has kept for the node that reads it; its pointer."""
    pointer = entry.pointer()
    with _lock:
        # What was asked is long, and the answer alone is read.
        _waiting[holder(), pointer["seal"]] = replace(entry, letter_text="", facts={}, packed=b"")
        if len(_waiting) > _MOST:
            _waiting.popitem(last=False)
    return pointer


def taken_over(pointer: Pointer) -> Entry | None:
    """The answer behind a pointer, once; None if it does not wait here for the holder."""
    with _lock:
        entry = _waiting.pop((holder(), pointer["seal"]), None)
    return entry if entry is not None and entry.pointer() == pointer else None


def at_hand(pointers: Mapping[str, Pointer]) -> bool:
    """Whether the answers behind all pointers wait here, so that the journal need not be read."""
    who = holder()
    with _lock:
        return all((who, at["seal"]) in _waiting for at in pointers.values())


def opened(episode: str, pointers: Mapping[str, Pointer]) -> dict[str, Entry]:
    """The answer behind each agent's pointer: as it waits here, or else from the journal.

    Raises:
        ValueError: the journal has one no more, or another.
    """
    here = {agent: entry for agent, at in pointers.items() if (entry := taken_over(at))}
    rest = {agent: at for agent, at in pointers.items() if agent not in here}
    found = here | home().journal.open_all(episode, rest)
    return {agent: found[agent] for agent in pointers}
