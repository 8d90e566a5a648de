"""Drafts on their way from the node that asks to the one that validates, in one process.

The journal has them already. What is found here saves a thread and a query; what is not, after a
restart or in a fork, is read from the journal.
"""

from collections import OrderedDict
from dataclasses import replace
from threading import Lock

from shapley_coop.seats.records import Entry, Pointer
from shapley_coop.state.storage.owners import Holder, holder

_MOST = 4096
_waiting: OrderedDict[tuple[Holder, str], Entry] = OrderedDict()
_lock = Lock()


def hand_over(entry: Entry) -> Pointer:
    """Leave a draft that the journal has kept for the node that validates it; its pointer."""
    pointer = entry.pointer()
    with _lock:
        # What was asked is long, and validating needs the answer alone.
        _waiting[holder(), pointer["seal"]] = replace(entry, letter_text="", facts={})
        if len(_waiting) > _MOST:
            _waiting.popitem(last=False)
    return pointer


def taken_over(pointer: Pointer) -> Entry | None:
    """The draft behind a pointer, once; None if it does not wait here for the holder."""
    with _lock:
        entry = _waiting.pop((holder(), pointer["seal"]), None)
    return entry if entry is not None and entry.pointer() == pointer else None
