"""The report's figures: functions from runs to charts."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from html import escape
from math import isfinite
from pathlib import Path

from shapley_coop.evals.cell import Row
from shapley_coop.evals.measures.evaluators import find, score
from shapley_coop.evals.measures.reference_points import yardstick
from shapley_coop.extensions.reports.charts import intervals, scatter
from shapley_coop.extensions.reports.layout import select
from shapley_coop.extensions.reports.linking import Linked, Links
from shapley_coop.extensions.reports.picture import WIDTH, Axis, Bar, Line, Point
from shapley_coop.extensions.reports.stats import Estimate, mean_interval, ratio_interval
from shapley_coop.extensions.reports.summary import Condition, conditions, estimate
from shapley_coop.extensions.sweeps.suite import FigureSpec
from shapley_coop.extras import is_installed, missing_library, require_extra
from shapley_coop.written_files import make_folder

PNG = "a figure as PNG"
PNG_SCALE = 2
SHOWN_PATHS = 12
"""The most paths of single runs drawn for a condition; more paths would hide each other."""


@dataclass(frozen=True)
class Figure:
    """A figure: title, description and SVG; the SVG is "" if there are no data."""

    title: str
    about: str
    svg: str

    @property
    def file(self) -> str:
        """The content of the figure's SVG file, dark on white."""
        sheet = f'<rect width="{WIDTH}" height="100%" fill="#fff"/>'
        head, _, rest = self.svg.partition(">")
        return f'{head} color="#222"><title>{escape(self.title)}</title>{sheet}{rest}\n'


LinkOf = Callable[[Sequence[Row]], Linked | None]
"""A function from a mark's runs to its link, or to None in a figure that is a separate file."""


def draw(
    spec: FigureSpec, rows: Sequence[Row], axes: Sequence[str], links: Links | None = None
) -> Figure:
    """Draw one figure of a suite.

    Args:
        spec: the figure's specification in the suite.
        rows: the suite's runs.
        axes: the suite's axes. Axes with one label are ignored if `spec` names no axes.
        links: the links from marks to their runs, or None for a figure without links.

    Raises:
        ValueError: the kind of figure or the measure does not exist.
    """
    if spec.kind not in KINDS:
        raise ValueError(f"{spec.kind!r} is not a kind of figure: choose from {', '.join(KINDS)}")
    rows = select(rows, spec.where)
    by = spec.by or [a for a in axes if len({row["labels"][a] for row in rows}) > 1]
    about, maker = KINDS[spec.kind]
    link: LinkOf = links.of if links else lambda rows: None
    return Figure(spec.title, about, maker(conditions(rows, by), spec.columns, link))


def _payoffs(groups: Sequence[Condition], _: Sequence[str], link: LinkOf) -> str:
    bars = [
        Bar(group.name, agent, estimate(group.rows, f"payoff:{agent}"), to)
        for group, to in _linked(groups, link)
        for agent in _agents(group.rows)
    ]
    return _draw("payoff, in the game's unit", bars)


def _linked(groups: Sequence[Condition], link: LinkOf) -> Iterator[tuple[Condition, Linked | None]]:
    """Yield each condition with the link from its mark to its runs."""
    return ((group, link(group.rows)) for group in groups)


def _measures(groups: Sequence[Condition], columns: Sequence[str], link: LinkOf) -> str:
    label = "; ".join(f"{c.replace('_', ' ')}: {find(c)[0].about}" for c in columns)
    if len(columns) == 1:
        return _draw(label, [_row_of(g, estimate(g.rows, columns[0]), link) for g in groups])
    bars = [
        Bar(group.name, column, estimate(group.rows, column), to)
        for group, to in _linked(groups, link)
        for column in columns
    ]
    return _draw(label, bars)


def _row_of(group: Condition, one: Estimate, link: LinkOf) -> Bar:
    """Return the bar of a condition; its last label names the series if there are several axes."""
    *first, last = group.names or ["all runs"]
    names = (" · ".join(first), last) if first else (last, "")
    return Bar(*names, one, link(group.rows))


