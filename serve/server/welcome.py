"""`GET /`: what this server serves, as a page for browsers; programs get the health check."""

from html import escape
from urllib.parse import quote

from shapley_coop.extras import require_extra
from shapley_coop.graphs.catalogue import names

with require_extra("dev", "the LangGraph server"):
    from starlette.requests import Request
    from starlette.responses import HTMLResponse, JSONResponse, Response
    from starlette.routing import Route

STUDIO = "https://smith.langchain.com/studio/?baseUrl="
HEADERS = {
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "vary": "accept, host",
}
PAGE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><title>shapley-coop</title>
<meta name="viewport" content="width=device-width">
<style>body{{font:1rem/1.5 system-ui;max-width:40rem;margin:3rem auto;padding:0 1rem;
color-scheme:light dark}}</style>
<h1>shapley-coop</h1>
<p>Agents negotiate, sign contracts, act, and are paid by what the record shows.
This server plays these workflows:</p>
<p>{workflows}</p>
<ul>
<li><a href="/view/">Runs</a>: each one live and in replay</li>
<li><a href="{studio}">Studio</a>: start a run and look into it</li>
<li><a href="/docs">Interface</a>: what programs may call, for LangGraph's SDK</li>
</ul>
<p>A program that asks for JSON gets <code>{{"ok": true}}</code> here.</p>
</html>
"""


def welcome_route() -> Route:
    """Return the route of `/`."""
    return Route("/", welcome, methods=["GET"])


async def welcome(request: Request) -> Response:
    """Say what is served, to whoever prefers a page; nothing in it is a secret."""
    if "text/html" not in request.headers.get("accept", ""):
        return JSONResponse({"ok": True}, headers={"vary": "accept"})
    shown = ", ".join(f"<code>{escape(name)}</code>" for name in names())
    studio = STUDIO + quote(str(request.base_url).rstrip("/"), safe=":/")
    return HTMLResponse(PAGE.format(workflows=shown, studio=studio), headers=HEADERS)
