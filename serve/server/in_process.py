"""A client of this server that stays in its process."""

from collections.abc import Mapping
from functools import cache
from typing import Any

from langgraph_sdk import get_client
from langgraph_sdk.client import LangGraphClient

OWNER = "owner"
"""The metadata key of a thing's owner; `serve.auth` writes it, clients cannot."""

GOES_ON = "goes_on"
"""The metadata key of runs that the server started itself, and restarts after a kill."""


@cache
def inside() -> LangGraphClient:
    """A client of this server. It may read everything: its users must check the caller."""
    return get_client(url=None, api_key=None)


async def go_on(
    thread: str, assistant: str, replies: Mapping[str, Any] | None = None, **options: Any
) -> None:
    """Start a run that goes on with a thread, with replies to its interrupts if there are any."""
    await inside().runs.create(
        thread,
        assistant,
        command={"resume": replies} if replies else None,
        metadata={GOES_ON: True},
        durability="sync",
        **options,
    )


def waiting_in(thread: Any) -> list[Any]:
    """The interrupts of a thread that wait for replies."""
    return [asked for interrupts in thread["interrupts"].values() for asked in interrupts]
