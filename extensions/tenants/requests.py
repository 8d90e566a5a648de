"""The middleware that sets a request's owner, so that the request uses this owner's rows only."""

from collections.abc import Callable
from contextvars import ContextVar

from shapley_coop.extensions.server.serving.tenancy import Caller
from shapley_coop.extras import require_extra
from shapley_coop.state.storage.owners import acting_for, request_holder

with require_extra("dev", "tenants on a server"):
    from starlette.types import ASGIApp, Receive, Scope, Send

Release = Callable[[], object]
_at_the_end: ContextVar[list[Release] | None] = ContextVar(
    "at_the_end_of_the_request", default=None
)


class RequestOwner:
    """Middleware that makes each request act as its caller, on the thread that its path names.

    The middleware runs after `Authorization`, which puts the caller into the scope. If a request
    makes the server call itself, the inner request keeps the outer request's owner.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one connection, as its caller."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        caller: Caller | None = scope.get("caller")
        outer = request_holder()
        owner = outer.owner if outer else ""
        if caller and caller.role == "operator":
            owner = caller.identity
        ending: list[Release] = []
        token = _at_the_end.set(ending)
        try:
            with acting_for(owner, thread_in(scope["path"])):
                await self._app(scope, receive, send)
        finally:
            _at_the_end.reset(token)
            for release in ending:
                release()


def at_the_end_of_the_request(release: Release) -> None:
    """Call `release` when the current request ends, or at once outside a request (in a cron)."""
    ending = _at_the_end.get()
    if ending is None:
        release()
    else:
        ending.append(release)


def thread_in(path: str) -> str:
    """Return the thread that a path of LangGraph's API names, or "" if it names none."""
    parts = path.removeprefix("/noauth").split("/")
    return parts[2] if len(parts) > 3 and parts[1] == "threads" else ""
