"""For whom this process reads and writes now: an owner, and the thread that is being played.

On one's own machine everything belongs to the owner `""`. A server with tenants sets the owner of
a run from the authenticated identity, in the run's configuration, over whatever a request names;
and the owner of a request in a context variable. Nothing is taken from a table, which its owner
can write.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from langchain_core.runnables.config import var_child_runnable_config

OWNER_KEY = "__coop_owner__"
"""The key of a run's configuration that names its owner; only the server sets it."""

SERVER = "*"
"""The server itself, which may read every owner's rows; no identity can have this name."""


class NotYours(LookupError):
    """A row, an episode or a thread of another owner; the text does not name that owner."""


@dataclass(frozen=True)
class Holder:
    """For whom something is read or written.

    Attributes:
        owner: the identity; empty on one's own machine.
        thread: the thread that is played, or that a request names; empty if there is none.
    """

    owner: str = ""
    thread: str = ""


_acting: ContextVar[Holder | None] = ContextVar("acting_for", default=None)


def holder() -> Holder:
    """For whom it is now: the run's owner inside a run, else the request's, else the machine's."""
    config = var_child_runnable_config.get() or {}
    place = config.get("configurable") or {}
    if thread := place.get("thread_id"):
        return Holder(str(place.get(OWNER_KEY) or ""), str(thread))
    return _acting.get() or Holder()


def request_holder() -> Holder | None:
    """For whom the current request of the server is; None outside of one."""
    return _acting.get()


@contextmanager
def acting_for(owner: str, thread: str = "") -> Iterator[None]:
    """Read and write for an owner until the end of the block."""
    token = _acting.set(Holder(owner, thread))
    try:
        yield
    finally:
        _acting.reset(token)
