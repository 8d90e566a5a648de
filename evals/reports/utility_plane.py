"""The utility plane of an exchange as one self-contained SVG, written by hand.

Small points are all partitions; the line is the Pareto front, the cross the Nash point, the square
the initial allocation; numbered arrows are the proposals, and the ring is what was agreed. It
shows private utilities: it is for the operator.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise

import numpy as np

from shapley_coop.amounts import MICRO
from shapley_coop.games.exchange import Masks, Scenario, solutions
from shapley_coop.games.exchange.masks import full

SIZE, MARGIN = 440, 56
MOST_POINTS = 5_000
"""Beyond so many partitions of two agents a sample is drawn, and the title says so."""

STYLE = (
    "text{font:12px system-ui,sans-serif;fill:currentColor}"
    ".axis{stroke:currentColor;stroke-width:1}.all{fill:#8a8a8a;fill-opacity:.45}"
    ".front{fill:none;stroke:#1f9d78;stroke-width:1.5}.efficient{fill:#1f9d78}"
    ".nash{stroke:#c0392b;stroke-width:2.5}.start{fill:none;stroke:currentColor;stroke-width:1.5}"
    ".path{fill:none;stroke:#3b82c4;stroke-width:1.5;marker-end:url(#tip)}.turn{fill:#3b82c4}"
    ".agreed{fill:none;stroke:#e08a00;stroke-width:3}"
)


@dataclass(frozen=True)
class Proposal:
    """One valid proposal of a talk."""

    turn: int
    by: str
    masks: Masks


def utility_plane(
    scenario: Scenario,
    proposals: Sequence[Proposal] = (),
    agreed: Masks | None = None,
    pair: tuple[str, str] | None = None,
) -> str:
    """Draw the plane.

    Args:
        scenario: whose tables are shown.
        proposals: in the order of the talk.
        agreed: the allocation agreed, if one was.
        pair: the agents on the axes; the first two by default. With more than two agents the
            points are the efficient allocations alone, as the two see them.

    Raises:
        ValueError: the pair are not two agents of the scenario.
    """
    across, up = pair or (scenario.tasks.agents[0], scenario.tasks.agents[1])
    if across == up or {across, up} - set(scenario.tasks.agents):
        raise ValueError(f"{across!r} and {up!r}: give two of {', '.join(scenario.tasks.agents)}")
    plane = _Plane(scenario, across, up)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {SIZE} {SIZE}" role="img">',
        f"<title>{escape(scenario.name)}: utilities of {escape(across)} and {escape(up)}"
        f"{plane.sampled}</title>",
        f"<style>{STYLE}</style>",
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" '
        'markerHeight="7" orient="auto"><path d="M0 0 8 4 0 8z" fill="#3b82c4"/></marker></defs>',
        *plane.axes(),
        *plane.allocations(),
        *plane.front(),
        *plane.marks(agreed),
        *plane.path(proposals),
        "</svg>",
    ]
    return "\n".join(parts)


@dataclass(frozen=True)
class _Plane:
    scenario: Scenario
    across: str
    up: str

    @property
    def _two(self) -> bool:
        return len(self.scenario.tasks.agents) == 2

    @property
    def _partitions(self) -> int:
        return (1 << self.scenario.tasks.n) - 2

    @property
    def sampled(self) -> str:
        """A word for the title where not every partition is drawn."""
        if not self._two:
            return " (efficient allocations only)"
        return f" ({MOST_POINTS} partitions drawn)" if self._partitions > MOST_POINTS else ""

    def at(self, masks: Masks) -> tuple[float, float]:
        """Where an allocation lies."""
        return self._xy(
            self.scenario.utility(self.across, masks[self.across]),
            self.scenario.utility(self.up, masks[self.up]),
        )

    def axes(self) -> list[str]:
        low, high = MARGIN, SIZE - MARGIN
        ticks = [
            f'<text x="{self._xy(v, 0)[0]:.0f}" y="{high + 18}" text-anchor="middle">{v:g}</text>'
            f'<text x="{low - 8}" y="{self._xy(0, v)[1] + 4:.0f}" text-anchor="end">{v:g}</text>'
            for v in (0, 0.25, 0.5, 0.75, 1)
        ]
        return [
            f'<path class="axis" fill="none" d="M{low} {low}V{high}H{high}"/>',
            *ticks,
            f'<text x="{SIZE / 2:.0f}" y="{SIZE - 12}" text-anchor="middle">'
            f"utility of {escape(self.across)}</text>",
            f'<text transform="translate(16 {SIZE / 2:.0f}) rotate(-90)" text-anchor="middle">'
            f"utility of {escape(self.up)}</text>",
        ]

    def allocations(self) -> list[str]:
        """Every partition of two agents, a point for each distinct pair of utilities."""
        if not self._two:
            return []
        tasks = self.scenario.tasks
        masks = np.arange(1, full(tasks.n))
        if len(masks) > MOST_POINTS:
            masks = np.random.default_rng(0).choice(masks, MOST_POINTS, replace=False)
        pairs = np.stack(
            [
                self.scenario.utilities[self.across][masks],
                self.scenario.utilities[self.up][full(tasks.n) ^ masks],
            ],
            axis=1,
        )
        return [self._dot("all", a / MICRO, b / MICRO, 2.5) for a, b in np.unique(pairs, axis=0)]

    def front(self) -> list[str]:
        """The efficient allocations, joined where there are two agents."""
        agents = self.scenario.tasks.agents
        columns = [agents.index(self.across), agents.index(self.up)]
        points = np.unique(self.scenario.front.points[:, columns], axis=0) / MICRO
        dots = [self._dot("efficient", a, b, 3) for a, b in points]
        if not self._two:
            return dots
        line = " ".join("{:.1f},{:.1f}".format(*self._xy(a, b)) for a, b in points)
        return [f'<polyline class="front" points="{line}"/>', *dots]

    def marks(self, agreed: Masks | None) -> list[str]:
        x, y = self.at(solutions(self.scenario)["nash"].masks)
        start_x, start_y = self.at(self.scenario.tasks.initial)
        marks = [
            f'<g><title>initial</title><rect class="start" x="{start_x - 5:.1f}" '
            f'y="{start_y - 5:.1f}" width="10" height="10"/></g>',
            f'<g><title>Nash point</title><path class="nash" d="M{x - 6:.1f} {y - 6:.1f}'
            f'l12 12M{x - 6:.1f} {y + 6:.1f}l12 -12"/></g>',
        ]
        if agreed is not None:
            a, b = self.at(agreed)
            marks.append(
                f'<g><title>agreed</title><circle class="agreed" cx="{a:.1f}" cy="{b:.1f}" '
                'r="9"/></g>'
            )
        return marks

    def path(self, proposals: Sequence[Proposal]) -> list[str]:
        """Proposals in order: an arrow from each to the next, and its turn beside it."""
        places = [(proposal, *self.at(proposal.masks)) for proposal in proposals]
        arrows = [
            f'<path class="path" d="M{x:.1f} {y:.1f}L{u:.1f} {v:.1f}"/>'
            for (_, x, y), (_, u, v) in pairwise(places)
            if (x, y) != (u, v)
        ]
        turns: dict[tuple[float, float], list[Proposal]] = {}
        for proposal, x, y in places:
            turns.setdefault((x, y), []).append(proposal)
        labels = [
            f"<g><title>{escape(', '.join(f'turn {p.turn} by {p.by}' for p in here))}</title>"
            f'<circle class="turn" cx="{x:.1f}" cy="{y:.1f}" r="3.5"/>'
            f'<text x="{x + 6:.1f}" y="{y - 6:.1f}">'
            f"{','.join(str(p.turn) for p in here)}</text></g>"
            for (x, y), here in turns.items()
        ]
        return [*arrows, *labels]

    def _dot(self, kind: str, a: float, b: float, radius: float) -> str:
        x, y = self._xy(a, b)
        return f'<circle class="{kind}" cx="{x:.1f}" cy="{y:.1f}" r="{radius:g}"/>'

    def _xy(self, a: float, b: float) -> tuple[float, float]:
        span = SIZE - 2 * MARGIN
        return MARGIN + float(a) * span, SIZE - MARGIN - float(b) * span
