"""Self-contained HTML pages with a common head, style sheet and policy against loading anything.

A page's template begins with `{% extends "base.html" %}` and fills the block `body`.
"""

import base64
import hashlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from shapley_coop.escaping import visible_lines
from shapley_coop.extensions.page.assets import FILES

_HERE = Path(__file__).parent

Filters = Mapping[str, Callable[..., Any]]


def page(
    template: Path, filters: Filters, title: str, script: bool = False, **variables: Any
) -> str:
    """Return the HTML of a page, from its template.

    Args:
        template: the template's file.
        filters: name → Jinja filter that the template uses to show values.
        title: the page's title and first heading.
        script: whether the page sorts, filters and links its lists of runs by report.js.
        **variables: all other variables of the template.

    Raises:
        jinja2.UndefinedError: a variable is missing.
    """
    style = _style()
    pages = Environment(
        loader=FileSystemLoader([template.parent, _HERE]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    pages.filters |= filters
    own = {"style": style, "style_hash": _hash(style)}
    program = (_HERE / "report.js").read_text(encoding="utf-8") if script else ""
    own |= {"script": program, "script_hash": _hash(program)}
    return visible_lines(pages.get_template(template.name).render(title=title, **own, **variables))


def _hash(text: str) -> str:
    """Return the hash by which a page's security policy allows a script or style sheet."""
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _style() -> str:
    """Return the style sheet of the run page, followed by the rules that only reports need."""
    return FILES["page.css"] + (_HERE / "report.css").read_text(encoding="utf-8")
