"""A client of this server that stays in its process."""

from collections.abc import Mapping
from functools import cache
from itertools import count
from typing import Any

from langgraph_sdk import get_client
from langgraph_sdk.client import LangGraphClient

from shapley_coop.serve.server.tenancy import configured
from shapley_coop.state.storage.owners import OWNER_KEY

OWNER = "owner"
"""The metadata key of a thing's owner; only the server writes it, where there are tenants."""

GOES_ON = "goes_on"
"""The metadata key of runs that the server started itself, and restarts after a kill."""


@cache  # it holds connections
def inside() -> LangGraphClient:
    """A client of this server. It may read everything: its users must check the caller."""
    return get_client(url=None, api_key=None)


def owner_in(metadata: Mapping[str, Any] | None) -> str:
    """The owner that a thread's metadata names; without tenants anybody can write it there."""
    return str((metadata or {}).get(OWNER) or "") if configured() else ""


async def go_on(
    thread: str, assistant: str, owner: str, replies: Mapping[str, Any] | None = None, **more: Any
) -> None:
    """Start a run that goes on with a thread, with replies to its interrupts if there are any.

    Args:
        thread: the thread.
        assistant: which assistant goes on.
        owner: the thread's owner, for whom the run reads and writes.
        replies: interrupt → reply.
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
"""Threads in one search."""


async def all_threads(**about: Any) -> list[Any]:
    """Return all threads of which something holds, whosever they are.

    Args:
        about: what holds of them, and what of them is given, as LangGraph's client takes it.
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
    """The interrupts of a thread that wait for replies; where nothing was played there are none."""
    waiting = thread.get("interrupts") or {}
    return [asked for interrupts in waiting.values() for asked in interrupts]
