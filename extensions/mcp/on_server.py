"""The MCP tools on the LangGraph server, at `/mcp`: streamable HTTP without sessions.

A tool plays runs through the server's own API with the caller's token. So the rules for the
caller's requests (owners, policy, quotas) apply to the tools too.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractContextManager, asynccontextmanager, suppress
from typing import Any, cast

import httpx
from langgraph_sdk.client import LangGraphClient

from shapley_coop.evals.verifying import Check, verify_ended, verify_run
from shapley_coop.extensions.mcp.at_home import HomeRuns
from shapley_coop.extensions.mcp.place import Place, Standing
from shapley_coop.extensions.mcp.serving import server
from shapley_coop.extensions.mcp.tools import TOOLS
from shapley_coop.extensions.server.serving.body_limit import most_bytes
from shapley_coop.extensions.server.serving.in_process import OWNER, waiting_in
from shapley_coop.extras import require_extra
from shapley_coop.graphs.catalogue import names
from shapley_coop.graphs.finding import is_known
from shapley_coop.graphs.threads import table_of
from shapley_coop.seats.person import seat_address
from shapley_coop.state.listing import RunFilter, list_line
from shapley_coop.state.result import result
from shapley_coop.state.storage.home import home
from shapley_coop.state.storage.owners import acting_for
from shapley_coop.state.storage.register import Run
from shapley_coop.state.table import Table

with require_extra("dev", "the LangGraph server"):
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.types import ASGIApp, Receive, Scope, Send

with require_extra("mcp", "an MCP server"):
    from mcp.server import Server
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

CREDENTIALS = ("authorization", "x-api-key", "cookie")
"""The HTTP headers that identify a caller; a tool's own requests repeat them."""

STATES = {"idle": "ended", "error": "failed", "interrupted": "waiting"}
"""Status of a thread → state of its run."""

SECONDS = 620.0
"""The timeout in seconds of requests to the server itself; no tool waits longer."""


def endpoint() -> ASGIApp:
    """Return the ASGI app of `/mcp`."""
    return _Endpoint(server(TOOLS, _of_caller))


class _Endpoint:
    """The ASGI app of `/mcp`."""

    def __init__(self, offered: Server[Any]) -> None:
        self._offered = offered

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] != "POST":  # GET and DELETE need sessions, which this server lacks
            await Response(status_code=405, headers={"allow": "POST"})(scope, receive, send)
            return
        # The SDK's manager must be started, but a route has no start-up for a shared one. Without
        # sessions a manager has no state, so each request gets a manager of its own.
        manager = StreamableHTTPSessionManager(
            self._offered,
            json_response=True,
            stateless=True,
            max_request_body_size=most_bytes(),
        )
        async with manager.run():
            await manager.handle_request(scope, receive, send)


@asynccontextmanager
async def _of_caller(request: Request) -> AsyncIterator[Place]:
    """Yield the caller's threads, found by a client with the caller's credentials."""
    shown = {name: value for name in CREDENTIALS if (value := request.headers.get(name))}
    if token := request.query_params.get("token"):
        shown["x-api-key"] = token
    inner = httpx.ASGITransport(request.app, raise_app_exceptions=False)
    here = "http://127.0.0.1"
    caller = request.scope.get("caller")
    async with httpx.AsyncClient(
        transport=inner, base_url=here, headers=shown, timeout=SECONDS
    ) as http:
        yield _Threads(LangGraphClient(http), caller.identity if caller else "")