def _contributions(groups: Sequence[Condition], _: Sequence[str], link: LinkOf) -> str:
    bars = []
    for group, to in _linked(groups, link):
        for agent in _agents(group.rows):
            name = f"{group.name} · {agent}"
            claimed = [
                row["result"]["credit"]["claims"][agent]["claimed"]
                for row in group.rows
                if agent in row["result"]["credit"]["claims"]
            ]
            bars += [
                Bar(name, "value", estimate(group.rows, f"shapley_share:{agent}"), to),
                Bar(name, "payoff", estimate(group.rows, f"share:{agent}"), to),
                Bar(name, "claim", mean_interval(claimed), to),
            ]
    return _draw("part of the total", bars, zero=True)


def _shares(groups: Sequence[Condition], _: Sequence[str], link: LinkOf) -> str:
    points = []
    for group in groups:
        for row in group.rows:
            for agent in row["result"]["agents"]:
                x, y = score(row, f"shapley_share:{agent}"), score(row, f"share:{agent}")
                if x is not None and y is not None:
                    says = f"{group.name}, seed {row['seed']}, {agent}: {x:.3f} → {y:.3f}"
                    points.append(Point(group.name, x, y, says, link=link([row])))
    axis = Axis.around("part paid out", [v for p in points for v in (p.x, p.y)], [0, 1])
    fair = Line("", ((axis.low, axis.low), (axis.high, axis.high)), "what was agreed is the value")
    across = replace(axis, label=f"Shapley value, part of the sum ({len(points)} marks)")
    names = [group.name for group in groups]
    return scatter(names, points, across, axis, lines=[fair]) if points else ""


def _plane(groups: Sequence[Condition], _: Sequence[str], link: LinkOf) -> str:
    points, paths = [], []
    names = ("", "")
    for group in groups:
        results = [(row, row["result"]) for row in group.rows]
        pairs = [(x, r) for x, r in results if len(r["agents"]) == 2 and r["status"] != "error"]
        for rank, (row, result) in enumerate(pairs):
            names = a, b = tuple(result["agents"])
            ends = (result["payoffs"][a], result["payoffs"][b])
            says = f"{group.name}, seed {row['seed']}: {a} {ends[0]:g}, {b} {ends[1]:g}"
            points.append(Point(group.name, *ends, says, link=(to := link([row]))))
            offers = [said["would_pay"] for said in row["offers"] if said.get("would_pay")]
            if offers and rank < SHOWN_PATHS:
                talk = tuple((offer[a], offer[b]) for offer in offers)
                says = f"{says}; after {len(talk)} offers"
                paths.append(Line(group.name, (*talk, ends), says, to))
    if not points:
        return ""
    seen = [*((p.x, p.y) for p in points), *(xy for path in paths for xy in path.points)]
    across = Axis.around(f"{names[0]}'s payoff (n = {len(points)} runs)", [x for x, _ in seen])
    up = Axis.around(f"{names[1]}'s payoff", [y for _, y in seen])
    spans = (across.low, across.high), (up.low, up.high)
    firsts = [group.rows[0] for group in groups]
    rules = [yardstick(row["room"], row["graph"]) for row in firsts]
    fronts = dict.fromkeys(tuple(rule.front(*spans)) for rule in rules)
    lines = [Line("", front, "efficient payoffs") for front in fronts if front]
    return scatter([group.name for group in groups], points, across, up, paths, lines)


def _welfare_by_turn(groups: Sequence[Condition], _: Sequence[str], link: LinkOf) -> str:
    points, paths = [], []
    for group, to in _linked(groups, link):
        by_turn = defaultdict[int, list[float]](list)
        for turn in (turn for row in group.rows for turn in row["record"]):
            by_turn[turn["turn"]].append(sum(turn["rewards"].values()) + turn.get("pot", 0))
        line = [(turn, mean_interval(earned)) for turn, earned in sorted(by_turn.items())]
        for turn, e in line:
            says = f"{group.name}, turn {turn}: {e.shown(2)}"
            points.append(Point(group.name, turn, e.value, says, span=e.ends, link=to))
        if line:
            means = tuple((turn, e.value) for turn, e in line)
            paths.append(Line(group.name, means, group.name, to))
    across = Axis.around("turn", [p.x for p in points])
    up = Axis.around("welfare", [end for p in points for end in (p.y, *p.span)], [0])
    names = [group.name for group in groups]
    return scatter(names, points, across, up, paths) if points else ""


