"""The current holder: the owner and the thread on whose behalf this process reads and writes.

On a private machine everything belongs to the owner `""`. A server with tenants takes a run's owner
from the authenticated identity, and writes it into the run's configuration over any value of the
request. A context variable has the owner of the current request. The owner is never read from the
table, because users can edit their tables.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from langchain_core.runnables.config import var_child_runnable_config

OWNER_KEY = "__coop_owner__"
"""The key of a run's configuration that names its owner; only the server sets it."""

SERVER = "*"
"""The owner name of the server itself, which may read all rows; no user has this name."""


class NotYours(LookupError):
    """The error if a row, an episode or a thread is another owner's; it does not name the owner."""


@dataclass(frozen=True)
class Holder:
    """The owner and the thread on whose behalf facts are read or written.

    Attributes:
        owner: the owner's identity; empty on a private machine.
        thread: the thread of the run or the request; empty if there is none.
    """

    owner: str = ""
    thread: str = ""


_acting: ContextVar[Holder | None] = ContextVar("acting_for", default=None)


def holder() -> Holder:
    """Return the current run's holder, else the current request's, else nobody's holder."""
    config = var_child_runnable_config.get() or {}
    place = config.get("configurable") or {}
    if thread := place.get("thread_id"):
        return Holder(str(place.get(OWNER_KEY) or ""), str(thread))
    return _acting.get() or Holder()


def request_holder() -> Holder | None:
    """Return the holder of the server's current request, or None outside of requests."""
    return _acting.get()


@contextmanager
def acting_for(owner: str, thread: str = "") -> Iterator[None]:
    """Read and write only the given owner's rows within the `with` block."""
    token = _acting.set(Holder(owner, thread))
    try:
        yield
    finally:
        _acting.reset(token)
