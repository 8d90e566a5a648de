"""Charts as SVG without a library or script, readable on light and dark pages.

Text and axes have the page's colour (`currentColor`). Series differ in both colour and shape, so
that either is enough to tell them apart. Every mark has a title with its value and its n, and may
be a link to its runs.
"""

from collections.abc import Sequence
from math import isfinite

from shapley_coop.extensions.reports.picture import (
    BOTTOM,
    LEAST_LEFT,
    LETTER,
    MOST_LEFT,
    ROW,
    SERIES_GAP,
    TOP,
    Axis,
    Bar,
    Line,
    Picture,
    Point,
    colour_of,
)


def intervals(bars: Sequence[Bar], axis: Axis, zero: bool = False) -> str:
    """Return a chart with a row per bar: a mark at the estimate and a line along its interval.

    Args:
        bars: the bars in order; bars without a finite value are left out.
        axis: the axis of values, from left to right.
        zero: whether to draw a bar from zero to the mark.
    """
    known = [bar for bar in bars if isfinite(bar.estimate.value)]
    groups: dict[str, list[Bar]] = {}
    for bar in known:
        groups.setdefault(bar.group, []).append(bar)
    series = list(dict.fromkeys(bar.series for bar in known))
    height = TOP + len(known) * ROW + max(0, len(groups) - 1) * SERIES_GAP + BOTTOM
    longest = LETTER * max(map(len, groups), default=0) + 24
    picture = Picture(height, series, left=min(MOST_LEFT, max(LEAST_LEFT, longest)))
    picture.horizontal(axis)
    y = TOP + ROW / 2
    for group, rows in groups.items():
        picture.text(picture.left - 10, y + (len(rows) - 1) * ROW / 2, group, "end")
        for bar in rows:
            picture.interval(bar, axis, y, series.index(bar.series), zero)
            y += ROW
        y += SERIES_GAP
    return picture.svg()


def scatter(
    series: Sequence[str],
    points: Sequence[Point],
    across: Axis,
    up: Axis,
    paths: Sequence[Line] = (),
    lines: Sequence[Line] = (),
    cloud: Sequence[tuple[float, float]] = (),
) -> str:
    """Return a chart of points and paths in a plane.

    Args:
        series: the names of all series, so that each series has one colour in all charts.
        points: the observations.
        across: the axis from left to right.
        up: the axis from bottom to top.
        paths: lines through observations in order.
        lines: dashed reference lines.
        cloud: small points behind all others, of no series.
    """
    picture = Picture(400, series)
    picture.horizontal(across)
    picture.vertical(up)
    for place in cloud:
        x, y = picture.place(*place, across, up)
        picture.add("circle", cx=x, cy=y, r=2, fill="currentColor", opacity=0.3)
    for line in lines:
        picture.path(line, across, up, None)
    for path in paths:
        picture.path(path, across, up, series.index(path.series))
    for point in points:
        x, y = picture.place(point.x, point.y, across, up)
        rank = series.index(point.series)
        picture.mark(x, y, rank, point.says, point.link, faint=True, ring=point.ring)
        if point.span:
            low, high = (up.at(end, picture.floor, TOP) for end in point.span)
            picture.line(x, low, x, high, colour_of(rank))
        if point.label:
            picture.text(x + 7, y - 8, point.label, "start", small=True)
    return picture.svg()
