"""The viewer's routes on the LangGraph server, which show the caller's threads as run bundles.

The routes also show the runs that the command line has played in the same home.
"""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import httpx

from shapley_coop.extensions.page.assets import HEADERS, ROUTES, file
from shapley_coop.extensions.page.bundle import DONE, About, bundle
from shapley_coop.extensions.page.feed import END, Feed
from shapley_coop.extensions.page.listing import lines, links_of, state_of, why_of
from shapley_coop.extensions.page.run_sources import bundle_of, lines_with_age
from shapley_coop.extensions.server.serving.in_process import OWNER, inside
from shapley_coop.extensions.server.serving.tenancy import Caller
from shapley_coop.extras import require_extra
from shapley_coop.seats.records import Entry
from shapley_coop.state.storage.home import home
from shapley_coop.state.storage.ledger import Line
from shapley_coop.state.storage.owners import acting_for

with require_extra("dev", "the LangGraph server"):
    from starlette.exceptions import HTTPException
    from starlette.requests import Request
    from starlette.responses import JSONResponse, RedirectResponse, Response
    from starlette.responses import StreamingResponse as Streamed
    from starlette.routing import Route

EVERY = 0.7
"""Seconds between two reads of a running thread."""


def view_routes() -> list[Route]:
    """Return the routes of the page, its files, and the bundles of the caller's threads."""
    return [
        Route(ROUTES["file"], _file),
        Route(ROUTES["redirect"], _redirect),
        Route(ROUTES["index"], _file),
        Route(ROUTES["runs"], _runs),
        Route(ROUTES["bundle"], _bundle),
        Route(ROUTES["events"], _events),
    ]


async def _file(request: Request) -> Response:
    try:
        text, headers = file(request.path_params.get("name", "index.html"))
    except ValueError as error:
        raise HTTPException(404, str(error)) from None
    return Response(text, headers=headers)


async def _redirect(request: Request) -> Response:
    return RedirectResponse(f"{request.scope.get('root_path', '')}{ROUTES['index']}")


async def _runs(request: Request) -> Response:
    with acting_for(_owner(request)):
        entered = await asyncio.to_thread(lambda: lines_with_age(home().runs.list(cells=False)))
    every = [*await lines(_own(request)), *entered]
    every.sort(key=lambda one: str(one["created"]), reverse=True)
    found = {"runs": every, "private": True}
    return JSONResponse(found, headers={"cache-control": "no-store"})


async def _bundle(request: Request) -> Response:
    found = await _bundle_of(request)
    return JSONResponse(found, headers={"cache-control": "no-store"})


async def _events(request: Request) -> Response:
    first = await _bundle_of(request)

    async def changes() -> AsyncIterator[str]:
        found, feed = first, Feed(request.headers.get("last-event-id"))
        while True:
            yield feed.update(found)
            if found["state"] in DONE:
                yield END
                return
            await asyncio.sleep(EVERY)
            found = await _bundle_of(request)

    return Streamed(changes(), headers=HEADERS, media_type="text/event-stream")


async def _bundle_of(request: Request) -> dict[str, Any]:
    """Return the bundle of the caller's thread, or of a run that the command line played.

    Raises:
        HTTPException: 404 if there is no such thread or run, or another caller owns it.
    """
    name, private = request.path_params["name"], request.query_params.get("private") == "1"
    try:
        thread = await inside().threads.get(name)
        metadata: dict[str, Any] = dict(thread["metadata"] or {})
        if not _own(request).items() <= metadata.items():
            raise HTTPException(404, "There is no such thread")
        state = await inside().threads.get_state(name)
    except httpx.HTTPStatusError:
        with acting_for(_owner(request)):
            if found := await asyncio.to_thread(_registered_bundle, name, private):
                return found
        raise HTTPException(404, "There is no such thread") from None
    table: Any = state["values"] or {}
    with acting_for(_owner(request)):
        read = private or state_of(thread) in DONE
        ledger, entries = await asyncio.to_thread(_books, table.get("episode", ""), read)
    graph, why = str(metadata.get("graph_id", "")), why_of(thread, state["tasks"])
    known = graph, str(thread["created_at"]), state_of(thread), why, links_of(thread)
    return await asyncio.to_thread(bundle, About(name, *known), table, ledger, entries, private)


def _own(request: Request) -> dict[str, str]:
    """Return the metadata that identifies the caller's threads; {} on a server without tenants."""
    caller: Caller | None = request.scope.get("caller")
    return {OWNER: caller.identity} if caller else {}


def _owner(request: Request) -> str:
    """Return the owner whose journal and ledger the caller reads; "" without tenants."""
    caller: Caller | None = request.scope.get("caller")
    return caller.identity if caller else ""


def _registered_bundle(name: str, private: bool) -> dict[str, Any] | None:
    """Return the bundle of a run in the home's register, or None if no run has this name."""
    try:
        run = home().run(name)
    except ValueError:
        return None
    return bundle_of(run, home(), private)


def _books(episode: str, read: bool) -> tuple[list[Line], list[Entry] | None]:
    entries = list(home().journal.entries(episode)) if read else None
    return home().ledger.lines(episode), entries
