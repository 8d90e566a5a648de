"""The drawing of charts as SVG: axes, marks, lines, words and a legend, without a library."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from html import escape
from math import ceil, floor, isfinite, log10
from typing import Any, Literal

from shapley_coop.escaping import visible
from shapley_coop.extensions.reports.linking import Linked
from shapley_coop.extensions.reports.stats import Estimate

Anchor = Literal["start", "middle", "end"]

COLOURS = ("#3b82c4", "#e08a00", "#1f9d78", "#c0679a", "#8a6fd1", "#b5651d", "#5f8a99", "#9a9a2f")
"""Colours distinct for most kinds of colour blindness, with contrast on white and on black."""

WIDTH, ROW, SERIES_GAP = 680, 20, 16
RIGHT, TOP, BOTTOM = 24, 12, 44
LEAST_LEFT, MOST_LEFT, LETTER, SMALL_LETTER = 110, 370, 7.2, 6.2


ROUNDING = 1e-5
"""An axis does not magnify smaller differences, because they come from rounding."""


@dataclass(frozen=True)
class Axis:
    """An axis with its label and range.

    Attributes:
        label: the label, with the unit.
        low: the smallest value shown.
        high: the largest value shown.
    """

    label: str
    low: float
    high: float

    @classmethod
    def around(cls, label: str, values: Iterable[float], include: Sequence[float] = ()) -> "Axis":
        """Return an axis that shows all finite values, with a margin of 6 %."""
        finite = [x for x in [*values, *include] if isfinite(x)] or [0.0, 1.0]
        low, high = min(finite), max(finite)
        margin = (high - low if high - low > ROUNDING else max(abs(high), 1.0)) * 0.06
        return cls(label, low - margin, high + margin)

    def ticks(self) -> list[float]:
        """Return about five round numbers between the axis's ends."""
        rough = (self.high - self.low) / 5
        power = 10.0 ** floor(log10(rough))
        step = next(m * power for m in (1, 2, 2.5, 5, 10) if m * power >= rough * 0.999)
        first = ceil(self.low / step - 1e-9)
        count = floor(self.high / step + 1e-9) - first + 1
        return [round((first + i) * step, 12) for i in range(count)]

    def at(self, value: float, start: float, end: float) -> float:
        """Return the coordinate of a value, given the coordinates of the axis's two ends."""
        return start + (value - self.low) / (self.high - self.low) * (end - start)


@dataclass(frozen=True)
class Bar:
    """One series' estimate in one group, drawn on a row of its own."""

    group: str
    series: str
    estimate: Estimate
    link: Linked | None = None


@dataclass(frozen=True)
class Point:
    """One point of a series.

    Attributes:
        series: the name of the series.
        x: the value from left to right.
        y: the value from bottom to top.
        says: the title of the mark.
        label: a word next to the mark.
        ring: whether to draw the mark as a ring, which leaves other marks visible.
        span: an interval of y, drawn as a vertical line.
        link: the link to the runs that the point is computed from.
    """

    series: str
    x: float
    y: float
    says: str
    label: str = ""
    ring: bool = False
    span: tuple[float, ...] = ()
    link: Linked | None = None


@dataclass(frozen=True)
class Line:
    """A line through points in order; a line of a series has a mark at its last point."""

    series: str
    points: tuple[tuple[float, float], ...]
    says: str
    link: Linked | None = None


def linked(drawn: str, link: Linked | None, says: str) -> str:
    """Return an SVG element as a link with a name, or unchanged if there is no link."""
    name = escape(visible(says))
    return f'<a {link.attributes} aria-label="{name}">{drawn}</a>' if link else drawn


def colour_of(rank: int | None) -> str:
    """Return the colour of a series, or the page's text colour for None."""
    return "currentColor" if rank is None else COLOURS[rank % len(COLOURS)]


