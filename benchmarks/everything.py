"""The command `make bench`: it measures speed, size and cost of our code and its peers.

    python -m benchmarks                      # everything: about half an hour
    python -m benchmarks start tokens         # some of it
    python -m benchmarks --quick              # everything at a small size, printed
    python -m benchmarks --since 1fe4765f     # goals as kept at that commit, and now
    python -m benchmarks --kept tokens        # the tables that were kept last, printed

Results at full size are kept in docs/performance.json, from which docs/performance.md is written.
Both hold the latest result of every bench, with its day and commit.

Ratios come first, since absolute times are of one machine at one moment.
"""

import argparse
import json
import subprocess
import sys
import traceback
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from importlib import import_module
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from benchmarks.tables import GOAL_COLUMNS, VERDICTS, Cell, Found, Goal, machine, markdown, table
from shapley_coop.evals.provenance import provenance

PAGE = Path(__file__).parents[1] / "docs" / "performance.md"
KEPT = PAGE.with_suffix(".json")

MODULES = {
    "negotiation": "engine",
    "parallel": "engine",
    "concurrent": "engine",
    "checkpoints": "state",
    "exact": "credit",
    "sampled": "credit",
    "runs": "runs",
    "tokens": "tokens",
    "many": "many",
    "delegates": "delegates",
    "start": "start",
    "server": "server",
}
"""Bench → the module whose function of the same name runs it; the defaults are the full sizes."""

QUICK: dict[str, dict[str, Any]] = {
    "negotiation": {"repeats": 1, "latency": 0.01},
    "parallel": {"repeats": 1, "latency": 0.01, "agents": 6, "turns": 1},
    "concurrent": {"repeats": 1, "latency": 0.01, "sizes": (2,)},
    "checkpoints": {"turns": (4, 8), "rounds": 2},
    "exact": {"repeats": 1, "heroes": (4, 5), "players": (8, 10)},
    "sampled": {"repeats": 1, "heroes": (4, 6)},
    "runs": {"repeats": 1, "each": 2},
    "tokens": {"agents": 4, "rounds": 3},
    "many": {"sizes": (4, 8), "runs": 2},
    "delegates": {"sizes": (3, 4), "everybody": 3, "seeds": 1, "games": ("volunteers",)},
    "start": {"repeats": 1, "commands": ("coop --help",)},
    "server": {"repeats": 1, "latency": 0.01, "at_once": 4},
}
"""Bench → small sizes, which only show that the bench works."""


@dataclass(frozen=True)
class Section:
    """The kept result of a bench.

    Attributes:
        found: the result.
        day: the day of the measurement, as an ISO date.
        commit: the commit that was measured.
    """

    found: Found
    day: str
    commit: str


def main(arguments: list[str] | None = None) -> None:
    """Run benchmarks and print their tables; keep the results of full-size runs.

    Raises:
        SystemExit: a bench failed; the other benches ran, and the failed one keeps its old result.
    """
    options = _options()
    given = options.parse_args(arguments)
    if given.since:
        try:
            sys.stdout.write(since(given.since) + "\n")
        except subprocess.CalledProcessError:
            options.error(f"git has no docs/{KEPT.name} at {given.since}: name another commit")
        return
    if given.kept:
        for name, one in kept().items():
            if name in given.names or not given.names:
                sys.stdout.write(f"{markdown(name, one.found)}\n")
        return
    shown: dict[str, Section] = {}
    failed = list[str]()
    for name, found in measured(given.names or list(MODULES), given.quick):
        if isinstance(found, Exception):
            failed.append(name)
            traceback.print_exception(found)
            continue
        goals = table(GOAL_COLUMNS, [goal.row() for goal in found.goals])
        sys.stdout.write(f"{markdown(name, found)}\n{goals}\n\n")
        sys.stdout.flush()
        day = datetime.now(UTC).date().isoformat()
        shown[name] = Section(found, day, provenance()["commit"])
        if not (given.quick or given.output):
            keep({**kept(), **shown})
    path = given.output or (None if given.quick else PAGE)
    if path:
        path.write_text(page(shown if given.output else kept()), encoding="utf-8")
        sys.stderr.write(f"{path} is written\n")
    if failed:
        sys.exit(f"failed, and not measured: {', '.join(failed)}")


