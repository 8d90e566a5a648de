"""Whether a server's callers are told apart, and who does it: an extension.

Without tenants, whoever reaches the port is the operator. With them (one of the variables below)
an extension identifies the callers; a server that finds none does not start.
"""

import os
from collections.abc import Mapping, Sequence
from typing import Any, Literal, Protocol

from langgraph_sdk import Auth
from starlette.middleware import Middleware

from shapley_coop import extension

TOKENS = "COOP_AUTH_TOKENS"
"""A file of tokens, and of whose they are."""

PUBLIC_KEY = "COOP_AUTH_JWT_PUBLIC_KEY"
"""The key by which signed tokens are checked."""


class Caller(Protocol):
    """Who sent a request: an operator, who owns what it plays, or the party of one seat."""

    @property
    def identity(self) -> str:
        """The caller's name; an operator's is the owner of its runs."""

    @property
    def role(self) -> Literal["operator", "party"]:
        """What the caller may use."""

    @property
    def episode(self) -> str:
        """A party's episode; empty for an operator."""

    @property
    def agent(self) -> str:
        """A party's agent; empty for an operator."""

    def sits_at(self, episode: str, agent: str) -> bool:
        """Return whether this is the party of that seat."""


class Tenancy(Protocol):
    """What tells callers apart; an extension's part `tenants`."""

    def check(self) -> None:
        """Check at start-up what is configured.

        Raises:
            ValueError: a file, a key or a limit cannot be read.
        """

    def auth(self) -> Auth:
        """Return what LangGraph's server asks: who calls, and what is whose."""

    def gate(self) -> Sequence[Middleware]:
        """Return what runs before every other middleware, and puts `caller` into the scope."""

    def policy(self) -> Sequence[Middleware]:
        """Return what runs after all others, where `body` is in the scope."""

    async def check_new(self, place: Mapping[str, Any]) -> None:
        """Check a run that is about to take its first step, and raise where it may not.

        Args:
            place: the run's configurable; empty for a run that has begun.
        """


def configured() -> bool:
    """Return whether callers need a token."""
    return bool(os.environ.get(TOKENS) or os.environ.get(PUBLIC_KEY))


def tenancy() -> Tenancy | None:
    """Return what tells callers apart; None where they need no token.

    Raises:
        ValueError: they need one, and no installed extension tells them apart.
        BrokenExtension, LibraryMissing: that extension cannot be loaded.
    """
    if not configured():
        return None
    offers = extension.offered("tenants")
    if len(offers) != 1:
        named = TOKENS if os.environ.get(TOKENS) else PUBLIC_KEY
        found = "none is" if not offers else f"{', '.join(sorted(offers))} are"
        raise ValueError(
            f"{named} is set, but one extension that tells callers apart is needed and {found} "
            f"installed: `coop list` says which are; without {named} there are no tenants"
        )
    loaded: Tenancy = extension.load("tenants", *offers)
    return loaded
