"""The rules that decide which endpoint receives which key.

The operator's key goes to its provider's own endpoint. Another `base_url` gets the key only if the
operator names that URL, on the command line or in COOP_KEY_URLS. On a server and in a suite,
another party chooses the endpoint and would otherwise receive the operator's key.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import unquote, urlsplit

from shapley_coop.seats.seat import Seat

KEY_URLS = "COOP_KEY_URLS"
"""Comma-separated `VARIABLE=URL`: the URL and all paths below it may receive the variable's key."""

NO_KEY = "none"
"""The text sent to an endpoint that gets no key, as OpenAI's client needs some text."""

_bound = False


def bind_keys() -> None:
    """From now on send keys only to listed endpoints, because other parties choose endpoints."""
    global _bound  # noqa: PLW0603 - the rule holds for the whole process
    _bound = True


@contextmanager
def keys_bound() -> Iterator[None]:
    """Send keys to listed endpoints only, within the `with` block."""
    global _bound  # noqa: PLW0603
    before, _bound = _bound, True
    try:
        yield
    finally:
        _bound = before


def key_for(seat: Seat, variable: str) -> str:
    """Return the key that a seat's endpoint may receive, or "" if it may receive no key.

    Args:
        seat: the seat that calls the endpoint.
        variable: the environment variable that holds the key.

    Raises:
        ValueError: COOP_KEY_URLS cannot be parsed.
    """
    key = os.environ.get(variable, "")
    if not _bound or not (seat.base_url or seat.key_env):
        return key
    listed = key_urls().get(variable, [])
    # Another party may have chosen variable and endpoint, so the pair must be listed.
    url = seat.base_url or ""
    return key if any(lies_below(url, one) for one in listed) else ""


def key_urls() -> dict[str, list[str]]:
    """Return variable → the endpoints that may receive its key, from COOP_KEY_URLS.

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
    """Return whether a URL equals a listed URL or is a path below the listed URL."""
    given, known = urlsplit(url), urlsplit(listed)
    # Clients and servers treat backslashes and encoded paths differently, and resolve dots; a URL
    # with either could lead outside the listed path.
    steps = unquote(unquote(given.path)).split("/")
    if "\\" in url or {".", ".."} & {step.partition(";")[0] for step in steps}:
        return False
    same_host = (given.scheme, given.netloc) == (known.scheme, known.netloc)
    return same_host and f"{given.path}/".startswith(f"{known.path.rstrip('/')}/")
