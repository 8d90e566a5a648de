"""Two agents: turns of alternating offers a second, and whole negotiations a second on one core."""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

from langchain_core.messages import AnyMessage, HumanMessage
from langgraph.checkpoint.memory import InMemorySaver

from benchmarks.baseline import baseline_graph
from benchmarks.contenders import (
    Clock,
    Contender,
    Play,
    kept_at_once,
    now,
    run_baseline,
    run_lean,
    run_ours,
    side_by_side,
    since,
)
from benchmarks.flames import profiled
from benchmarks.seats import ScriptedModel, asked, round_of, scratch, scripted_reply
from benchmarks.tables import Cell, Found, Goal
from shapley_coop.graphs.running import play
from shapley_coop.seats.clients import clients
from shapley_coop.state import Home, RunConfig

LOOP, MEMORY, USUAL_KEPT, AUTOGEN, NEGMAS = (
    "a plain loop over a LangChain model",
    "LangGraph as usual, memory saver",
    "LangGraph as usual, SQLite",
    "autogen, round robin",
    "negmas, alternating offers",
)
OURS, KEPT, EMBEDDED, EMBEDDED_KEPT = (
    "ours, scripted, no saver",
    "ours, scripted, SQLite",
    "ours with embedded agents, no saver",
    "ours with embedded agents, SQLite",
)
_OFFER = {"clauses": [{"kind": "pay", "payer": "Bob", "payee": "Alice", "amount": 5}]}


def offers(repeats: int = 21, turns: int = 50, peers: str = sys.executable) -> Found:
    """Turns a second of two agents who counter each other's offers until the last turn.

    Args:
        repeats: of each contender.
        turns: of one negotiation; 51 at most.
        peers: the Python interpreter that has negmas and autogen, if any does.
    """
    found, profile = asyncio.run(_rates(repeats, turns))
    pairs = [ours / theirs for ours, theirs in zip(found[EMBEDDED], found[MEMORY], strict=True)]
    rates = {name: median(each) for name, each in found.items()}
    notes = [
        "Scripted agents answer in microseconds, so that the engine alone is measured; embedded "
        "agents read the letter and compute. negmas' negotiators concede by a formula and are "
        "called in a loop: no letters, text, checkpoints or event loop. Autogen's say a fixed "
        "text.",
    ]
    for name, label in (("autogen", AUTOGEN), ("negmas", NEGMAS)):
        told = _peer(peers, name, turns)
        if "missing" in told:
            notes.append(f"{label}: left out, {told['missing']} is not installed (--peers PYTHON).")
            continue
        rates[label] = told["turns"] / median(told["seconds"])
        notes.append(f"{label}: version {told['version']}.")
    notes += [
        "In a turn of ours a letter is written and hashed, its answer is read and checked against "
        "the game, and the agent computes; the peer hands a list to a model that says a fixed "
        "text. Both take two steps of LangGraph's, and ours keeps the letter with its answer in a "
        "journal, in a thread.",
        "Ours without a saver still waits for the disk at every turn, as the journal keeps each "
        "answer through a power cut, and the memory saver keeps nothing. Of two that both keep "
        "their state the rows with SQLite tell. Letters, answers and what agents compute take "
        "about a fifth of the CPU time of a turn; the rest is LangGraph's, the event loop's, and "
        "the journal's.",
    ]
    ours = rates[EMBEDDED]
    rows: list[list[Cell]] = [[name, rate / ours, rate] for name, rate in rates.items()]
    return Found(
        f"Alternating offers, two agents, {turns} turns. Medians of {repeats}, the contenders in "
        "turn; the goal is the median of the ratios within each round of them.",
        ("contender", f"× {EMBEDDED}", "turns a second"),
        rows,
        [
            Goal(
                f"turns a second: {EMBEDDED} / {MEMORY}",
                1,
                median(pairs),
                at_least=True,
                must=0.7,
            )
        ],
        notes,
        {EMBEDDED: profile},
    )


def runs(repeats: int = 5, each: int = 20) -> Found:
    """Whole negotiations of two embedded agents a second, on SQLite and one core."""
    with _one_core():
        found = {at_once: asyncio.run(_runs(repeats, each, at_once)) for at_once in (1, 8)}
        with profiled("runs", "two-agent runs on SQLite, 8 at once") as profile:
            asyncio.run(_runs(1, each, 8))
    rows: list[list[Cell]] = [
        [f"{at_once} at once", found[1][0] / wall, each / wall, 1000 * spent / each]
        for at_once, (wall, spent) in found.items()
    ]
    best = each / min(wall for wall, _ in found.values())
    return Found(
        f"Negotiations of two embedded agents over the Escape Room, on SQLite and one core, {each} "
        f"in a row. Medians of {repeats}.",
        ("how", "× one after the other", "runs a second", "CPU per run, ms"),
        rows,
        [Goal("two-agent runs a second, SQLite, one core", 60, best, at_least=True, must=35)],
        [
            "Each run waits for the disk several times, as what was paid for survives a power cut; "
            "runs at the same time share these waits. The rest is CPU time, of which a run may "
            "take 16 ms to reach the goal: the flame graph shows what takes it.",
        ],
        profiles={"8 at once": profile},
    )


