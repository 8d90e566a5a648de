"""An attribution as one HTML page: it loads nothing and runs nothing."""

import base64
import hashlib
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from shapley_coop.evals.attribution.absence import in_words
from shapley_coop.evals.attribution.drawing import drawing
from shapley_coop.evals.attribution.result import AppCredit

_HERE = Path(__file__).parent
_pages = Environment(
    loader=FileSystemLoader(_HERE),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)

MOST_COALITIONS = 256
"""Coalitions that the page lists; the JSON has them all."""


def page(credit: AppCredit, title: str) -> str:
    """The page of an attribution.

    Args:
        credit: what it came to.
        title: the app's name.
    """
    style = (_HERE.parent / "reports" / "report.css").read_text(encoding="utf-8")
    return _pages.get_template("page.html").render(
        title=title,
        style=style,
        style_hash=base64.b64encode(hashlib.sha256(style.encode()).digest()).decode(),
        credit=credit,
        drawing=drawing(credit.graph, credit.values),
        coalitions=list(credit.worth.items())[:MOST_COALITIONS],
        most=MOST_COALITIONS,
    )


def shown(x: float | None) -> str:
    """A number with four digits; a dash where there is none."""
    return "—" if x is None else f"{x:.4g}"


_pages.filters["shown"] = shown
_pages.filters["in_words"] = in_words
