"""The page that checks an export in a browser: one file, without a build step or a request."""

import base64
import hashlib
import re
from pathlib import Path

_FOLDER = Path(__file__).parent / "page"

MODULES = ("exact", "envelope", "shapes", "contract", "values", "settle", "check", "page")
"""The page's modules, each after those that it imports."""

_LINKS = re.compile(r"^import \{[^}]*\} from .*\n|^export ", re.MULTILINE)


def program(*modules: str) -> str:
    """Return modules as one program; no two modules share a top-level name."""
    return "\n".join(_LINKS.sub("", _text(f"{name}.js")) for name in modules)


def policy() -> str:
    """Return the content security policy: only this page's program and style, and no network."""
    return (
        f"default-src 'none'; script-src '{_hash(program(*MODULES))}'; "
        f"style-src '{_hash(_text('check.css'))}'; base-uri 'none'; form-action 'none'"
    )


def check_page() -> str:
    """Return the whole page."""
    parts = {"POLICY": policy(), "STYLE": _text("check.css"), "PROGRAM": program(*MODULES)}
    return re.sub("|".join(parts), lambda found: parts[found[0]], _text("check.html"))


def _text(name: str) -> str:
    return (_FOLDER / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