@contextmanager
def _one_core() -> Iterator[None]:
    """Stay on one core, where the system lets a process choose."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


async def _rates(repeats: int, turns: int) -> tuple[dict[str, list[float]], dict[str, float]]:
    """Turns a second of the contenders in this process, pair by pair, and the profile of ours."""
    model = ScriptedModel(agent="", script=lambda *_: "No, not yet: think of what it costs me.")
    usual = baseline_graph([1] * turns, model)
    rational, stubborn = _haggling("rational", turns), _haggling("stubborn", turns)
    with scratch() as folder:
        async with clients(), kept_at_once(Home(folder / "usual")) as sqlite:
            played = {
                LOOP: partial(_loop, model, turns),
                MEMORY: partial(run_baseline, usual.compile(checkpointer=InMemorySaver())),
                USUAL_KEPT: partial(run_baseline, usual.compile(checkpointer=sqlite)),
                OURS: partial(_scripted, run_lean, rational),
                KEPT: partial(_scripted, run_ours, rational),
                EMBEDDED: partial(run_lean, stubborn),
                EMBEDDED_KEPT: partial(run_ours, stubborn),
            }
            with scripted_reply(_counter):
                scripted = await _calls(rational)
            embedded = await _calls(stubborn)
            made = {OURS: scripted, KEPT: scripted, EMBEDDED: embedded, EMBEDDED_KEPT: embedded}
            named = {name: Contender(run) for name, run in played.items()}
            found = await side_by_side(named, repeats)
            with profiled("offers", EMBEDDED) as profile:
                for _ in range(5):
                    await run_lean(stubborn)
    rates = {
        name: [made.get(name, turns) / wall for wall, _ in times] for name, times in found.items()
    }
    return rates, profile


def _haggling(character: str, turns: int) -> Play:
    seats = {"*": f"embedded:{character}"}
    room = RunConfig.model_validate({"game": "escape_room", "rounds": turns - 1, "seats": seats})
    return Play("negotiation_priced", room, _counter, [1] * turns, 0)


async def _calls(played: Play) -> int:
    """The calls of a whole run."""
    made: int = (await play(played.graph, played.room))["usage"]["calls"]
    return made


async def _scripted(run: Callable[[Play], Awaitable[Clock]], played: Play) -> Clock:
    """A run in which scripted models answer."""
    with scripted_reply(_counter):
        return await run(played)


def _counter(agent: str, letter: str) -> str:
    """An offer at every turn, until the last one is accepted."""
    match asked(letter):
        case "propose":
            return f"<s>I ask for this.</s><PROPOSAL>{json.dumps(_OFFER)}</PROPOSAL>"
        case "act":
            return "<ACTION>door</ACTION>"
    now, last = round_of(letter)
    if now == last:
        return "<ACCEPT>"
    return f"<s>No: this.</s><REJECT><PROPOSAL>{json.dumps(_OFFER)}</PROPOSAL>"


async def _loop(model: ScriptedModel, turns: int) -> Clock:
    talk: list[AnyMessage] = [HumanMessage("You sit at a table with another agent. " * 20)]
    for _ in range(turns):
        talk.append(await model.ainvoke(talk))
    return now()


async def _runs(repeats: int, each: int, at_once: int) -> tuple[float, float]:
    """Median wall and CPU seconds of so many runs, some at once."""
    found = []
    with scratch():
        async with clients():
            for repeat in range(repeats + 1):
                seeds = iter(range(repeat * each, (repeat + 1) * each))

                async def work() -> None:
                    for seed in seeds:  # noqa: B023 - shared by the workers of this repeat
                        await play("negotiation", RunConfig(game="escape_room", seed=seed))

                began = now()
                await asyncio.gather(*(work() for _ in range(at_once)))
                if repeat:
                    found.append(since(began, now()))
    return median(f[0] for f in found), median(f[1] for f in found)


def _peer(python: str, name: str, turns: int) -> dict[str, Any]:
    script = Path(__file__).with_name("peers.py")
    done = subprocess.run(
        [python, str(script), name, str(turns)], check=True, capture_output=True, text=True
    )
    told: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return told
