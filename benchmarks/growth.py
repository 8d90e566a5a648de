"""What a turn costs as rounds grow, and what a run costs whatever its length: ours and a peer's."""

import asyncio
from functools import partial
from statistics import median

from benchmarks.baseline import baseline_graph
from benchmarks.contenders import (
    OURS,
    USUAL_KEPT,
    Contender,
    Play,
    run_baseline,
    run_ours,
    side_by_side,
    table_of_four,
)
from benchmarks.flames import profiled
from benchmarks.seats import ScriptedModel, scratch, scripted_reply
from benchmarks.tables import Cell, Found, Goal
from shapley_coop.graphs.threads import opened
from shapley_coop.seats.clients import clients
from shapley_coop.state import Home, saver

KEPT, THEIRS = OURS.format("SQLite"), USUAL_KEPT.format("SQLite")
NOTES = [
    "The saver is open before and after, as in a server. A line through the shortest and the "
    "longest run: its slope is what a turn costs, and where it begins is what a run costs "
    "whatever its length: to open, register, lease, settle, seal and tell.",
    "The peer hands on a list that grows, so that its turns cost more and more.",
    "A turn of ours writes a letter, keeps it with its answer in a journal that survives a power "
    "cut, and reads and checks the answer, in as many of LangGraph's steps as the peer takes. To "
    "come closer, letters and journal have to take less; fewer hops to threads come after that.",
    "The fixed part is what is written to the disk at once (the register, the episode, the "
    "postings, the seal with the result), the values computed by replay, and LangGraph's first "
    "and last steps: it falls with the number of these commits and steps.",
]


def growth(repeats: int = 5, rounds: tuple[int, int] = (1, 9)) -> Found:
    """CPU time of four agents' negotiations, short and long, on SQLite."""
    spent = {count: asyncio.run(_spent(repeats, table_of_four(0, count))) for count in rounds}
    few, many = (sum(table_of_four(0, count).waves) for count in rounds)
    short, long = (spent[count] for count in rounds)
    turn = {name: (long[name] - short[name]) / (many - few) for name in short}
    fixed = {name: short[name] - few * turn[name] for name in short}
    rows: list[list[Cell]] = [
        [name, turn[name] / turn[THEIRS], turn[name], fixed[name], short[name], long[name]]
        for name in short
    ]
    return Found(
        f"CPU time of all threads, four agents, {rounds[0]} and {rounds[1]} rounds of talk, at a "
        f"model that answers at once. Medians of {repeats}, the contenders in turn.",
        (
            *("contender", f"a turn × {THEIRS}", "a turn, ms", "a run whatever its length, ms"),
            *(f"{few} turns, ms", f"{many} turns, ms"),
        ),
        rows,
        [
            Goal(
                "CPU a turn as rounds grow / LangGraph as usual, SQLite",
                1.0,
                turn[KEPT] / turn[THEIRS],
                must=1.4,
            ),
            Goal("CPU of a run whatever its length", 5, fixed[KEPT], "ms", must=9),
        ],
        NOTES,
    )


async def _spent(repeats: int, played: Play) -> dict[str, float]:
    """Contender → median CPU time of a run, in ms."""
    model = ScriptedModel(agent="", script=lambda *_: "No, not yet: " * 3)
    page = baseline_graph(played.waves, model)
    with scratch() as folder, scripted_reply(played.script):
        async with clients(), saver(Home(folder / "usual")) as theirs, opened(played.graph):
            named = {
                THEIRS: Contender(partial(run_baseline, page.compile(checkpointer=theirs))),
                KEPT: Contender(partial(run_ours, played)),
            }
            found = await side_by_side(named, repeats)
            with profiled(f"growth-{sum(played.waves)}", f"{sum(played.waves)} turns: {KEPT}"):
                for _ in range(repeats):
                    await named[KEPT].run()
    return {name: 1000 * median(t[1] for t in times) for name, times in found.items()}
