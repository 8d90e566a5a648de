"""The time of commands from a warm start, with all files in the system's cache."""

import os
import resource
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from statistics import median

from benchmarks.seats import scratch
from benchmarks.tables import Cell, Found, Goal

ROOT = Path(__file__).parents[1]
HELP, RUN, LANGGRAPH = "coop --help", "coop run escape_room", "importing LangGraph"
COMMANDS = {
    "python -c pass": ["-c", "pass"],
    "importing Typer and Rich": ["-c", "import typer, rich.console"],
    LANGGRAPH: ["-c", "import langgraph.graph, langgraph.checkpoint.sqlite.aio"],
    HELP: ["-m", "shapley_coop", "--help"],
    RUN: ["-m", "shapley_coop", "run", "escape_room"],
}


def start(repeats: int = 5, commands: tuple[str, ...] = tuple(COMMANDS)) -> Found:
    """Measure the wall time of whole processes, and of the imports that they need."""
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in commands}
    with scratch():
        for repeat in range(repeats + 1):
            for name in commands:
                took = _timed(COMMANDS[name])
                if repeat:
                    times[name].append(took)
    walls = {name: median(wall for wall, _ in found) for name, found in times.items()}
    spent = {name: median(cpu for _, cpu in found) for name, found in times.items()}
    bare = next(iter(walls.values()))
    rows: list[list[Cell]] = [
        [name, wall / bare, wall, spent[name]] for name, wall in walls.items()
    ]
    return Found(
        f"Whole processes from a warm start. Medians of {repeats}, in turn.",
        ("command", "× bare Python", "wall, s", "CPU, s"),
        rows,
        _goals(walls),
        [
            "Of what a run in SQLite loads beside LangGraph, NumPy, which computes games and "
            "values, is the largest library.",
            "On top of LangGraph come our own classes, which are made at each start (dataclasses, "
            "pydantic's models), NumPy, the command line, and the run itself.",
        ],
    )


def _goals(walls: Mapping[str, float]) -> list[Goal]:
    goals = [Goal(HELP, 0.2, walls.get(HELP), "s", must=0.3)]
    if RUN in walls and LANGGRAPH in walls:
        ratio = walls[RUN] / walls[LANGGRAPH]
        goals.append(Goal(f"{RUN} / {LANGGRAPH}", 1.15, ratio, must=1.3))
    return goals


def _timed(arguments: list[str]) -> tuple[float, float]:
    """Return the wall and CPU seconds of one process."""
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    _run(arguments)
    wall, after = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _run(arguments: list[str]) -> "subprocess.CompletedProcess[str]":
    """Run Python without tracing and with its bytecode cache."""
    usual = {
        name: value
        for name, value in os.environ.items()
        if "_TRACING" not in name and name != "PYTHONDONTWRITEBYTECODE"
    }
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=ROOT, env=usual, check=True, capture_output=True, text=True)
