"""Which key goes to which endpoint.

A key of the operator goes to its provider's own endpoint. To another `base_url` it goes where the
operator says so: on the command line that names the endpoint, or in COOP_KEY_URLS. On a server,
and in a suite, the endpoint comes from somebody else, who would otherwise be sent the key.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import unquote, urlsplit

from shapley_coop.seats.seat import Seat

KEY_URLS = "COOP_KEY_URLS"
"""Comma-separated `VARIABLE=URL`: a key, and an endpoint with all paths below that may get it."""

NO_KEY = "none"
"""What an endpoint is sent that gets no key: OpenAI's client needs some text."""

_bound = False


def bind_keys() -> None:
    """From now on send keys to listed endpoints only: others name the endpoints here."""
    global _bound  # noqa: PLW0603 - a property of the process
    _bound = True


@contextmanager
def keys_bound() -> Iterator[None]:
    """Send keys to listed endpoints only, until the end of the block."""
    global _bound  # noqa: PLW0603
    before, _bound = _bound, True
    try:
        yield
    finally:
        _bound = before


def key_for(seat: Seat, variable: str) -> str:
    """Return the key that a seat's endpoint gets; empty if it gets none.

    Args:
        seat: which model, behind which endpoint.
        variable: the environment variable that holds the key.

    Raises:
        ValueError: COOP_KEY_URLS cannot be read.
    """
    key = os.environ.get(variable, "")
    if not _bound or not (seat.base_url or seat.key_env):
        return key
    listed = key_urls().get(variable, [])
    # A variable that somebody else names goes to no endpoint that is not listed with it.
    url = seat.base_url or ""
    return key if any(lies_below(url, one) for one in listed) else ""


def key_urls() -> dict[str, list[str]]:
    """Variable → the endpoints that may get its key, from COOP_KEY_URLS.

    Raises:
        ValueError: an entry is no `VARIABLE=URL`.
    """
    found: dict[str, list[str]] = {}
    for entry in filter(None, map(str.strip, os.environ.get(KEY_URLS, "").split(","))):
        variable, sign, url = entry.partition("=")
        if not sign or urlsplit(url).scheme not in ("http", "https"):
            raise ValueError(f"{KEY_URLS}: {entry[:80]}: give VARIABLE=URL, separated by commas")
        found.setdefault(variable, []).append(url)
    return found


def lies_below(url: str, listed: str) -> bool:
    """Return whether a URL is a listed one, or a path below it."""
    given, known = urlsplit(url), urlsplit(listed)
    # Clients and servers differ in how they read a backslash, and where they decode a path; dots
    # are resolved.
    steps = unquote(unquote(given.path)).split("/")
    if "\\" in url or {".", ".."} & {step.partition(";")[0] for step in steps}:
        return False
    same_host = (given.scheme, given.netloc) == (known.scheme, known.netloc)
    return same_host and f"{given.path}/".startswith(f"{known.path.rstrip('/')}/")
