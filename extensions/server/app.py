"""The routes and middleware that this package adds to LangGraph's server, with those of extensions.

`langgraph.json` names `app`. With tenants (`serving.tenancy`) every request is authorized, also on
LangGraph's own routes. Without tenants, every caller is the operator.
"""

import asyncio
import gc
import logging
import os
import sys
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import partial
from itertools import chain

from shapley_coop import extension
from shapley_coop.extension import BrokenExtension
from shapley_coop.extensions.server.serving.body_limit import BodyLimit, most_bytes
from shapley_coop.extensions.server.serving.browser_guard import DEV_TOKEN, BrowserGuard, JsonOnly
from shapley_coop.extensions.server.serving.guards import guards
from shapley_coop.extensions.server.serving.operator_only import restrict
from shapley_coop.extensions.server.serving.origins import ReadableRefusals
from shapley_coop.extensions.server.serving.tenancy import PUBLIC_KEY, TOKENS, configured, tenancy
from shapley_coop.extensions.server.serving.welcome import STARTED, announcement, welcome_route
from shapley_coop.extras import LibraryMissing, require_extra
from shapley_coop.graphs.catalogue import make_forms_ready
from shapley_coop.seats.clients import clients
from shapley_coop.seats.tracing import trace_quietly
from shapley_coop.state.storage.databases import driver
from shapley_coop.state.storage.home import DATABASE_VARIABLE, home

with require_extra("dev", "the LangGraph server"):
    from starlette.applications import Starlette
    from starlette.middleware import Middleware
    from starlette.routing import Route

logger = logging.getLogger(__name__)

STOPPED = "Stopped. Started again in this folder, the server goes on with the runs under way."


def application() -> Starlette:
    """Return the app with all routes and middleware.

    Raises:
        ValueError: a limit is invalid, or a setting that identifies tenants cannot be read.
    """
    middleware = [
        Middleware(BodyLimit, most=most_bytes()),
        Middleware(JsonOnly),
        *(one for guard in guards() for one in guard.middleware()),
    ]
    if tenants := tenancy():
        tenants.check()
        middleware = [*tenants.gate(), *middleware, *tenants.policy()]
    else:
        middleware = [Middleware(BrowserGuard), *middleware]
        if not os.environ.get(DEV_TOKEN):
            logger.warning(
                "No tenants: whoever may call this port is the operator. %s or %s turns them on.",
                TOKENS,
                PUBLIC_KEY,
            )
    trace_quietly(home().secrets)
    make_forms_ready()
    # httpx would log every HTTP request, which costs time and says nothing about a run.
    for client in ("httpx", "httpx2"):
        logging.getLogger(client).setLevel(logging.WARNING)
    brought = routes_of_extensions()
    return Starlette(
        routes=[welcome_route(), *chain.from_iterable(brought.values())],
        middleware=[Middleware(ReadableRefusals), *middleware],
        lifespan=partial(_lifespan, brought),
    )


def routes_of_extensions() -> Mapping[str, Sequence[Route]]:
    """Return extension → its routes, and warn of extensions that lack a library or are broken."""
    found: dict[str, Sequence[Route]] = {}
    for name in extension.offered("routes"):
        try:
            found[name] = extension.load("routes", name)()
        except (LibraryMissing, BrokenExtension) as missing:
            logger.warning("No /%s: %s", name, missing)
    return found


def lost_with_the_container(environment: Mapping[str, str]) -> str:
    """Return a warning if a deployment keeps data on its container's disk, otherwise ""."""
    development = environment.get("LANGSMITH_LANGGRAPH_API_VARIANT") == "local_dev"
    if development or environment.get(DATABASE_VARIABLE):
        return ""
    return (
        f"No durable database: checkpoints, journal and ledger are SQLite files in {home().folder},"
        " and are lost with the container unless that is a volume."
        f" {DATABASE_VARIABLE} names a database elsewhere."
    )


def _unsafe() -> str:
    database = home().database
    return driver(database).unsafe() if database else ""


@asynccontextmanager
async def _lifespan(brought: Iterable[str], _: Starlette) -> AsyncIterator[None]:
    """Call the guards at start and shutdown, and keep HTTP clients open in between."""
    restrict()
    if lost := lost_with_the_container(os.environ):
        logger.warning(lost)
    if configured() and (unsafe := await asyncio.to_thread(_unsafe)):
        logger.warning("%s: give %s another role.", unsafe, DATABASE_VARIABLE)
    for guard in guards():
        await guard.begin()
    try:
        async with clients():
            # Modules loaded so far are never freed, so the collector need not scan them again.
            gc.freeze()
            if os.environ.get(STARTED):
                sys.stderr.write(f"\n{announcement(brought)}\n")
            yield
    finally:
        for guard in guards():
            await guard.end()
        if os.environ.get(STARTED):
            sys.stderr.write(f"{STOPPED}\n")


app = application()
