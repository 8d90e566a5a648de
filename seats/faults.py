"""One-line explanations why a seat did not answer and how to fix it, without private content.

Clients' errors may hold the letter or the key, or an endpoint's echo of them. So only an error's
class, HTTP status and known code are used here, and the base URL comes from the seat.
"""

import errno
import json
import re
from collections.abc import Iterator
from urllib.parse import urlsplit, urlunsplit

import httpx2
from pydantic import ValidationError

from shapley_coop.seats.seat import AGAIN, Seat, SeatFault, describe_failure

_TOO_OFTEN, _CONFLICTS, _FAILED = 429, (408, 409), 500
_LONGEST_PAUSE = 3600.0

_SETTINGS = "check the seat's settings (max_tokens, temperature, extra_body and the like)"

_BY_STATUS = {
    400: f"refuses the request; {_SETTINGS}",
    401: "refuses the key; check its API key",
    402: "asks for money; add credit to its account",
    403: "gives the key no right to this model; check its API key's rights",
    404: "knows no such model or address; check the model's name and base URL",
    408: f"gave up waiting for the request; {AGAIN}",
    409: f"is busy with another request that this one conflicts with; {AGAIN}",
    413: "finds the request too large; give it less to read (recall), or another model",
    422: f"understands the request and cannot process it; {_SETTINGS}",
    429: "is asked too often, beyond its rate limit; try later, or run less at once",
    500: f"failed within; {AGAIN}",
    502: "is behind a gateway that got no sound answer from it; look whether it runs, then resume",
    503: "is not available now; try later",
    504: "is behind a gateway that got no answer in time; raise its limit there, then resume",
    529: "is overloaded; try later",
}

_BY_CODE = {
    "batch_expired": f"did not get to the letter within the batch's 24 hours; {AGAIN}",
    "batch_cancelled": f"was told to cancel the batch that held the letter; {AGAIN}",
    "batch_incomplete": f"ended the batch without a word on the letter; {AGAIN}",
    "not_batched": "is asked for what no batch takes, a stream or the Responses API; set the "
    "seat's settings so that it need not, or leave out --batch",
    "token_limit_exceeded": "has no room in its queue of batches for this letter; let other "
    "batches end, then resume",
    "insufficient_quota": "has no quota left for this account; add credit, or give another model",
    "content_filter": "filtered the letter by its content policy; say it otherwise, or give "
    "another model",
}


_OVERFLOW = re.compile(
    r"context[ _](?:length|size|window)|maximum context|prompt is too long|too many tokens", re.I
)
"""The error texts of endpoints for which a letter is too long."""

_NO_SYSTEM = re.compile(r"system[ _](?:role|message|prompt|instruction)", re.I)
"""The error texts of endpoints that support no system message."""


class AnswerTooLarge(Exception):
    """An endpoint's answer exceeds the size limit; the text names the limit."""

    def __init__(self, most: int) -> None:
        super().__init__(f"the answer is larger than {most >> 20} MB")


class WebPage(Exception):
    """An endpoint sends a web page instead of an answer."""


def describe_error(error: BaseException, seat: Seat, limit: float, tokens: int = 0) -> str:
    """Return the failure and its remedy in one line.

    Args:
        error: the error that the model raised, with its chain of causes.
        seat: the seat that failed.
        limit: the time limit for the whole answer, in seconds.
        tokens: the estimated tokens of the letter; 0 if unknown.
    """
    if isinstance(error, (SeatFault, TimeoutError)):
        return describe_failure(error, limit)
    status = getattr(error, "status_code", None)
    if isinstance(status, int):
        # A rate limit may also say "too many tokens", although the letter is not too long.
        of_letter = "" if status == _TOO_OFTEN else _of_letter(error, tokens)
        why = of_letter or _of_status(error, status, seat)
        return f"{type(error).__name__} ({status}); the endpoint {why}"
    for cause in causes(error):
        if why := _of_cause(cause, seat, limit):
            return f"{type(cause).__name__}; {why}"
    return describe_failure(error, limit)


