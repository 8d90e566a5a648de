"""What the server adds to LangGraph's own routes: the viewer, the seats, and who may knock.

`langgraph.json` names `app`. With callers configured (`serve.server.callers`) the gate stands
before every route, LangGraph's included; without, everybody who reaches the port is the operator.
"""

import asyncio
import gc
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.middleware import Middleware

from shapley_coop.seats import clients
from shapley_coop.seats.tracing import trace_quietly
from shapley_coop.serve.seats.deadlines import keep_deadlines
from shapley_coop.serve.seats.inbox import ThreadDesk
from shapley_coop.serve.seats.routes import SeatDesk, seat_route
from shapley_coop.serve.server.authorization import Gate
from shapley_coop.serve.server.body_limit import Intake
from shapley_coop.serve.server.callers import PUBLIC_KEY, TOKENS, check_configuration, configured
from shapley_coop.serve.server.limits import limits
from shapley_coop.serve.server.recovery import recover
from shapley_coop.serve.server.tenant_policy import Reach
from shapley_coop.serve.server.threads import view_routes
from shapley_coop.state import home

logger = logging.getLogger(__name__)


def application(desk: SeatDesk) -> Starlette:
    """The app for a desk at which people's letters wait.

    Raises:
        ValueError: what callers are told apart by cannot be read, or a limit is none.
    """
    check_configuration()
    guards = [Middleware(Intake, most=limits().body)]
    if configured():
        guards = [Middleware(Gate, at_once=limits().requests), *guards, Middleware(Reach)]
    else:
        logger.warning(
            "No authentication: everybody who reaches this port is the operator. "
            "%s or %s turns it on.",
            TOKENS,
            PUBLIC_KEY,
        )
    trace_quietly(home().secrets)
    # A line for each call of a model and each label tells nothing of a play, and takes time.
    for client in ("httpx", "httpx2"):
        logging.getLogger(client).setLevel(logging.WARNING)
    return Starlette(
        routes=[seat_route(desk), *view_routes()], middleware=guards, lifespan=_open_for_business
    )


@asynccontextmanager
async def _open_for_business(_: Starlette) -> AsyncIterator[None]:
    """Bring back what a killed server lost; then keep deadlines, and the seats' HTTP clients."""
    await recover()
    clock = asyncio.create_task(keep_deadlines())
    try:
        async with clients():
            # What is loaded by now stays: the collector need not look through it again and again.
            gc.freeze()
            yield
    finally:
        clock.cancel()


app = application(ThreadDesk())
