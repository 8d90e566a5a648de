"""The run page's files, headers and routes, for `coop view` and for the LangGraph server."""

import json
import re
from pathlib import Path

from shapley_coop.deals.language.labels import LABELS

FOLDER = Path(__file__).parent / "page"

KINDS = {".html": "text/html", ".css": "text/css", ".js": "text/javascript"}

REFUSALS = {label: means for labels in LABELS.values() for label, means in labels.items()}
"""Label of a refusal → the meaning of the label."""

FILES = {
    path.name: path.read_text(encoding="utf-8")
    for path in sorted(FOLDER.iterdir())
    if path.suffix in KINDS
} | {"labels.js": f"export const REFUSALS = {json.dumps(REFUSALS)};\n"}
"""File name → text. The import reads the files, because an event loop must not wait for a disk."""

HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cache-control": "no-cache",
    "vary": "accept",
}
"""The headers of all files: pages load only this host's files, and never run text as script."""

UNSTORED = {**HEADERS, "cache-control": "no-store"}
"""The headers of pages and of JSON. One address answers either, by what is accepted; a browser that
stored the page would answer the page's own request for JSON with it.
"""

ROUTES = {
    "file": "/page/{name}",
    "redirect": "/view",
    "index": "/view/",
    "runs": "/view/runs.json",
    "bundle": "/view/runs/{name}.json",
    "events": "/view/runs/{name}/events",
}
"""Key of a route → its path, where `name` is the name of a file or of a run."""


def route_of(path: str) -> tuple[str, str]:
    """Return the key in `ROUTES` of the route that matches a path, and the name in the path or "".

    Raises:
        ValueError: the path matches no route.
    """
    for what, route in ROUTES.items():
        if found := re.fullmatch(route.replace("{name}", "([^/]+)"), path):
            return what, (found.groups() or ("",))[0]
    raise ValueError("There is no such page.")


def file(name: str) -> tuple[str, dict[str, str]]:
    """Return the text of a file of the page, and its headers.

    Raises:
        ValueError: there is no such file.
    """
    if name not in FILES:
        raise ValueError("There is no such file.")
    kind = KINDS[Path(name).suffix]
    headers = UNSTORED if kind == "text/html" else HEADERS
    return FILES[name], {**headers, "content-type": f"{kind}; charset=utf-8"}