@dataclass
class Picture:
    """A chart as SVG, while it is drawn."""

    height: int
    series: Sequence[str]
    left: float = 150
    parts: list[str] = field(default_factory=list)
    used: set[int] = field(default_factory=set)
    has_links: bool = False

    @property
    def floor(self) -> float:
        """The y coordinate of the horizontal axis."""
        return self.height - BOTTOM

    def place(self, x: float, y: float, across: Axis, up: Axis) -> tuple[float, float]:
        """Return the coordinates of a point in the picture."""
        return across.at(x, self.left, WIDTH - RIGHT), up.at(y, self.floor, TOP)

    def horizontal(self, axis: Axis) -> None:
        """Draw the ticks, grid lines and label of the horizontal axis."""
        for tick in axis.ticks():
            x = axis.at(tick, self.left, WIDTH - RIGHT)
            self.line(x, TOP, x, self.floor, colour_of(None), opacity=0.15)
            self.text(x, self.floor + 14, f"{tick:g}", "middle", small=True)
        half = SMALL_LETTER * len(axis.label) / 2
        middle = max(half, min((self.left + WIDTH - RIGHT) / 2, WIDTH - half))
        self.text(middle, self.floor + 32, axis.label, "middle", small=True)

    def vertical(self, axis: Axis) -> None:
        """Draw the ticks, grid lines and label of the vertical axis."""
        for tick in axis.ticks():
            y = axis.at(tick, self.floor, TOP)
            self.line(self.left, y, WIDTH - RIGHT, y, colour_of(None), opacity=0.15)
            self.text(self.left - 8, y, f"{tick:g}", "end", small=True)
        self.text(self.left - 60, (TOP + self.floor) / 2, axis.label, "end", small=True)

    def interval(self, bar: Bar, axis: Axis, y: float, rank: int, zero: bool) -> None:
        """Draw one estimate and its interval in a row at height y."""
        e = bar.estimate
        shown = (min(max(v, axis.low), axis.high) for v in (e.value, *e.ends))
        x, *ends = (axis.at(v, self.left, WIDTH - RIGHT) for v in shown)
        if zero:
            start = axis.at(0, self.left, WIDTH - RIGHT)
            self.line(start, y, x, y, colour_of(rank), stroke_width=9, opacity=0.45)
        if ends:
            self.line(ends[0], y, ends[1], y, colour_of(rank), stroke_width=2)
        name = " ".join(dict.fromkeys(part for part in (bar.group, bar.series) if part))
        self.mark(x, y, rank, f"{name}: {e.shown(2)}", bar.link)

    def path(self, path: Line, across: Axis, up: Axis, rank: int | None) -> None:
        """Draw a line; a line of no series is dashed and has the page's text colour."""
        places = [self.place(x, y, across, up) for x, y in path.points]
        route = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
        dashes: Any = (
            {"stroke_dasharray": "5 4", "opacity": 0.6} if rank is None else {"opacity": 0.7}
        )
        look = {"points": route, "fill": "none", "stroke": colour_of(rank), **dashes}
        self.add("polyline", path.says, link=path.link, **look)
        if rank is not None:
            self.mark(*places[-1], rank, path.says, path.link)

    def mark(
        self,
        x: float,
        y: float,
        rank: int,
        says: str,
        link: Linked | None = None,
        faint: bool = False,
        ring: bool = False,
    ) -> None:
        """Draw a mark in the colour and shape of its series, or a ring around other marks."""
        self.used.add(rank)
        if ring:
            line: Any = {"fill": "none", "stroke_width": 3, "stroke": colour_of(rank)}
            self.add("circle", says, link=link, cx=x, cy=y, r=9, **line)
            return
        top = f"M{x:.1f} {y - 5.5:.1f}"
        shapes: tuple[tuple[str, Any], ...] = (
            ("circle", {"cx": x, "cy": y, "r": 4.5}),
            ("rect", {"x": x - 4, "y": y - 4, "width": 8, "height": 8}),
            ("path", {"d": f"{top}l5 9h-10z"}),
            ("path", {"d": f"{top}l5.5 5.5l-5.5 5.5l-5.5 -5.5z"}),
        )
        name, shape = shapes[rank % len(shapes)]
        look: Any = {"fill": colour_of(rank), "fill_opacity": 0.55 if faint else 1}
        self.add(name, says, link=link, **shape, **look)

    def line(self, x1: float, y1: float, x2: float, y2: float, colour: str, **look: Any) -> None:
        """Draw a straight line."""
        self.add("line", x1=x1, y1=y1, x2=x2, y2=y2, stroke=colour, **look)

    def text(self, x: float, y: float, words: str, anchor: Anchor, small: bool = False) -> None:
        """Draw words, vertically centred at y."""
        look: Any = {
            "font_size": 11 if small else 13,
            "text_anchor": anchor,
            "fill": "currentColor",
        }
        self.add("text", text=words, x=x, y=y, dy="0.35em", **look)

    def add(
        self,
        name: str,
        says: str = "",
        text: str = "",
        link: Linked | None = None,
        **attributes: object,
    ) -> None:
        """Add an SVG element; numbers are rounded, and `_` in attributes' names becomes -."""
        shown = {
            key.replace("_", "-"): f"{round(x, 2):g}" if isinstance(x, int | float) else x
            for key, x in attributes.items()
        }
        given = "".join(f' {key}="{x}"' for key, x in shown.items())
        title = f"<title>{escape(visible(says))}</title>" if says else ""
        drawn = f"<{name}{given}>{title}{escape(visible(text))}</{name}>"
        self.parts.append(linked(drawn, link, says))
        self.has_links |= link is not None

    def svg(self) -> str:
        """Return the picture as SVG, with a legend below if it shows two or more series."""
        shown = [(rank, name) for rank, name in enumerate(self.series) if rank in self.used]
        x, y = 20.0, self.height + 8.0
        for rank, name in shown if len(shown) > 1 else []:
            width = 34 + 6.6 * len(name)
            if x + width > WIDTH and x > 20:
                x, y = 20.0, y + 20
            self.mark(x, y, rank, name)
            self.text(x + 10, y, name, "start", small=True)
            x += width
        height = round(y) + 14 if len(shown) > 1 else self.height
        # Assistive software does not see the parts of an image, so a picture with links is a group.
        role = "group" if self.has_links else "img"
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="{role}" '
            'font-family="system-ui, sans-serif">' + "".join(self.parts) + "</svg>"
        )
