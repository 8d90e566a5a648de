"""The server as its own client, without leaving the process."""

from functools import cache

from langgraph_sdk import get_client
from langgraph_sdk.client import LangGraphClient

OWNER = "owner"
"""The metadata key that says whose a thing is; `serve.auth` writes it, clients cannot."""

GOES_ON = "goes_on"
"""The metadata key of runs that the server began itself, and takes up again itself after a kill."""


@cache
def inside() -> LangGraphClient:
    """A client of this very server. It may read everything: callers check who asks."""
    return get_client(url=None, api_key=None)
