"""The interface of the extension that identifies a server's callers (tenants) by tokens.

Without tenants, every caller is the operator. If one of the variables below turns tenants on, an
extension identifies the callers; without that extension the server does not start.
"""

import os
from collections.abc import Mapping, Sequence
from typing import Any, Literal, Protocol

from langgraph_sdk import Auth
from starlette.middleware import Middleware

from shapley_coop import extension

TOKENS = "COOP_AUTH_TOKENS"
"""The environment variable with the path of a file of tokens and their owners."""

PUBLIC_KEY = "COOP_AUTH_JWT_PUBLIC_KEY"
"""The environment variable with the public key that verifies signed tokens."""


class Caller(Protocol):
    """The sender of a request: an operator, who owns runs, or a party, who has one seat."""

    @property
    def identity(self) -> str:
        """The caller's name; the runs of an operator have this name as their owner."""

    @property
    def role(self) -> Literal["operator", "party"]:
        """The caller's role, which decides what the caller may use."""

    @property
    def episode(self) -> str:
        """A party's episode; empty for an operator."""

    @property
    def agent(self) -> str:
        """A party's agent; empty for an operator."""

    def sits_at(self, episode: str, agent: str) -> bool:
        """Return whether this caller is the party at an agent's seat in an episode."""


class Tenancy(Protocol):
    """The interface of an extension's part `tenants`, which identifies callers."""

    def check(self) -> None:
        """Check the configuration of tenants at start-up.

        Raises:
            ValueError: a file, a key or a limit cannot be read.
        """

    def auth(self) -> Auth:
        """Return LangGraph's `Auth`, which identifies callers and limits them to their own data."""

    def gate(self) -> Sequence[Middleware]:
        """Return the middleware that runs first and puts `caller` into the scope."""

    def policy(self) -> Sequence[Middleware]:
        """Return the middleware that runs last and finds `body` in the scope."""

    async def check_new(self, place: Mapping[str, Any]) -> None:
        """Check a run before its first step; raise an error if the run may not begin.

        Args:
            place: the run's `configurable`; empty if the run has begun already.
        """


def configured() -> bool:
    """Return whether tenants are turned on, so that callers need a token."""
    return bool(os.environ.get(TOKENS) or os.environ.get(PUBLIC_KEY))


def tenancy() -> Tenancy | None:
    """Return the extension that identifies callers, or None if callers need no token.

    Raises:
        ValueError: callers need a token, and no or more than one extension identifies them.
        BrokenExtension, LibraryMissing: the extension cannot be loaded.
    """
    if not configured():
        return None
    offers = extension.offered("tenants")
    if len(offers) != 1:
        named = TOKENS if os.environ.get(TOKENS) else PUBLIC_KEY
        found = "none is" if not offers else f"{', '.join(sorted(offers))} are"
        raise ValueError(
            f"{named} is set, which needs exactly one extension for tenants, but {found} "
            f"installed: `coop list` shows them; without {named} there are no tenants"
        )
    loaded: Tenancy = extension.load("tenants", *offers)
    return loaded
