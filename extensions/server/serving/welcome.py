"""The route `GET /`: a page of workflows and links for browsers, a health check for programs."""

import json
import os
from collections.abc import Iterable
from html import escape
from urllib.parse import quote

from shapley_coop import extension
from shapley_coop.escaping import visible
from shapley_coop.extensions.server.serving.browser_guard import DEV_TOKEN
from shapley_coop.extensions.server.serving.tenancy import configured
from shapley_coop.extras import require_extra
from shapley_coop.graphs.catalogue import names

with require_extra("dev", "the LangGraph server"):
    from starlette.requests import Request
    from starlette.responses import HTMLResponse, JSONResponse, Response
    from starlette.routing import Route

STARTED = "COOP_DEV_STARTED"
"""The variable with a text that the server prints after start-up, below LangGraph's own log."""

GRAPHS = "LANGSERVE_GRAPHS"
"""The variable in which LangGraph's server has the `graphs` of its `langgraph.json`."""

VIEW = "/view/"
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
{access}<ul>
{runs}<li><a href="{studio}">Studio</a>: start a run and look into it</li>
<li><a href="/docs">Interface</a>: what programs may call, for LangGraph's SDK</li>
</ul>
<p>A program that asks for JSON gets <code>{{"ok": true}}</code> here.</p>
</html>
"""
RUNS = """<li><a href="/view/">Runs</a>: each one live and in replay</li>
"""
ACCESS = """<p>These links need a token; the address that the server printed has one.</p>
"""


def welcome_route() -> Route:
    """Return the route of `/`."""
    return Route("/", welcome, methods=["GET"])


async def welcome(request: Request) -> Response:
    """Return the page to browsers, and the health check to programs; neither shows a secret."""
    if "text/html" not in request.headers.get("accept", ""):
        return JSONResponse({"ok": True}, headers={"vary": "accept"})
    shown = ", ".join(f"<code>{escape(name)}</code>" for name in _served())
    studio = STUDIO + quote(str(request.base_url).rstrip("/"), safe=":/")
    access = ACCESS if os.environ.get(DEV_TOKEN) or configured() else ""
    page = PAGE.format(
        workflows=shown, studio=studio, access=access, runs=RUNS if _front() == VIEW else ""
    )
    return HTMLResponse(page, headers=HEADERS)


def _front() -> str:
    """Return the path of the runs' page, or "/" without the extension that serves it."""
    return VIEW if VIEW.strip("/") in extension.offered("routes") else "/"


def _served() -> list[str]:
    """Return the names of the graphs that LangGraph's server serves, or else all workflows."""
    return sorted(json.loads(os.environ.get(GRAPHS) or "{}")) or names()


def announcement(mounted: Iterable[str]) -> str:
    """Return what the server prints after start-up: `coop dev`'s text, and extensions' paths."""
    *lines, page = os.environ[STARTED].splitlines()
    if paths := ", ".join(f"/{name}" for name in mounted):
        lines.append(f"Extensions answer at {paths}.")
    return "\n".join([*lines, page])


def start_message(address: str, token: str, graphs: Iterable[str]) -> str:
    """Return the text that `coop dev` prints after start-up: addresses, access and workflows."""
    open_to = "for those with a token" if token or configured() else "without authentication"
    lines = [
        f"LangGraph server on {address}, {open_to}.",
        f"Workflows: {', '.join(sorted(graphs))}",
        f"Studio: {STUDIO}{address}",
    ]
    if token:
        header = f"Authorization: Bearer {token}"
        lines.append(f"Programs send {header}; for Studio, add it in its connection dialog.")
    lines.append(f"Open {address}{_front()}" + (f"?token={token}" if token else ""))
    return "\n".join(map(visible, lines))
