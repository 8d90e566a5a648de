"""The engine against the critical path: one negotiation, 100 agents, and 100 runs at once.

The critical path is the lower bound of the wall time: the waves of calls one after the other, at
the model's latency. The time on top of the critical path is the engine's.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from statistics import median

from benchmarks.contenders import (
    OURS,
    PEERS,
    USUAL_OWN,
    Play,
    contenders,
    embedded_postgres,
    raid,
    side_by_side,
    table_of_four,
)
from benchmarks.tables import Cell, Found, Goal

WALL = ("contender", "wall / critical path", "wall, s", "on top, s", "CPU, s")
NEEDED = {
    "negotiation": "What is on top of the critical path is the CPU time of a short run.",
    "parallel": "A hundred letters are written and a hundred answers read while nobody waits for a "
    "model: to come closer, writing would have to begin before the last answer of a wave is in.",
    "concurrent": "One process computes on one core: the sum of the runs' CPU time is the bound, "
    "and only less work a turn, or several processes, lower it.",
}
"""Bench → a note on the changes that would be needed to reach its goal."""


def negotiation(repeats: int = 5, latency: float = 0.2) -> Found:
    """Measure one negotiation of four agents."""
    played = table_of_four(latency)
    goals = {1: _Limit("one negotiation", 1.03, 1.07)}
    return asyncio.run(_walls("negotiation", played, repeats, goals, "SQLite"))


def concurrent(repeats: int = 5, latency: float = 0.2, sizes: tuple[int, ...] = (100,)) -> Found:
    """Measure a hundred such negotiations at once in one process."""
    goals = {n: _Limit(f"{n} negotiations at once", 0.6, 1.0, USUAL_OWN) for n in sizes}
    return asyncio.run(_walls("concurrent", table_of_four(latency), repeats, goals, "SQLite"))


def parallel(repeats: int = 5, latency: float = 0.2, agents: int = 100, turns: int = 3) -> Found:
    """Measure a hundred agents who act in parallel, on SQLite and on Postgres."""
    goals = {1: _Limit(f"{agents} agents in parallel", 1.2, 1.5)}
    with embedded_postgres() as (url, why):
        played = raid(latency, agents, turns)
        found = asyncio.run(_walls("parallel", played, repeats, goals, "Postgres", url))
    if why:
        found.notes.append(f"Postgres is left out: {why}.")
    return found


@dataclass(frozen=True)
class _Limit:
    """The limits of a wall time's ratio to the critical path or to another contender's time."""

    what: str
    should: float
    must: float
    against: str = ""

    def goal(self, kept: str, ratios: Mapping[str, float]) -> Goal:
        """Return the goal for our contender on a saver, from all ratios to the critical path."""
        found = ratios.get(OURS.format(kept))
        whole = ratios.get(self.against, 1.0)
        than = f"that of {self.against}" if self.against else "critical path"
        ratio = found and found / whole
        return Goal(f"{self.what}, {kept}: wall / {than}", self.should, ratio, must=self.must)


async def _walls(
    name: str,
    played: Play,
    repeats: int,
    goals: Mapping[int, _Limit],
    kept: str,
    url: str = "",
) -> Found:
    """Measure each contender's wall time; `goals` maps the number of plays at once to a limit."""
    rows: list[list[Cell]] = []
    reached: list[Goal] = []
    for at_once, limit in goals.items():
        async with contenders(played, url) as named:
            found = await side_by_side(named, repeats, at_once)
        ratios = dict[str, float]()
        for contender, times in found.items():
            wall, spent = median(t[0] for t in times), median(t[1] for t in times)
            ratios[contender] = wall / played.critical
            label = contender if len(goals) == 1 else f"{at_once} × {contender}"
            rows.append([label, ratios[contender], wall, wall - played.critical, spent])
        reached.append(limit.goal(kept, ratios))
    return Found(
        f"Waves of {', '.join(map(str, played.waves))} calls, {played.latency:g} s each: a "
        f"critical path of {played.critical:g} s. Medians of {repeats}, the contenders in turn.",
        WALL,
        rows,
        reached,
        [
            PEERS,
            NEEDED[name],
        ],
    )
