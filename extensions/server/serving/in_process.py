"""A client that calls this server within its own process."""

from collections.abc import Mapping
from functools import cache
from itertools import count
from typing import Any

from langgraph_sdk import get_client
from langgraph_sdk.client import LangGraphClient

from shapley_coop.extensions.server.serving.tenancy import configured
from shapley_coop.state.storage.owners import OWNER_KEY

OWNER = "owner"
"""The metadata key of a thread's owner; with tenants, only the server can write this key."""

GOES_ON = "goes_on"
"""The metadata key that marks runs started by the server, which it restarts after a kill."""


@cache  # one client for the whole process, because a client holds connections
def inside() -> LangGraphClient:
    """Return a client with access to all data; code that uses it must check a request's caller."""
    return get_client(url=None, api_key=None)


def owner_in(metadata: Mapping[str, Any] | None) -> str:
    """Return the owner in a thread's metadata; "" without tenants: any client could write it."""
    return str((metadata or {}).get(OWNER) or "") if configured() else ""


async def go_on(
    thread: str, assistant: str, owner: str, replies: Mapping[str, Any] | None = None, **more: Any
) -> None:
    """Start a run that resumes a thread, with replies to the thread's interrupts if given.

    Args:
        thread: the thread's id.
        assistant: the id of the assistant that runs.
        owner: the thread's owner; the run reads and writes this owner's rows.
        replies: interrupt id → reply.
        more: further arguments of `runs.create` of LangGraph's client.
    """
    await inside().runs.create(
        thread,
        assistant,
        command={"resume": replies} if replies else None,
        metadata={GOES_ON: True},
        config={"configurable": {OWNER_KEY: owner}},
        durability="sync",
        **more,
    )


AT_ONCE = 1000
"""The most threads that one search returns."""


async def all_threads(**about: Any) -> list[Any]:
    """Return those threads, of all owners, that match the filters.

    Args:
        about: filters and selected fields, as arguments of `threads.search` of LangGraph's client.
    """
    found: dict[str, Any] = {}
    for offset in count(0, AT_ONCE):
        more = await inside().threads.search(
            **about, limit=AT_ONCE, offset=offset, sort_by="created_at", sort_order="asc"
        )
        found |= {thread["thread_id"]: thread for thread in more}
        if len(more) < AT_ONCE:
            break
    return [*found.values()]


def waiting_in(thread: Any) -> list[Any]:
    """Return a thread's interrupts that wait for replies, or [] if there are none."""
    waiting = thread.get("interrupts") or {}
    return [asked for interrupts in waiting.values() for asked in interrupts]