def busy_for(error: BaseException) -> float | None:
    """Return the pause in seconds after which an endpoint may answer; None if it will not.

    A rate-limited endpoint names its pause, or it is a second. The pause is 0 if the endpoint
    failed within or the connection did. An exhausted quota is not cured by a pause.
    """
    status = getattr(error, "status_code", None)
    if not isinstance(status, int):
        lost = (OSError, httpx2.TransportError)
        return 0.0 if any(isinstance(cause, lost) for cause in causes(error)) else None
    if status != _TOO_OFTEN:  # return before `code` is read: aiohttp deprecates this attribute
        return 0.0 if status in _CONFLICTS or status >= _FAILED else None
    if getattr(error, "code", None) == "insufficient_quota":
        return None
    wait = getattr(getattr(error, "response", None), "headers", {}).get("retry-after", "")
    try:
        return min(max(float(wait), 0.0) or 1.0, _LONGEST_PAUSE)
    except ValueError:
        return 1.0  # there is no header, or it has a date, which is useless if the clocks differ


def _of_letter(error: BaseException, tokens: int) -> str:
    """Explain an error about a letter's length or system message; return "" for other errors."""
    words = f"{getattr(error, 'code', '')} {error}"
    if _OVERFLOW.search(words):
        size = f" (about {tokens} tokens)" if tokens else ""
        return (
            f"finds the letter{size} too long for the model; set recall, or give a model with a "
            "longer context"
        )
    if _NO_SYSTEM.search(words):
        return "takes no system message; set `system` of the seat to false"
    return ""


def _of_status(error: BaseException, status: int, seat: Seat) -> str:
    if 300 <= status < 400:
        return f"has moved; give the address that it redirects to as base URL, now {_url(seat)}"
    by_code = _BY_CODE.get(str(getattr(error, "code", None)))
    wait = getattr(getattr(error, "response", None), "headers", {}).get("retry-after", "")
    asked = f"; it asks to wait {wait} s" if status == 429 and wait[:9].isdigit() else ""
    unknown = f"failed; {AGAIN}" if status >= 500 else f"refuses the request; {_SETTINGS}"
    return (by_code or _BY_STATUS.get(status, unknown)) + asked


def _of_cause(error: BaseException, seat: Seat, limit: float) -> str:  # noqa: PLR0912
    """Return the explanation of one error in a chain; "" if a later error in it may say more."""
    import aiohttp

    match error:
        case AnswerTooLarge():
            return f"{error}; set max_tokens, or look what answers at {_url(seat)}"
        case WebPage():
            return f"the endpoint answered with a web page; check the base URL, now {_url(seat)}"
        case aiohttp.ClientConnectorError():
            return f"nothing can be reached at {_url(seat)}; check that it runs, and the base URL"
        case aiohttp.SocketTimeoutError():
            return f"the endpoint fell silent for {limit:g} s; raise the seat's timeout"
        case aiohttp.ServerDisconnectedError():
            return f"the endpoint closed the connection without an answer; {AGAIN}"
        case OSError(errno=errno.ECONNRESET):
            return f"the endpoint reset the connection without an answer; {AGAIN}"
        case aiohttp.ClientPayloadError():
            return f"the answer broke off in the middle; {AGAIN}"
        case aiohttp.ClientResponseError():
            return f"the server does not speak HTTP; check the base URL, now {_url(seat)}"
        case httpx2.DecodingError():
            return f"the answer is not compressed as it says; look for a proxy at {_url(seat)}"
        case json.JSONDecodeError():
            what = "nothing" if not error.doc.strip() else "text that is no JSON"
            return f"the endpoint answered with {what}; check the base URL, now {_url(seat)}"
        case ValidationError():
            return "the completion holds content of another kind than text; give another model"
        case IndexError():
            return f"the completion holds no choice; {AGAIN}, or give another model"
        case AttributeError() | TypeError() | KeyError():
            return f"the completion is malformed; check which server answers at {_url(seat)}"
        case ValueError():
            return (
                "the endpoint answered with an error instead of a completion; "
                f"send it a request yourself at {_url(seat)}"
            )
    return ""


def causes(error: BaseException) -> Iterator[BaseException]:
    """Return the chain of errors, from the first cause, which says most, to the error itself."""
    chain: list[BaseException] = []
    at: BaseException | None = error
    while at is not None and at not in chain:
        chain.append(at)
        at = at.__cause__ or at.__context__
    return reversed(chain)


def _url(seat: Seat) -> str:
    """Return a seat's base URL without its user, password, query and fragment."""
    if not seat.base_url:
        return "the provider's own"
    parts = urlsplit(seat.base_url)
    host = parts.netloc.rpartition("@")[2]
    return urlunsplit((parts.scheme, host, parts.path, "", ""))
