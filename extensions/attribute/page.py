"""An attribution as one HTML page without scripts or external resources."""

from html import escape
from pathlib import Path

from shapley_coop.extensions.attribute.absence import in_words
from shapley_coop.extensions.attribute.drawing import drawing
from shapley_coop.extensions.attribute.figures import shown
from shapley_coop.extensions.attribute.result import AppCredit, norm_in_words
from shapley_coop.extensions.reports import pages

_TEMPLATE = Path(__file__).parent / "page.html"

MOST_COALITIONS = 256
"""The most coalitions that the page lists; the JSON has all of them."""


def page(credit: AppCredit, title: str) -> str:
    """Return the page of an attribution.

    Args:
        credit: the result of `attribute`.
        title: the app's name.
    """
    return pages.page(
        _TEMPLATE,
        {"shown": shown, "in_words": in_words, "named": norm_in_words},
        title,
        credit=credit,
        drawing=drawing(credit.graph, credit.values),
        coalitions=list(credit.worth.items())[:MOST_COALITIONS],
        most=MOST_COALITIONS,
    )


def fragment(credit: AppCredit) -> str:
    """Return an HTML fragment for notebooks: the drawing, a table of agents, and the notes."""
    others = ["leave-one-out"] if credit.has_other_value else []
    heads = ("agent", norm_in_words(credit.value), "95 % interval", *others, "tokens a run")
    rows = []
    for agent in credit.agents:
        spent, interval = credit.spent[agent], (credit.interval or {}).get(agent)
        span = " to ".join(map(shown, interval)) if interval else "—"
        missed = credit.leave_one_out[agent]
        numbers = [missed, spent.tokens] if others else [spent.tokens]
        rows.append((agent, shown(credit.known_value(agent)), span, *map(shown, numbers)))
    cells = "".join(f"<tr>{''.join(f'<td>{escape(x)}</td>' for x in row)}</tr>" for row in rows)
    notes = "".join(f"<li>{escape(note)}</li>" for note in credit.notes)
    head = "".join(f"<th>{name}</th>" for name in heads)
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{cells}</tbody></table>"
    return f"<div>{drawing(credit.graph, credit.values)}{table}<ul>{notes}</ul></div>"
