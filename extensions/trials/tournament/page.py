"""The leaderboard: one self-contained HTML page of a tournament, built like a sweep's report."""

from collections.abc import Callable, Mapping
from html import escape
from math import isfinite
from pathlib import Path
from typing import Any

from markupsafe import Markup

from shapley_coop.evals.provenance import provenance
from shapley_coop.extensions.reports import pages
from shapley_coop.extensions.reports.charts import intervals
from shapley_coop.extensions.reports.layout import number, prose
from shapley_coop.extensions.reports.linking import Linked, Links, PageOf, no_page
from shapley_coop.extensions.reports.picture import Axis, Bar, linked
from shapley_coop.extensions.reports.stats import LEVEL
from shapley_coop.extensions.trials.tournament.entry import FIRST, SECOND
from shapley_coop.extensions.trials.tournament.ranking import Rank
from shapley_coop.extensions.trials.tournament.results import COLUMNS, REGRET, Played

_TEMPLATE = Path(__file__).parent / "page.html"

MATCHES = "matches"
"""The id of the list of matches."""

BOX, TOP, LETTER = 34, 24, 7.2
WIDE = 480
"""The least width of a picture, since a page enlarges narrower ones to the column's width."""
HIGH, LOW = "#1f9d78", "#e08a00"


def leaderboard(played: Played, ranking: list[Rank], page_of: PageOf = no_page) -> str:
    """Return the HTML page of a tournament.

    Args:
        played: the tournament with all its rows.
        ranking: the ranking of its seats.
        page_of: the address of a run's page.
    """
    rows, seats = played.all_rows(), [one.seat for one in ranking]
    # By seed: if only the first runs get pages, each pair of seats has a run with a page.
    by_seed = sorted(rows, key=lambda row: int(row["seed"]))
    pages_of = {row["cell"]: page_of(played.runs[row["cell"]]) for row in by_seed}
    links = Links(MATCHES, pages_of)
    of_seat = {seat: links.to(rows, *_of_seat(seat)) for seat in seats}
    return pages.page(
        _TEMPLATE,
        {"number": number, "prose": prose},
        played.tournament.name,
        script=True,
        finding=_finding(ranking, of_seat),
        all=Linked(f"#{MATCHES}", ({},)),
        matches=_matches(played, pages_of),
        listed=MATCHES,
        tournament=played.tournament,
        runs=len(rows),
        simulated=sum(bool(row["result"]["simulated"]) for row in rows),
        ranking=[(one, of_seat[one.seat]) for one in ranking],
        chart=_strengths(ranking, of_seat),
        columns=[*COLUMNS, REGRET],
        games=[_game(played, game, seats, links) for game in played.rows],
        reported=provenance(),
        level=f"{LEVEL:.0%}",
    )


def _finding(ranking: list[Rank], linked: Mapping[str, Linked]) -> Markup:
    """Return a sentence about the ranking's first and last seats; its numbers are links."""
    first, last = ranking[0], ranking[-1]
    won, compared = (
        linked[first.seat].around(one) for one in (f"{first.won:.0%}", str(first.compared))
    )
    if first.won == last.won:
        return Markup("No seat is ahead: each of {} won {} of its comparisons.").format(
            len(ranking), won
        )
    return Markup(
        "{} ranks first of {} seats and won {} of its {} comparisons; {} ranks last with {}."
    ).format(
        *(first.seat, len(ranking), won, compared),
        *(last.seat, linked[last.seat].around(f"{last.won:.0%}")),
    )


def _of_seat(seat: str, **more: str) -> list[dict[str, str]]:
    """Return two filters (`Where`), which select a seat's matches in the first and second role."""
    return [{**more, FIRST: seat}, {**more, SECOND: seat}]


