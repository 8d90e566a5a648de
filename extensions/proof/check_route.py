"""The checking page on LangGraph's server, at `/check`."""

from shapley_coop.extensions.proof.check_page import check_page, policy
from shapley_coop.extras import require_extra

with require_extra("dev", "the LangGraph server"):
    from starlette.requests import Request
    from starlette.responses import HTMLResponse
    from starlette.routing import Route


def check_routes() -> list[Route]:
    """Return the route of the page."""
    headers = {
        "content-security-policy": f"{policy()}; frame-ancestors 'none'",
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
    }
    page = HTMLResponse(check_page(), headers=headers)

    async def shown(_: Request) -> HTMLResponse:
        return page

    return [Route("/check", shown)]
