"""A client of this server that stays in its process."""

from functools import cache

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