def _matches(played: Played, pages_of: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return the lines of the list of matches."""
    return [
        {
            **{axis: row["labels"][axis] for axis in (FIRST, SECOND)},
            "game": game,
            "seed": row["seed"],
            "ended": row["result"]["status"],
            "payoffs": [row["result"]["payoffs"][agent] for agent in row["result"]["agents"]],
            "run": played.runs[row["cell"]],
            "page": pages_of[row["cell"]],
        }
        for game, rows in played.rows.items()
        for row in rows
    ]


def _game(played: Played, game: str, seats: list[str], links: Links) -> dict[str, Any]:
    crossed, rows = played.crossed(game), played.rows[game]

    def pair(first: str, second: str) -> Linked:
        own = {FIRST: first, SECOND: second}
        return links.to([row for row in rows if row["labels"] == own], {"game": game, **own})

    return {
        "name": game,
        "settings": played.tournament.games[game],
        "lines": [
            (seat, links.to(rows, *_of_seat(seat, game=game)), played.measured(game, seat))
            for seat in seats
        ],
        "matrix": [
            (first, [(crossed[first, second], pair(first, second)) for second in seats])
            for first in seats
        ],
        "picture": matrix(seats, crossed, pair),
    }


def _strengths(ranking: list[Rank], linked: Mapping[str, Linked]) -> str:
    ends = [x for one in ranking for x in (one.strength.value, *one.strength.ends)]
    bars = [Bar(one.seat, "", one.strength, linked[one.seat]) for one in ranking]
    return intervals(bars, Axis.around("strength θ (0 is the mean seat)", ends, [0]))


def matrix(
    seats: list[str],
    crossed: dict[tuple[str, str], float],
    pair: Callable[[str, str], Linked | None] = lambda first, second: None,
) -> str:
    """Return a picture of the mean payoff of each seat against each other seat.

    Args:
        seats: the seats, in the order of the picture's rows and of its columns.
        crossed: (first seat, second seat) → the first seat's mean payoff.
        pair: (first seat, second seat) → the link from their box to their matches.

    Returns:
        The picture as SVG. Each pair's box is green above the mean of all boxes, and orange below;
        the further from the mean, the stronger the colour. A tooltip states the payoff.
    """
    mean = sum(crossed.values()) / len(crossed)
    reach = max(abs(value - mean) for value in crossed.values()) or 1.0
    left = LETTER * max(len(f"{n}. {seat}") for n, seat in enumerate(seats, 1)) + 16
    size = (max(WIDE, left + BOX * len(seats) + 8), TOP + BOX * len(seats) + 8)
    parts = []
    for row, first in enumerate(seats):
        y = TOP + BOX * row
        parts.append(_text(left - 8, y + BOX / 2, f"{row + 1}. {first}", "end", 13))
        parts.append(_text(left + BOX * (row + 0.5), TOP / 2, str(row + 1), "middle", 11))
        for column, second in enumerate(seats):
            value = crossed[first, second]
            part = (value - mean) / reach if isfinite(value) else 0.0
            x, colour = left + BOX * column, HIGH if part > 0 else LOW
            says = f"{first} against {second}: {value:.3g}"
            look = f'fill="{colour}" fill-opacity="{abs(part) * 0.8:.2f}"'
            word = _text(x + BOX / 2 - 1, y + BOX / 2 - 1, f"{value:.3g}", "middle", 11)
            parts.append(linked(_box(x, y, look, says) + word, pair(first, second), says))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size[0]:.0f} {size[1]}" '
        f'width="{size[0]:.0f}" role="group" font-family="system-ui, sans-serif">'
        f"{''.join(parts)}</svg>"
    )


def _box(x: float, y: float, look: str, says: str) -> str:
    size = f'width="{BOX - 2}" height="{BOX - 2}"'
    return f'<rect x="{x:.1f}" y="{y}" {size} {look}><title>{escape(says)}</title></rect>'


def _text(x: float, y: float, words: str, anchor: str, size: int) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" dy="0.35em" font-size="{size}" text-anchor="{anchor}" '
        f'fill="currentColor">{escape(words)}</text>'
    )
