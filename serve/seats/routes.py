"""The seat of a party over HTTP: it fetches its letter and answers it, and sees nothing else.

`GET /seat/{episode}/{agent}` gives the page to a browser and the letter as JSON to a program;
`POST` with a JSON object answers it. What stands behind it is a `SeatDesk`.
"""

import json
from typing import Any, Protocol

from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from shapley_coop.serve.view.assets import FILES, HEADERS


class NothingAsked(LookupError):
    """Nobody asks this seat anything now: it has answered, or there is no such seat."""


class SeatDesk(Protocol):
    """Where letters wait for people."""

    async def letter(self, episode: str, agent: str) -> dict[str, Any]:
        """What this seat is asked now, as plain JSON.

        `letter` is the text; `id` names it; `act` is what is asked for and `description` says it
        in a line; `answers` are the kinds of answer that are allowed, of accept, edit, response
        and ignore; `fields` is the JSON schema of an answer in fields.

        Raises:
            NothingAsked: it is not asked anything.
        """

    async def answer(self, episode: str, agent: str, reply: dict[str, Any]) -> dict[str, Any]:
        """Hand in an answer.

        `type` is one of the allowed answers; `args` of a response is the message's text, of an
        edit `{"action": act, "args": fields}`; with `id` it counts for that letter alone.

        Raises:
            NothingAsked: it is not asked anything.
            ValueError: the answer cannot stand; the letter stays open. One line says why.
        """


def seat_route(desk: SeatDesk) -> Route:
    """`/seat/{episode}/{agent}` before a desk."""

    async def seat(request: Request) -> Response:
        place = request.path_params["episode"], request.path_params["agent"]
        try:
            if request.method == "POST":
                return _json(await desk.answer(*place, await _reply(request)))
            if "text/html" in request.headers.get("accept", ""):
                return HTMLResponse(FILES["seat.html"], headers=HEADERS)
            return _json(await desk.letter(*place))
        except NothingAsked:
            return _json({"detail": "This seat is not asked anything now"}, 404)
        except ValueError as error:
            return _json({"detail": str(error)}, 422)

    return Route("/seat/{episode}/{agent}", seat, methods=["GET", "POST"])


async def _reply(request: Request) -> dict[str, Any]:
    # A page elsewhere can have a browser send a form here, with its password, but not JSON.
    if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
        raise ValueError("send the answer as application/json")
    try:
        reply = json.loads(await request.body())
    except (ValueError, RecursionError):
        raise ValueError("send the answer as one JSON object") from None
    if not isinstance(reply, dict):
        raise ValueError("send the answer as one JSON object")
    return reply


def _json(content: dict[str, Any], status: int = 200) -> JSONResponse:
    return JSONResponse(content, status, headers={"cache-control": "no-store"})
