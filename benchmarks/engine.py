"""The engine against the critical path: one negotiation, a hundred agents, hundreds at once, CPU.

The critical path is what nobody can beat: the waves of calls one after the other, at the model's
latency. What comes on top of it is the engine.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from statistics import median

from benchmarks.contenders import (
    GATHER,
    LEAN,
    OURS,
    PEERS,
    USUAL,
    USUAL_KEPT,
    Play,
    contenders,
    embedded_postgres,
    raid,
    side_by_side,
    steps,
    table_of_four,
)
from benchmarks.flames import profiled
from benchmarks.tables import Cell, Found, Goal

KEPT, THEIRS = OURS.format("SQLite"), USUAL_KEPT.format("SQLite")
WALL = ("contender", "wall / critical path", "wall, s", "on top, s", "CPU, s")


CPU_COLUMNS = (
    *("contender", "× LangGraph as usual, no saver", "CPU per agent turn, ms"),
    *("steps of LangGraph", "CPU per step, ms"),
)
NEEDED = {
    "negotiation": "What is on top of the critical path is the CPU time of a short run: see "
    "[growth](#growth) for what a turn and a run's beginning and end take.",
    "parallel": "A hundred letters are written and a hundred answers read while nobody waits for a "
    "model: to come closer, writing would have to begin before the last answer of a wave is in.",
    "concurrent": "One process computes on one core: the sum of the runs' CPU time is the bound, "
    "and only less work a turn, or several processes, lower it.",
}
"""Bench → what its goal would need where it is missed."""

CPU_NOTES = [
    PEERS,
    "With 4 agents a wave asks one or three; with many, a turn asks all of them at once, "
    "so that what a step of the graph costs is shared by more.",
    "Ours takes more steps, to be seen, retried and resumed one by one: a proposal is "
    "validated by a node of its own, and answers are counted by another.",
    "Ours writes a letter, keeps the answer in the journal, reads and checks it, and "
    "settles at the end; the usual graph hands a list of messages on.",
]


def negotiation(repeats: int = 5, latency: float = 0.2) -> Found:
    """One negotiation of four agents."""
    played = table_of_four(latency)
    goals = {1: _Limit("one negotiation", 1.03, 1.04)}
    return asyncio.run(_walls("negotiation", played, repeats, goals, "SQLite"))


def concurrent(
    repeats: int = 5, latency: float = 0.2, sizes: tuple[int, ...] = (100, 400)
) -> Found:
    """Hundreds of such negotiations in one process."""
    goals = {n: _Limit(f"{n} negotiations at once", 1.1, 1.6, THEIRS) for n in sizes}
    return asyncio.run(_walls("concurrent", table_of_four(latency), repeats, goals, "SQLite"))


def parallel(repeats: int = 5, latency: float = 0.2, agents: int = 100, turns: int = 3) -> Found:
    """A hundred agents who act at the same time, on SQLite and on Postgres."""
    goals = {1: _Limit(f"{agents} agents in parallel", 1.15, 1.3)}
    with embedded_postgres() as (url, why):
        played = raid(latency, agents, turns)
        found = asyncio.run(_walls("parallel", played, repeats, goals, "Postgres", url))
    if why:
        found.notes.append(f"Postgres is left out: {why}.")
    return found


def cpu(repeats: int = 5, wide: int = 100) -> Found:
    """CPU time of all threads per agent turn, at a model that answers at once."""
    return asyncio.run(_cpu(repeats, {4: table_of_four(0), wide: raid(0, wide, 3)}))


@dataclass(frozen=True)
class _Limit:
    """What a wall time should be, and must be, over the critical path or another's wall time."""

    what: str
    should: float
    must: float
    against: str = ""

    def goal(self, kept: str, ratios: Mapping[str, float]) -> Goal:
        """The goal of a contender's ratio to the critical path, from those of all."""
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
    """Every contender's wall time over the critical path, at so many plays at once."""
    rows: list[list[Cell]] = []
    reached: list[Goal] = []
    for at_once, limit in goals.items():
        async with contenders(played, url) as named:
            found = await side_by_side(named, repeats, at_once)
            flame = f"{name}-{at_once}"
            with profiled(flame, f"{at_once} × {list(named)[-1]}"):
                await side_by_side({"": list(named.values())[-1]}, 0, at_once)
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
            "Where the CPU time that comes on top goes is in the profile of [cpu](#cpu), and in "
            "the flame graph that a run writes to `build/flames`.",
            NEEDED[name],
        ],
    )


async def _cpu(repeats: int, plays: dict[int, Play]) -> Found:
    rows: list[list[Cell]] = []
    each: dict[tuple[int, str], float] = {}
    profiles: dict[str, dict[str, float]] = {}
    for agents, played in plays.items():
        async with contenders(played) as named:
            del named[GATHER]  # it has no turns
            found = await side_by_side(named, repeats)
            stepped = await steps(played)
            with profiled(f"cpu-{agents}", f"{agents} agents × {KEPT}") as profile:
                for _ in range(repeats):
                    await named[KEPT].run()
            profiles[f"{agents} agents × {KEPT}"] = profile
        for name, times in found.items():
            spent = 1000 * median(t[1] for t in times) / sum(played.waves)
            each[agents, name] = spent
            usual = each[agents, USUAL]
            taken = stepped[LEAN if name in (LEAN, KEPT) else USUAL]
            step = spent * sum(played.waves) / taken
            rows.append([f"{agents} agents × {name}", spent / usual, spent, str(taken), step])
    return Found(
        "CPU time of all threads, per agent turn, at a model that answers at once. Medians of "
        f"{repeats}, the contenders in turn.",
        CPU_COLUMNS,
        rows,
        [
            Goal(
                "CPU per agent turn, whole short run, SQLite / LangGraph as usual, SQLite",
                1.2,
                each[4, KEPT] / each[4, THEIRS],
                must=1.7,
            ),
        ],
        CPU_NOTES,
        profiles,
    )