class _Threads:
    """The `Place` of the caller's threads, each a run, and of runs played by the caller's chats."""

    def __init__(self, client: LangGraphClient, owner: str) -> None:
        self._client, self._owner = client, owner

    async def begin(self, workflow: str, room: dict[str, Any]) -> str:
        with _refusals():
            thread = str((await self._client.threads.create())["thread_id"])
            given: Any = {"input": {"room": room}, "durability": "sync"}
            await self._client.runs.create(thread, workflow, **given)
        return thread

    async def wait(self, run: str, seconds: float) -> None:
        if not seconds:
            return
        (latest,) = await self._client.runs.list(run, limit=1)
        with suppress(TimeoutError):
            await asyncio.wait_for(self._client.runs.join(run, latest["run_id"]), seconds)

    async def standing(self, run: str) -> Standing:
        with acting_for(self._owner):
            if await asyncio.to_thread(is_known, run):  # a chat or a command played it in no thread
                return await HomeRuns().standing(run)
        with _refusals(f"there is no run {run[:100]!r}"):
            thread, state = await asyncio.gather(
                self._client.threads.get(run), self._client.threads.get_state(run)
            )
        table = cast(Table, state["values"] or {})
        known: dict[str, Any] = {**(thread["metadata"] or {})}
        ended = result(run, str(known.get("graph_id")), table) if _settled(table) else None
        asked = [one["value"]["pointer"] for one in _asked(thread)]
        return Standing(
            _line(thread),
            ended,
            table,
            _stopped(thread, state),
            {one["agent"]: seat_address(one["episode"], one["agent"]) for one in asked},
        )

    async def listed(self, game: str, limit: int) -> list[dict[str, Any]]:
        about = {OWNER: self._owner} if self._owner else {}
        named = {"game": game} if game else {}
        found = await self._client.threads.search(metadata={**about, **named}, limit=limit)
        workflows = names()  # a thread of another graph, such as a chat, is no run
        threads = [one for one in found if (one["metadata"] or {}).get("graph_id") in workflows]
        with acting_for(self._owner):
            entered = await asyncio.to_thread(lambda: home().runs.list(cells=False))
        lines = [*map(_line, threads), *map(list_line, RunFilter(game=game)(entered))]
        return sorted(lines, key=lambda one: str(one["created"]), reverse=True)[:limit]

    async def verified(self, run: str) -> list[Check]:
        with acting_for(self._owner):
            if await asyncio.to_thread(is_known, run):
                return await verify_run(run)
        standing = await self.standing(run)
        if standing.result is None:
            raise ValueError(f"{run} has not ended")
        line = standing.line
        room = standing.table["settings"]
        known = Run(run, line["graph"], room, line["created"], "ended", standing.result)
        with self._books(run):
            return await verify_ended(known, standing.result, await table_of(known))

    def _books(self, run: str) -> AbstractContextManager[None]:
        return acting_for(self._owner, run)


def _settled(table: Table) -> bool:
    return bool(table.get("settlement"))


def _asked(thread: Any) -> list[Any]:
    """Return the interrupts of a thread that wait for a person at a seat."""
    waiting = waiting_in(thread) if thread.get("interrupts") else []
    return [one for one in waiting if isinstance(one["value"], dict) and "pointer" in one["value"]]


def _line(thread: Any) -> dict[str, Any]:
    """Return a thread as a line of a list of runs."""
    known = thread["metadata"] or {}
    return {
        "run": thread["thread_id"],
        "game": str(known.get("game") or ""),
        "graph": str(known.get("graph_id") or ""),
        "seed": known.get("seed"),
        "created": str(thread["created_at"]),
        "state": STATES.get(thread["status"], "started"),
        "status": known.get("status"),
    }


def _stopped(thread: Any, state: Any) -> str:
    """Return the reason why a thread's run failed, or "" if the run did not fail."""
    if thread["status"] != "error":
        return ""
    told = [str(task["error"]) for task in state["tasks"] if task.get("error")]
    return told[0] if told else str(thread.get("error") or "the server's log says why")


class _refusals(AbstractContextManager["_refusals"]):
    """A context manager that turns a refusal by the server into a `ValueError` with its detail.

    Args:
        missing: the error's text if the thread is not found.
    """

    def __init__(self, missing: str = "") -> None:
        self._missing = missing

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        if not isinstance(error, httpx.HTTPStatusError):
            return
        if self._missing and error.response.status_code in (404, 422):
            raise ValueError(self._missing) from None
        try:
            told = str(error.response.json()["detail"])
        except (ValueError, KeyError, TypeError, httpx.StreamError):
            told = f"the server answered {error.response.status_code}"
        raise ValueError(told) from None
