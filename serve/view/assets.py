"""The page: its files, its headers and its routes, on this machine and on the server."""

import json
import re
from pathlib import Path

from shapley_coop.deals.language.labels import LABELS

FOLDER = Path(__file__).parent / "page"

KINDS = {".html": "text/html", ".css": "text/css", ".js": "text/javascript"}

REFUSALS = {label: means for labels in LABELS.values() for label, means in labels.items()}
"""What each label of a refusal means."""

FILES = {
    path.name: path.read_text(encoding="utf-8")
    for path in sorted(FOLDER.iterdir())
    if path.suffix in KINDS
} | {"labels.js": f"export const REFUSALS = {json.dumps(REFUSALS)};\n"}
"""Name → text. Read at import, because a server's event loop must not wait for a disk."""

HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cache-control": "no-cache",
}
"""Nothing is loaded from other hosts, and no text can become a script."""

ROUTES = {
    "file": "/page/{name}",
    "redirect": "/view",
    "index": "/view/",
    "runs": "/view/runs.json",
    "bundle": "/view/runs/{name}.json",
    "events": "/view/runs/{name}/events",
}
"""What is served → its path; `name` is a file's or a run's."""


def route_of(path: str) -> tuple[str, str]:
    """Return what a path asks for, and the name in it.

    Raises:
        ValueError: it is not one of the page's paths.
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
    kind = f"{KINDS[Path(name).suffix]}; charset=utf-8"
    return FILES[name], {**HEADERS, "content-type": kind}
