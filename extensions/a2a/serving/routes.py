"""The routes of `/table`: the JSON-RPC of A2A 1.0 and 0.3, and the card of the agent there."""

import asyncio
from functools import cache
from importlib.metadata import version
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from shapley_coop.extensions.people.inbox import ThreadInbox
from shapley_coop.extensions.server.serving.answering import refusal
from shapley_coop.extensions.server.serving.browser_guard import HOSTS, is_here

TABLE = "/table"
CARD = f"{TABLE}/.well-known/agent-card.json"
"""The path of the public card, which describes how to take a seat."""


def table_routes() -> list[Route]:
    """Return the routes of the agent at `/table` and of its card."""

    @cache  # the first request makes the dispatcher, and later requests use it too
    def dispatcher() -> Any:
        return _dispatcher()

    async def table(request: Request) -> Response:
        # The first import of `a2a` takes a second, which must not block the event loop.
        found = await asyncio.to_thread(dispatcher)
        answer: Response = await found.handle_requests(request)
        return answer

    async def card(request: Request) -> Response:
        # The card repeats the request's Host as the address to call, so a forged Host is refused.
        if not is_here(request.headers.get("host", "")):
            return refusal(403, f"Unknown host: {HOSTS} lists those whose card this is")
        return JSONResponse(await asyncio.to_thread(_card, str(request.base_url)))

    return [
        Route(CARD, card, methods=["GET"], include_in_schema=False),
        Route(TABLE, table, methods=["POST"], include_in_schema=False),
    ]


def _dispatcher() -> Any:
    from a2a.server.context import ServerCallContext
    from a2a.server.routes.common import DefaultServerCallContextBuilder
    from a2a.server.routes.jsonrpc_dispatcher import JsonRpcDispatcher

    from shapley_coop.extensions.a2a.serving.guests import CALLER, Guests

    class WithCaller(DefaultServerCallContextBuilder):
        """A builder of A2A call contexts that adds the authenticated caller."""

        def build(self, request: Request) -> ServerCallContext:
            context = super().build(request)
            context.state[CALLER] = request.scope.get("caller")
            return context

    return JsonRpcDispatcher(Guests(ThreadInbox()), WithCaller(), enable_v0_3_compat=True)


def _card(base_url: str) -> dict[str, Any]:
    """Return the card of the agent at `/table`, whose address starts with `base_url`."""
    from a2a.types import (
        AgentCapabilities,
        AgentCard,
        AgentExtension,
        AgentInterface,
        AgentSkill,
    )

    from shapley_coop.extensions.a2a.asking.letter import EXTENSION

    url = base_url.rstrip("/") + TABLE
    skill = AgentSkill(
        id="seat",
        name="A seat at the table",
        description="Negotiate, sign, act and be paid: each letter asks for one answer.",
        tags=["negotiation", "contracts", "settlement"],
    )
    card = AgentCard(
        name="shapley-coop table",
        description="A table at which agents of several owners negotiate, sign contracts, act and "
        "settle. A task is a seat; every letter asks for input.",
        version=version("shapley-coop"),
        supported_interfaces=[
            AgentInterface(url=url, protocol_binding="JSONRPC", protocol_version=spoken)
            for spoken in ("1.0", "0.3")
        ],
        capabilities=AgentCapabilities(
            streaming=True, extensions=[AgentExtension(uri=EXTENSION, required=False)]
        ),
        default_input_modes=["text/plain", "application/json"],
        default_output_modes=["text/plain", "application/json"],
        skills=[skill],
    )
    return as_both(card, url)


def as_both(card: Any, url: str) -> dict[str, Any]:
    """Return an agent's card as JSON that clients of both A2A 1.0 and 0.3 can read."""
    from google.protobuf.json_format import MessageToDict

    return {**MessageToDict(card), "url": url, "protocolVersion": "0.3.0"}
