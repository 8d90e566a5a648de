"""A benchmark of runs with many agents: tokens of letters, time and memory of whole runs.

Embedded agents play one turn (two in a raid), and the run stores everything that real runs store.
So the figures include the costs of the engine.
"""

import asyncio
import json
import resource
import sys
import time
from collections.abc import Iterable, Mapping
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from benchmarks.seats import scratch
from benchmarks.tables import Cell, Found, Goal
from benchmarks.tokens import PER_TOKEN
from shapley_coop.games.dice import dice
from shapley_coop.graphs.running import play
from shapley_coop.seats.clients import clients
from shapley_coop.state.run_config import RunConfig
from shapley_coop.state.storage.home import home

SIZES = (10, 100, 1000)

RUNS: tuple[tuple[str, str, int], ...] = (
    ("llm_only", "public_goods", 1000),
    ("negotiation", "public_goods", 1000),
    ("short_term", "public_goods", 1000),
    ("llm_only", "raid_battle", 1000),
    ("negotiation", "raid_battle", 1000),
    ("call_market", "trade", 1000),
    ("task_exchange", "task_exchange", 16),
    ("pairwise_exchange", "task_exchange", 1000),
)
"""Workflow, game, and the largest number of agents in this benchmark."""

PARAMS: dict[str, dict[str, Any]] = {
    "public_goods": {"rounds": 1},
    "raid_battle": {"rounds": 2},
    "trade": {},
    "task_exchange": {"scenario": "generated", "atoms": 16},
    "pairwise_exchange": {"scenario": "generated", "additive": True, "meetings": 2, "talk": 4},
}
NUMBER = {
    "public_goods": "agents",
    "raid_battle": "heroes",
    "trade": "agents",
    "task_exchange": "agents",
}
"""Game → the parameter that sets the number of agents."""


def many(sizes: Iterable[int] = SIZES, runs: int = len(RUNS)) -> Found:
    """Measure letters, seconds and memory of one run, by the number of agents.

    Args:
        sizes: the numbers of agents.
        runs: the number of entries of `RUNS` to measure.
    """
    rows: list[list[Cell]] = []
    longest: dict[tuple[str, str], dict[int, float]] = {}
    for graph, game, most in RUNS[:runs]:
        for n in sorted({min(n, most) for n in sizes}):
            # Each run has its own process, so that the peak of memory is this run's alone.
            with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as process:
                found = process.submit(played, graph, game, n).result()
            letters = found["letters"]
            longest.setdefault((graph, game), {})[n] = max(letters.values())
            sys.stderr.write(f"{graph}, {game}, {n} agents: {found}\n")
            told = ", ".join(f"{act} {x:.0f}" for act, x in letters.items())
            columns = ("calls", "tokens", "seconds", "mb", "home", "credit")
            known = (found[key] for key in columns)
            rows.append([f"{graph}, {game}, {n} agents", told, *known])
    goals = [
        Goal(f"{graph}, {game}, {max(by)} agents: longest letter / that of {min(by)}", 1.5, ratio)
        for (graph, game), by in longest.items()
        if graph != "task_exchange"
        for ratio in [by[max(by)] / by[min(by)]]
    ]
    return Found(
        f"Tokens of the longest letter of each kind, {PER_TOKEN} characters each; one play of "
        "embedded agents with SQLite, and its values by the Shapley norm.",
        (
            *("play", "longest letters, tokens", "calls", "k tokens", "s", "MB at most", "home MB"),
            "credit",
        ),
        rows,
        goals,
        [
            "Embedded agents answered: a simulation, and no evidence about language models.",
            "k tokens: in and out, of all letters and answers.",
            "Values of public goods are exact by counts. A hero has dice of its own, and strikes "
            "meet the first of equals, so that no two heroes are exchangeable: values of a raid "
            "are exact up to 16 heroes and sampled beyond, with a standard error each. From 354 "
            "heroes on each is in fewer samples, so that it takes seconds, and errors are larger.",
            "A call market is of one good, of which half of the agents own four units each. Its "
            "deal has a clause for each trade and each payment, of which each agent is told its "
            "own where there are more than 64. Values are exact: each agent's part depends on "
            "those whom it traded with.",
            "In task_exchange all agents talk over one allocation: 16 at most. In "
            "pairwise_exchange each starts with two tasks, whose values add up, and meets another "
            "twice, for four turns of talk.",
        ],
    )


def played(graph: str, game: str, n: int) -> dict[str, Any]:
    """Play one run in this process, and return its figures."""
    params = {**PARAMS.get(graph, PARAMS[game]), NUMBER[game]: n}
    if graph == "pairwise_exchange":
        params["atoms"] = 2 * n
    return asyncio.run(_played(graph, params, game))


def _market(folder: Path, n: int) -> str:
    """Write a market of one good, in which every other agent owns four units; return its path."""
    draw = dice(1, 0, "market")
    agents: dict[str, Any] = {}
    for k in range(n):
        worths = sorted(draw.integers(1, 21, size=4).tolist(), reverse=True)
        agents[f"Agent{k}"] = {"holds": {"wood": 4 * (k % 2)}, "worth": {"wood": worths}}
    file = folder / "market.json"
    file.write_text(json.dumps({"agents": agents}), encoding="utf-8")
    return str(file)


async def _played(graph: str, params: Mapping[str, Any], game: str) -> dict[str, Any]:
    with scratch() as folder:
        if game == "trade":
            params = {"market": _market(folder, params[NUMBER[game]])}
        started = time.perf_counter()
        async with clients():
            outcome = await play(graph, RunConfig(game=game, params=dict(params), seed=1))
        seconds = time.perf_counter() - started
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        entries = list(home().journal.entries(outcome["episode"]))
        first = [entry for entry in entries if entry.attempt == 1]
        letters: dict[str, float] = {}
        for entry in first:
            length = len(entry.letter_text) / PER_TOKEN
            letters[entry.act] = max(letters.get(entry.act, 0), length)
        size = sum(f.stat().st_size for f in folder.rglob("*") if f.is_file()) / 2**20
    return {
        "letters": letters,
        "calls": len(entries),
        "tokens": sum(e.answer.input_tokens + e.answer.output_tokens for e in entries) / 1000,
        "seconds": seconds,
        "mb": peak,
        "home": size,
        "credit": outcome["credit"]["method"].partition(",")[0].partition(" (")[0],
    }


if __name__ == "__main__":  # prints the figures of a single run
    _, name, world, number = sys.argv
    sys.stdout.write(json.dumps(played(name, world, int(number)), indent=1) + "\n")
