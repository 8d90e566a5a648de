"""The engine against the critical path: one negotiation, a hundred agents, hundreds at once, CPU.

The critical path is what nobody can beat: the waves of calls one after the other, at the model's
latency. What comes on top of it is the engine.
"""

import asyncio
from collections.abc import Mapping
from statistics import median

from benchmarks.contenders import (
    GATHER,
    LEAN,
    OURS,
    USUAL,
    Play,
    contenders,
    embedded_postgres,
    raid,
    side_by_side,
    steps,
    table_of_four,
)
from benchmarks.profile import profiled
from benchmarks.tables import Cell, Found, Goal

KEPT = OURS.format("SQLite")
WALL = ("contender", "wall / critical path", "wall, s", "on top, s", "CPU, s")


CPU_COLUMNS = (
    *("contender", "× LangGraph as usual, no saver", "CPU per agent turn, ms"),
    *("steps of LangGraph", "CPU per step, ms"),
)
CPU_NOTES = [
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
    return asyncio.run(_walls(played, repeats, {1: ("one negotiation", 1.05)}, "SQLite"))


def concurrent(
    repeats: int = 5, latency: float = 0.2, sizes: tuple[int, ...] = (100, 400)
) -> Found:
    """Hundreds of such negotiations in one process."""
    limits = {100: 1.15, 400: 1.5}
    goals = {n: (f"{n} negotiations at once", limits.get(n, 1.5)) for n in sizes}
    return asyncio.run(_walls(table_of_four(latency), repeats, goals, "SQLite"))


def parallel(repeats: int = 5, latency: float = 0.2, agents: int = 100, turns: int = 3) -> Found:
    """A hundred agents who act at the same time, on SQLite and on Postgres."""
    goals = {1: (f"{agents} agents in parallel", 1.10)}
    with embedded_postgres() as (url, why):
        played = raid(latency, agents, turns)
        found = asyncio.run(_walls(played, repeats, goals, "Postgres", url))
    if why:
        found.notes.append(f"Postgres is left out: {why}.")
    return found


def cpu(repeats: int = 5, wide: int = 100) -> Found:
    """CPU time of all threads per agent turn, at a model that answers at once."""
    return asyncio.run(_cpu(repeats, {4: table_of_four(0), wide: raid(0, wide, 3)}))


async def _walls(
    played: Play, repeats: int, goals: Mapping[int, tuple[str, float]], kept: str, url: str = ""
) -> Found:
    """Every contender's wall time over the critical path, at so many plays at once."""
    rows: list[list[Cell]] = []
    reached: list[Goal] = []
    for at_once, (what, limit) in goals.items():
        async with contenders(played, url) as named:
            found = await side_by_side(named, repeats, at_once)
        ratios = dict[str, float]()
        for name, times in found.items():
            wall, spent = median(t[0] for t in times), median(t[1] for t in times)
            ratios[name] = wall / played.critical
            label = name if len(goals) == 1 else f"{at_once} × {name}"
            rows.append([label, ratios[name], wall, wall - played.critical, spent])
        goal = f"{what}, {kept}: wall / critical path"
        reached.append(Goal(goal, limit, ratios.get(OURS.format(kept))))
    return Found(
        f"Waves of {', '.join(map(str, played.waves))} calls, {played.latency:g} s each: a "
        f"critical path of {played.critical:g} s. Medians of {repeats}, the contenders in turn.",
        WALL,
        rows,
        reached,
        ["Where the CPU time that comes on top goes is in the profile of [cpu](#cpu)."],
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
            with profiled() as profile:
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
            Goal("engine CPU per agent turn, no saver", 0.5, each[4, LEAN], "ms"),
            Goal("engine CPU per agent turn, SQLite", 1.5, each[4, KEPT], "ms"),
        ],
        CPU_NOTES,
        profiles,
    )