def _cost_per_agreement(groups: Sequence[Condition], _: Sequence[str], link: LinkOf) -> str:
    bars = []
    for group in groups:
        agreed = [score(row, "agreement") or 0.0 for row in group.rows]
        tokens = [score(row, "tokens") or 0.0 for row in group.rows]
        bars.append(_row_of(group, ratio_interval(tokens, agreed), link))
    known = [bar for bar in bars if isfinite(bar.estimate.value)]
    label = "tokens per agreement; conditions without one are left out"
    return _draw(label, known) if known else ""


def _draw(label: str, bars: Sequence[Bar], zero: bool = False) -> str:
    """Return a chart of bars on an axis that includes zero; the axis's label states their n."""
    ends = [v for bar in bars for v in (bar.estimate.value, *bar.estimate.ends)]
    known = [bar.estimate.n for bar in bars if isfinite(bar.estimate.value)] or [0]
    runs = f"{min(known)}" if min(known) == max(known) else f"{min(known)} to {max(known)}"
    return intervals(bars, Axis.around(f"{label} (n = {runs} runs a mark)", ends, [0]), zero)


def _agents(rows: Sequence[Row]) -> list[str]:
    return list(dict.fromkeys(agent for row in rows for agent in row["result"]["agents"]))


Maker = Callable[[Sequence[Condition], Sequence[str], LinkOf], str]

KINDS: dict[str, tuple[str, Maker]] = {
    "payoffs": ("Mean payoff of each agent with its 95 % interval.", _payoffs),
    "measures": ("Mean or rate with its 95 % interval.", _measures),
    "contributions": (
        "Three shares of the total for each agent: the one its value gives it, the one it was "
        "paid, and the one it claimed. Runs whose total is not above zero have none.",
        _contributions,
    ),
    "shares": (
        "What each agent got against its value, a mark for each agent and run; on the dashed "
        "line both are the same.",
        _shares,
    ),
    "plane": (
        "Two agents' payoffs: a mark for each run without error, a line through what its offers "
        f"would have paid (the first {SHOWN_PATHS} runs of a condition); dashed, the efficient "
        "payoffs.",
        _plane,
    ),
    "welfare_by_turn": ("All rewards of a turn, mean with 95 % interval.", _welfare_by_turn),
    "cost_per_agreement": (
        "All tokens over all agreements, with a bootstrap interval over the runs.",
        _cost_per_agreement,
    ),
}
"""Kind of figure → its description, and the function that draws it."""


def write_figures(figures: Iterable[tuple[str, Figure]], folder: Path) -> list[Path]:
    """Write every figure, dark on white, as SVG and, if possible, as PNG.

    Args:
        figures: (file name without suffix, figure) pairs.
        folder: the folder, which is made if it does not exist.

    Returns:
        The written files: SVG, and PNG if the optional library for it is installed.

    Raises:
        ValueError: the folder cannot be made.
    """
    make_folder(folder)
    written = []
    for name, figure in figures:
        path = folder / f"{name}.svg"
        path.write_text(figure.file, encoding="utf-8")
        written.append(path)
    if not why_no_png():
        with require_extra("figures", PNG):
            import resvg_py
        for path in list(written):
            drawn = path.with_suffix(".png")
            drawn.write_bytes(
                bytes(resvg_py.svg_to_bytes(svg_path=str(path), width=PNG_SCALE * WIDTH))
            )
            written.append(drawn)
    return written


def why_no_png() -> str:
    """Return the reason if no PNG can be drawn, with the missing library, or "" if PNG works."""
    return "" if is_installed("resvg_py") else str(missing_library(PNG, "resvg_py", "figures"))
