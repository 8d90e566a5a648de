"""The page's own files, and the headers they are sent with."""

from pathlib import Path

FOLDER = Path(__file__).parent / "page"

KINDS = {".html": "text/html", ".css": "text/css", ".js": "text/javascript"}

FILES = {
    path.name: path.read_text(encoding="utf-8")
    for path in sorted(FOLDER.iterdir())
    if path.suffix in KINDS
}
"""Name → text. Read at import, since a server's event loop must not wait for a disk."""

HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cache-control": "no-cache",
}
"""Nothing is loaded from elsewhere, and no text can become a script."""


def kind(name: str) -> str:
    """The media type of a file, with its encoding."""
    return f"{KINDS[Path(name).suffix]}; charset=utf-8"
