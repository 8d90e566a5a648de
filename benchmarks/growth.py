"""What a turn costs as rounds grow, and what a run costs whatever its length: ours and a peer's."""

import asyncio
from collections.abc import Mapping, Sequence
from functools import partial
from statistics import linear_regression, median, quantiles

from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from benchmarks.baseline import baseline_graph
from benchmarks.contenders import (
    OURS,
    PEERS,
    USUAL_KEPT,
    USUAL_OWN,
    Contender,
    Play,
    kept_at_once,
    run_baseline,
    run_ours,
    side_by_side,
    table_of_four,
)
from benchmarks.flames import profiled
from benchmarks.seats import ScriptedModel, scratch, scripted_reply
from benchmarks.tables import Cell, Found, Goal, figure
from shapley_coop.graphs.threads import opened
from shapley_coop.seats.clients import clients
from shapley_coop.state import Home

KEPT, THEIRS = OURS.format("SQLite"), USUAL_KEPT.format("SQLite")
NOTES = [
    PEERS,
    "The saver is open before and after, as in a server. The slope of the line through all "
    "lengths' medians is what a turn costs, and where it begins is what a run costs whatever its "
    "length: to open, register, lease, settle, seal and tell. Half of the repeats' own lines begin "
    "within the spread.",
    "The peer hands on a list that grows, so that its turns cost more and more.",
    "A turn of ours writes a letter, keeps it with its answer in a journal that survives a power "
    "cut, and reads and checks the answer, in as many of LangGraph's steps as the peer takes. To "
    "come closer, letters and journal have to take less; fewer hops to threads come after that.",
    "The fixed part is what is written to the disk at once (the register, the episode, the "
    "postings, the seal with the result), the values computed by replay, and LangGraph's first "
    "and last steps: it falls with the number of these commits and steps.",
]


def growth(repeats: int = 41, rounds: tuple[int, ...] = (1, 3, 5, 7, 9)) -> Found:
    """CPU time of four agents' negotiations of several lengths, on SQLite."""
    plays = [table_of_four(0, count) for count in rounds]
    turns = [sum(played.waves) for played in plays]
    spent = asyncio.run(_spent(repeats, plays))
    typical = {name: [median(times) for times in lengths] for name, lengths in spent.items()}
    lines = {name: linear_regression(turns, times) for name, times in typical.items()}
    usual = lines[THEIRS].slope
    rows: list[list[Cell]] = [
        [
            *(name, line.slope / usual, line.slope, line.intercept, _spread(turns, spent[name])),
            *(typical[name][0], typical[name][-1]),
        ]
        for name, line in lines.items()
    ]
    return Found(
        f"CPU time of all threads, four agents, {', '.join(map(str, rounds))} rounds of talk, at a "
        f"model that answers at once. Medians of {repeats}, lengths and contenders in turn.",
        (
            *("contender", f"a turn × {THEIRS}", "a turn, ms", "a run whatever its length, ms"),
            *("spread of that, ms", f"{turns[0]} turns, ms", f"{turns[-1]} turns, ms"),
        ),
        rows,
        [
            Goal(
                "CPU a turn as rounds grow / LangGraph as usual, SQLite",
                1.0,
                lines[KEPT].slope / usual,
                must=1.4,
            ),
            Goal("CPU of a run whatever its length", 5, lines[KEPT].intercept, "ms", must=9),
        ],
        NOTES,
    )


def _spread(turns: Sequence[int], lengths: Sequence[Sequence[float]]) -> str:
    """Between which quartiles the lines of single repeats begin."""
    begins = [linear_regression(turns, times).intercept for times in zip(*lengths, strict=True)]
    low, _, high = quantiles(begins, n=4, method="inclusive")
    return f"{figure(low)} to {figure(high)}"


async def _spent(repeats: int, plays: Sequence[Play]) -> Mapping[str, list[list[float]]]:
    """Contender → for each length the CPU time of every repeat, in ms."""
    model = ScriptedModel(agent="", script=lambda *_: "No, not yet: " * 3)
    graph, script = plays[0].graph, plays[0].script
    with scratch() as folder, scripted_reply(script):
        async with (
            clients(),
            kept_at_once(Home(folder / "usual")) as theirs,
            AsyncSqliteSaver.from_conn_string(str(folder / "own.sqlite")) as own,
            opened(graph),
        ):
            pages = [baseline_graph(played.waves, model) for played in plays]
            usual = {
                name: [partial(run_baseline, page.compile(checkpointer=kept)) for page in pages]
                for name, kept in ((USUAL_OWN, own), (THEIRS, theirs))
            }
            runs = {
                **usual,
                KEPT: [partial(run_ours, played) for played in plays],
            }
            named = {
                f"{name} {at}": Contender(lengths[at])
                for at in range(len(plays))
                for name, lengths in runs.items()
            }
            found = await side_by_side(named, repeats)
            for at in (0, -1):
                waves = sum(plays[at].waves)
                with profiled(f"growth-{waves}", f"{waves} turns: {KEPT}"):
                    for _ in range(repeats):
                        await runs[KEPT][at]()
    return {
        name: [[1000 * cpu for _, cpu in found[f"{name} {at}"]] for at in range(len(plays))]
        for name in runs
    }