def kept() -> dict[str, Section]:
    """Return bench → its last full-size result."""
    if not KEPT.exists():
        return {}
    return _sections(KEPT.read_text(encoding="utf-8"))


def since(commit: str) -> str:
    """Return a table of every goal's figure at a commit and in the results kept now.

    Raises:
        subprocess.CalledProcessError: git has no such commit, or no kept results in it.
    """
    told = subprocess.run(
        ["git", "show", f"{commit}:./{KEPT.name}"],  # noqa: S607 - whichever git the user has
        cwd=KEPT.parent,
        check=True,
        capture_output=True,
        text=True,
    )
    sections = _sections(told.stdout).values()
    before = {goal.what: goal.found for section in sections for goal in section.found.goals}
    rows: list[list[Cell]] = [
        [name, *goal.row()[:3], before.get(goal.what), *goal.row()[3:]]
        for name, section in kept().items()
        for goal in section.found.goals
    ]
    columns = ("bench", *GOAL_COLUMNS[:3], f"found at {commit}", "now", "met")
    return f"{table(columns, rows)}\n\n{VERDICTS}"


def _sections(written: str) -> dict[str, Section]:
    told = json.loads(written)
    return {name: _section(**told[name]) for name in MODULES if name in told}


def _section(found: dict[str, Any], day: str, commit: str) -> Section:
    # JSON has no tuples, so the columns come back as a list.
    whole = {**found, "columns": tuple(found["columns"])}
    whole["goals"] = [Goal(**goal) for goal in found["goals"]]
    return Section(Found(**whole), day, commit)


def keep(sections: dict[str, Section]) -> None:
    """Write the results to docs/performance.json."""
    told = {name: asdict(section) for name, section in sections.items()}
    KEPT.write_text(json.dumps(told, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def measured(names: list[str], quick: bool) -> Iterator[tuple[str, Found | Exception]]:
    """Run benches one after the other, each in a process of its own.

    Yields:
        The name of each bench, and its result or its exception.
    """
    for number, name in enumerate(names, start=1):
        sys.stderr.write(f"[{number}/{len(names)}] {name} …\n")
        sys.stderr.flush()
        sizes = QUICK[name] if quick else {}
        # A spawned process shares no memory, thread or cache with another bench.
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as process:
            done = process.submit(run, name, **sizes)
            wrong = done.exception()
        yield name, wrong if isinstance(wrong, Exception) else done.result()


def run(name: str, **sizes: Any) -> Found:
    """Run one bench in this process."""
    bench: Callable[..., Found] = getattr(import_module(f"benchmarks.{MODULES[name]}"), name)
    return bench(**sizes)


def page(sections: dict[str, Section]) -> str:
    """Return the whole page: the machine, and the goals of each bench with the figures found."""
    where = ", ".join(f"{name} {what}" for name, what in machine())
    return "\n".join(
        [
            "# Performance",
            "",
            "Written by `make bench`; do not edit. Ours and its peers ran in turn, so that ratios",
            "mean something; times are of one machine. Models answer from a script: they are",
            "no evidence about language models.",
            "",
            "`python -m benchmarks --kept NAME` prints a bench's whole table.",
            "",
            f"Measured on: {where}.",
            "",
            VERDICTS,
            "",
            *(_reached(name, one) for name, one in sections.items()),
        ]
    )


def _reached(name: str, one: Section) -> str:
    """Return a bench's section of the page: its goals, with day and commit of the measurement."""
    lines = [f"- {goal.words()}" for goal in one.found.goals]
    return "\n".join(
        [f"## {name}", "", one.found.title, f"({one.day}, {one.commit})", "", *lines, ""]
    )


def _options() -> argparse.ArgumentParser:
    options = argparse.ArgumentParser(prog="python -m benchmarks", description=main.__doc__)
    options.add_argument("names", nargs="*", metavar="NAME", choices=[*MODULES, []])
    options.add_argument(
        "--since",
        metavar="COMMIT",
        help="compare the goals recorded at a commit with the current ones",
    )
    options.add_argument("--kept", action="store_true", help="print the recorded tables")
    options.add_argument(
        "--quick", action="store_true", help="use small sizes, to test that the benchmarks run"
    )
    options.add_argument("-o", "--output", type=Path, help="the page to write")
    return options
