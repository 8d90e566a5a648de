"""The utility plane of an exchange: the utilities of two agents for every partition of the tasks.

The plane shows private utilities, so only the operator may see the plane.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from shapley_coop.amounts import MICRO
from shapley_coop.extensions.exchange.domain import Masks, Scenario, solutions
from shapley_coop.extensions.exchange.domain.masks import full
from shapley_coop.extensions.exchange.domain.scenario import table_of
from shapley_coop.extensions.exchange.measures import final_masks
from shapley_coop.extensions.exchange.messages.lines import masks_in
from shapley_coop.extensions.exchange.talk import exchange_of
from shapley_coop.extensions.reports.charts import scatter
from shapley_coop.extensions.reports.figures import Figure
from shapley_coop.extensions.reports.picture import Axis, Line, Point
from shapley_coop.state.evaluated import EvaluatedTable
from shapley_coop.state.table import Table

MOST_POINTS = 5_000
"""The most partitions in a picture; a picture of more shows a random sample and says so."""

FRONT, INITIAL, NASH, AGREED = "efficient", "initial", "Nash point", "agreed"
PROPOSALS = "proposals"
SERIES = (FRONT, INITIAL, NASH, AGREED, PROPOSALS)
Utilities = tuple[float, float]


@dataclass(frozen=True)
class Proposal:
    """A valid proposal in the talk: its turn, its author, and all agents' tasks as bit masks."""

    turn: int
    by: str
    masks: Masks


def picture(table: Table) -> str:
    """Return the utility plane of a finished exchange with its valid proposals, as SVG."""
    game, proposals = exchange_of(EvaluatedTable(table)), []
    for said in table.get("talk", []):
        if masks := masks_in(game.tasks, said["by"], said["text"]):
            at = {agent: int(bits, 2) for agent, bits in masks.items()}
            proposals.append(Proposal(said["round"], said["by"], at))
    agreed = final_masks(table) if table["status"] == "agreed" else None
    return utility_plane(game.scenario, proposals, agreed)


def utility_plane(
    scenario: Scenario,
    proposals: Sequence[Proposal] = (),
    agreed: Masks | None = None,
    pair: tuple[str, str] | None = None,
) -> str:
    """Draw the plane as SVG: all partitions, the efficient ones, proposals and the agreement.

    Args:
        scenario: the scenario with the utilities.
        proposals: the proposals in the order of the talk; each is marked with its turn.
        agreed: the agreed allocation, or None without an agreement.
        pair: the agents on the axes, by default the first two. With more than two agents only the
            efficient allocations are drawn, at the utilities of `pair`.

    Raises:
        ValueError: `pair` does not name two agents of the scenario.
    """
    agents = scenario.tasks.agents
    across, up = _two_of(agents, pair or agents[:2])

    def at(masks: Masks) -> Utilities:
        return scenario.utility(across, masks[across]), scenario.utility(up, masks[up])

    path = [at(proposal.masks) for proposal in proposals]
    front = _distinct(scenario.front.points[:, [agents.index(across), agents.index(up)]])
    nash = solutions(scenario)["nash"].masks
    points = [_marked(FRONT, FRONT, place) for place in front]
    points += [_marked(INITIAL, INITIAL, at(scenario.tasks.initial)), _marked(NASH, NASH, at(nash))]
    points += [_marked(AGREED, AGREED, at(agreed), ring=True)] if agreed else []
    points += [
        _marked(PROPOSALS, f"turn {p.turn} by {p.by}", place, label=str(p.turn))
        for p, place in zip(proposals, path, strict=True)
    ]
    talk = [Line(PROPOSALS, tuple(path), "proposals, in order")][: len(path)]
    lines = [Line("", tuple(front), "Pareto front")] if len(agents) == 2 else []
    cloud, drawn = _partitions(scenario, across, up)
    x, y = (Axis(f"utility of {name}", -0.05, 1.05) for name in (across, up))
    svg = scatter(SERIES, points, x, y, talk, lines, cloud)
    return Figure(f"{scenario.name}: utilities of {across} and {up}{drawn}", "", svg).file


def _two_of(agents: Sequence[str], pair: Sequence[str]) -> tuple[str, str]:
    across, up = pair
    if across == up or {across, up} - set(agents):
        raise ValueError(f"{across!r} and {up!r}: choose two of {', '.join(agents)}")
    return across, up


def _partitions(scenario: Scenario, across: str, up: str) -> tuple[list[Utilities], str]:
    """Return the distinct utilities of two agents' partitions, and a note on omitted ones."""
    if len(scenario.tasks.agents) > 2:
        return [], " (efficient allocations only)"
    everything = full(scenario.tasks.n)
    masks = np.arange(1, everything)
    drawn = ""
    if len(masks) > MOST_POINTS:
        masks = np.random.default_rng(0).choice(masks, MOST_POINTS, replace=False)
        drawn = f" ({MOST_POINTS} partitions drawn)"
    worth = {agent: table_of(scenario.utilities[agent]) for agent in (across, up)}
    return _distinct(np.stack([worth[across][masks], worth[up][everything ^ masks]], axis=1)), drawn


def _distinct(millionths: "np.ndarray[tuple[int, ...], np.dtype[np.int64]]") -> list[Utilities]:
    return [(float(a) / MICRO, float(b) / MICRO) for a, b in np.unique(millionths, axis=0)]


def _marked(series: str, what: str, place: Utilities, **shown: Any) -> Point:
    return Point(series, *place, f"{what}: {place[0]:g}, {place[1]:g}", **shown)
