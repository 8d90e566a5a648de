"""A client that calls this server within its own process."""

from collections.abc import Mapping
from functools import cache
from itertools import count
from typing import Any

from langgraph_sdk import get_client
from langgraph_sdk.client import LangGraphClient

from shapley_coop.serve.server.tenancy import configured
from shapley_coop.state.storage.owners import OWNER_KEY

OWNER = "owner"
"""The metadata key of the owner of a thread; with tenants, only the server writes this key."""

GOES_ON = "goes_on"
"""The metadata key of runs that the server started itself, and that it restarts after a kill."""


@cache  # it holds connections
def inside() -> LangGraphClient:
    """Return a client of this server. It may read all data, so its users must check the caller."""
    return get_client(url=None, api_key=None)


def owner_in(metadata: Mapping[str, Any] | None) -> str:
    """Return the owner in a thread's metadata, or "" without tenants: anybody could write it."""
    return str((metadata or {}).get(OWNER) or "") if configured() else ""


async def go_on(
    thread: str, assistant: str, owner: str, replies: Mapping[str, Any] | None = None, **more: Any
) -> None:
    """Start a run that resumes a thread, with the replies to its interrupts if given.

    Args:
        thread: the thread's id.
        assistant: the id of the assistant that runs.
        owner: the thread's owner, as whom the run reads and writes.
        replies: interrupt id → reply.
        more: options of LangGraph's client.
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
    """Return the matching threads of all owners.

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
    """Return the interrupts of a thread that wait for replies; empty if nothing was played."""
    waiting = thread.get("interrupts") or {}
    return [asked for interrupts in waiting.values() for asked in interrupts]
