"""Functions that read and refuse requests, for all middleware before LangGraph's routes."""

from collections.abc import Iterator, Mapping
from typing import Any

from starlette.datastructures import Headers
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.types import Scope

from shapley_coop import extension
from shapley_coop.extensions.server.notice import notice_page

HEALTH = {"/", "/ok"}


def refusal(status: int, detail: str, headers: dict[str, str] | None = None) -> JSONResponse:
    """Return an error response in the form of LangGraph's own errors."""
    return JSONResponse({"detail": detail}, status, headers)


_NO_TOKEN = (
    "A token is missing",
    "This page opens with a token: at the end of the address that you were given, or as the "
    "password that came with it. If you have none, ask whoever sent you here.",
)

_NO_SUCH_HOST = (
    "This server does not go by this name",
    "Open the address that the server printed when it started. Whoever runs it can have it answer "
    "under another host name: COOP_ALLOWED_HOSTS lists these names.",
)


def unknown_caller(scope: Scope, detail: str, headers: dict[str, str] | None = None) -> Response:
    """Return the answer 401: a page with advice to a browser, an error as JSON to a program."""
    return _closed(scope, refusal(401, detail, headers), _NO_TOKEN, headers)


def unknown_host(scope: Scope, detail: str) -> Response:
    """Return the answer 403: a page to a browser, an error as JSON to a program."""
    return _closed(scope, refusal(403, detail), _NO_SUCH_HOST)


def _closed(
    scope: Scope, refused: Response, told: tuple[str, str], headers: dict[str, str] | None = None
) -> Response:
    """Return a refusal as JSON; for a browser, a page with the same status, title and words."""
    if "text/html" not in Headers(scope=scope).get("accept", ""):
        return refused
    closed = {"content-security-policy": "default-src 'none'", "vary": "accept"}
    return HTMLResponse(notice_page(*told), refused.status_code, {**closed, **(headers or {})})


def from_inside(scope: Scope) -> bool:
    """Return whether the server makes this request to itself."""
    # Only the server's own client has this root path; no outside request can set it.
    root: str = scope.get("root_path", "")
    return root == "/noauth" or root.startswith("/noauth/")


def needs_no_token(scope: Scope) -> bool:
    """Return whether a request is public: a health check, an open route or a CORS preflight."""
    # A CORS preflight has no credentials; the server's CORS middleware answers it later.
    asked = {"origin", "access-control-request-method"}
    preflight = scope["method"] == "OPTIONS" and asked <= {*Headers(scope=scope).keys()}
    free = scope["path"] in HEALTH or extension.open_to(scope["path"]) == "anybody"
    return preflight or (scope["method"] in ("GET", "HEAD") and free)


def requests_in(body: Any) -> Iterator[Mapping[str, Any]]:
    """Yield the requests in a JSON body: the body or each item of its list, and nested requests.

    Nested requests are the `params` of a command or an A2A call, a message's data, and state
    updates.

    Raises:
        LookupError, TypeError, AttributeError: the body is not in the API's form.
    """
    for one in body if isinstance(body, list) else [body]:
        if not isinstance(one, Mapping):
            continue
        yield one
        if isinstance(params := one.get("params"), Mapping):
            yield params
            for part in (params.get("message") or {}).get("parts") or ():
                yield {"input": part.get("data")}
        for step in one.get("supersteps") or ():
            yield from step["updates"]
