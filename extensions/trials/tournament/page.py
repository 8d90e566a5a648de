"""The leaderboard: one self-contained HTML page of a tournament, built like a sweep's report."""

from html import escape
from math import isfinite
from pathlib import Path
from typing import Any

from shapley_coop.evals.sweeps.provenance import provenance
from shapley_coop.extensions.reports import pages
from shapley_coop.extensions.reports.charts import Axis, Bar, intervals
from shapley_coop.extensions.reports.layout import number, prose
from shapley_coop.extensions.reports.stats import LEVEL
from shapley_coop.extensions.trials.tournament.ranking import Rank
from shapley_coop.extensions.trials.tournament.results import COLUMNS, REGRET, Played

_TEMPLATE = Path(__file__).parent / "page.html"

BOX, TOP, LETTER = 34, 24, 7.2
HIGH, LOW = "#1f9d78", "#e08a00"


def leaderboard(played: Played, ranking: list[Rank]) -> str:
    """Return the HTML page of a tournament.

    Args:
        played: the tournament with all its rows.
        ranking: the ranking of its seats.
    """
    rows = played.all_rows()
    return pages.page(
        _TEMPLATE,
        {"number": number, "prose": prose},
        played.tournament.name,
        tournament=played.tournament,
        runs=len(rows),
        simulated=sum(bool(row["result"]["simulated"]) for row in rows),
        ranking=ranking,
        chart=_strengths(ranking),
        columns=[*COLUMNS, REGRET],
        games=[_game(played, game, [one.seat for one in ranking]) for game in played.rows],
        reported=provenance(),
        level=f"{LEVEL:.0%}",
    )


def _game(played: Played, game: str, seats: list[str]) -> dict[str, Any]:
    crossed = played.crossed(game)
    return {
        "name": game,
        "settings": played.tournament.games[game],
        "lines": [(seat, played.measured(game, seat)) for seat in seats],
        "matrix": [(first, [crossed[first, second] for second in seats]) for first in seats],
        "picture": matrix(seats, crossed),
    }


def _strengths(ranking: list[Rank]) -> str:
    ends = [x for one in ranking for x in (one.strength.low, one.strength.high)]
    bars = [Bar(one.seat, "", one.strength) for one in ranking]
    return intervals(bars, Axis.around("strength θ (0 is the mean seat)", ends, [0]))


def matrix(seats: list[str], crossed: dict[tuple[str, str], float]) -> str:
    """Return a picture of the mean payoff of each seat against each other seat.

    Args:
        seats: the seats, in the order of the picture's rows and of its columns.
        crossed: (first seat, second seat) → the first seat's mean payoff.

    Returns:
        SVG: a box for each pair, green above the mean of all boxes and orange below. The colour is
        stronger the further the payoff is from the mean. Each box has a title in words.
    """
    mean = sum(crossed.values()) / len(crossed)
    reach = max(abs(value - mean) for value in crossed.values()) or 1.0
    left = LETTER * max(len(f"{n}. {seat}") for n, seat in enumerate(seats, 1)) + 16
    size = (left + BOX * len(seats) + 8, TOP + BOX * len(seats) + 8)
    parts = []
    for row, first in enumerate(seats):
        y = TOP + BOX * row
        parts.append(_text(left - 8, y + BOX / 2, f"{row + 1}. {first}", "end", 13))
        parts.append(_text(left + BOX * (row + 0.5), TOP / 2, str(row + 1), "middle", 11))
        for column, second in enumerate(seats):
            value = crossed[first, second]
            part = (value - mean) / reach if isfinite(value) else 0.0
            x, colour = left + BOX * column, HIGH if part > 0 else LOW
            parts.append(
                f'<rect x="{x:.1f}" y="{y}" width="{BOX - 2}" height="{BOX - 2}" fill="{colour}" '
                f'fill-opacity="{abs(part) * 0.8:.2f}"><title>{escape(first)} against '
                f"{escape(second)}: {value:.3g}</title></rect>"
            )
            parts.append(_text(x + BOX / 2 - 1, y + BOX / 2 - 1, f"{value:.3g}", "middle", 11))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size[0]:.0f} {size[1]}" '
        f'width="{size[0]:.0f}" role="img" font-family="system-ui, sans-serif">'
        f"{''.join(parts)}</svg>"
    )


def _text(x: float, y: float, words: str, anchor: str, size: int) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" dy="0.35em" font-size="{size}" text-anchor="{anchor}" '
        f'fill="currentColor">{escape(words)}</text>'
    )
