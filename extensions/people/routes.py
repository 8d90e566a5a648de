"""The route by which a party reads the letter at its own seat and replies.

`GET /seat/{episode}/{agent}` returns the page to a browser and the letter as JSON to a program.
`POST` with a JSON object replies; if the object's type is `draft`, it only returns a preview.
`ThreadInbox` documents the JSON of letters and of replies.
"""

from typing import Any

from shapley_coop.extensions.page.assets import UNSTORED, file
from shapley_coop.extensions.people.form import DRAFT
from shapley_coop.extensions.people.inbox import NothingAsked, ThreadInbox
from shapley_coop.extensions.people.response import one_object
from shapley_coop.extras import require_extra

with require_extra("dev", "the LangGraph server"):
    from starlette.requests import Request
    from starlette.responses import JSONResponse, Response
    from starlette.routing import Route


def seat_routes() -> list[Route]:
    """Return the route `/seat/{episode}/{agent}`."""
    inbox = ThreadInbox()

    async def seat(request: Request) -> Response:
        place = request.path_params["episode"], request.path_params["agent"]
        try:
            if request.method == "POST":
                reply = await _reply(request)
                if reply.get("type") == DRAFT:
                    return _json(await inbox.preview(*place, reply.get("args")))
                return _json(await inbox.answer(*place, reply))
            if "text/html" in request.headers.get("accept", ""):
                page, headers = file("seat.html")
                return Response(page, headers=headers)
            return _json(await inbox.letter(*place))
        except NothingAsked:
            return _json(await inbox.standing(*place), 404)
        except ValueError as error:
            return _json({"detail": str(error)}, 422)

    return [Route("/seat/{episode}/{agent}", seat, methods=["GET", "POST"])]


async def _reply(request: Request) -> dict[str, Any]:
    # A foreign page can make a browser send a form here with its credentials, but not JSON.
    if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
        raise ValueError("send the reply as application/json")
    return one_object(await request.body())


def _json(content: dict[str, Any], status: int = 200) -> JSONResponse:
    return JSONResponse(content, status, headers=UNSTORED)
