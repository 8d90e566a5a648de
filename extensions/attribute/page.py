"""An attribution as one HTML page: it loads nothing and runs nothing."""

from pathlib import Path

from shapley_coop.evals.reports import pages
from shapley_coop.extensions.attribute.absence import in_words
from shapley_coop.extensions.attribute.drawing import drawing
from shapley_coop.extensions.attribute.result import AppCredit

_TEMPLATE = Path(__file__).parent / "page.html"

MOST_COALITIONS = 256
"""Coalitions that the page lists; the JSON has them all."""


def page(credit: AppCredit, title: str) -> str:
    """The page of an attribution.

    Args:
        credit: what it came to.
        title: the app's name.
    """
    return pages.page(
        _TEMPLATE,
        {"shown": shown, "in_words": in_words},
        title,
        credit=credit,
        drawing=drawing(credit.graph, credit.values),
        coalitions=list(credit.worth.items())[:MOST_COALITIONS],
        most=MOST_COALITIONS,
    )


def shown(x: float | None) -> str:
    """A number with four digits; a dash where there is none."""
    return "—" if x is None else f"{x:.4g}"
