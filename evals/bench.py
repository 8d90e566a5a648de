"""`make bench`: how fast, how big and how dear it all is, beside its peers, in one run.

    python -m evals.bench                      # everything; writes docs/performance.md
    python -m evals.bench calls tokens         # some of it, printed
    python -m evals.bench --quick              # everything at a small size, printed
    python -m evals.bench offers --peers /path/to/python

`--peers` names the interpreter of another environment, for peers that are no dependency of ours:
negmas and autogen-agentchat. A peer that is not there is left out, and the page says so.

Ratios come first: absolute times are of one machine at one moment.
"""

import argparse
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from datetime import UTC, datetime
from importlib import import_module
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from evals.bench_tables import Cell, Found, machine, markdown, table
from evals.provenance import provenance

PAGE = Path(__file__).parents[1] / "docs" / "performance.md"

MODULES = {
    "negotiation": "bench_engine",
    "parallel": "bench_engine",
    "concurrent": "bench_engine",
    "cpu": "bench_engine",
    "calls": "bench_calls",
    "checkpoints": "bench_state",
    "memory": "bench_state",
    "exact": "bench_credit",
    "sampled": "bench_credit",
    "offers": "bench_offers",
    "runs": "bench_offers",
    "tokens": "bench_tokens",
    "start": "bench_start",
    "git": "bench_git",
}
"""Every bench, and where it is: a function of its name, whose defaults are the goals' sizes."""

QUICK: dict[str, dict[str, Any]] = {
    "negotiation": {"repeats": 1, "latency": 0.01},
    "parallel": {"repeats": 1, "latency": 0.01, "agents": 6, "turns": 1},
    "concurrent": {"repeats": 1, "latency": 0.01, "sizes": (2,)},
    "cpu": {"repeats": 1, "wide": 6},
    "calls": {"repeats": 1, "latency": 0.01, "sizes": (4, 8), "spread": 0.05},
    "checkpoints": {"turns": (4, 8), "rounds": 2},
    "memory": {"few": 2, "more": 12, "names": ("ours, no saver",)},
    "exact": {"repeats": 1, "heroes": (4, 5), "players": (8, 10)},
    "sampled": {"repeats": 1, "heroes": (4, 6)},
    "offers": {"repeats": 1, "turns": 8},
    "runs": {"repeats": 1, "each": 2},
    "tokens": {"agents": 4, "rounds": 3},
    "start": {"repeats": 1, "commands": ("coop --help",)},
    "git": {"repeats": 1, "commits": (20, 40)},
}
"""Sizes that only show that a bench works."""


def main(arguments: list[str] | None = None) -> None:
    """Run benches, print their tables, and write the page if all ran at their full size."""
    given = _options().parse_args(arguments)
    names = given.names or list(MODULES)
    whole = names == list(MODULES) and not given.quick
    started = datetime.now(UTC)
    sections = []
    for name, found in measured(names, given.quick, given.peers):
        sections.append((name, found))
        sys.stdout.write(markdown(name, found) + "\n")
        sys.stdout.flush()
    path = given.output or (PAGE if whole else None)
    if path:
        path.write_text(page(sections, started), encoding="utf-8")
        sys.stderr.write(f"{path} is written\n")


def measured(names: list[str], quick: bool, peers: str) -> Iterator[tuple[str, Found]]:
    """Run benches one after the other, each in a process of its own; yields name and findings."""
    for number, name in enumerate(names, start=1):
        sys.stderr.write(f"[{number}/{len(names)}] {name} …\n")
        sys.stderr.flush()
        sizes = QUICK[name] if quick else {}
        more = {"peers": peers} if name == "offers" else {}
        # Spawned: no memory, thread or cache of another bench is in it.
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as process:
            yield name, process.submit(run, name, **sizes, **more).result()


def run(name: str, **sizes: Any) -> Found:
    """Run one bench here."""
    bench: Callable[..., Found] = getattr(import_module(f"evals.{MODULES[name]}"), name)
    return bench(**sizes)


def page(sections: list[tuple[str, Found]], started: datetime) -> str:
    """The whole page: what is reached, where it was measured, and every bench."""
    goals: list[list[Cell]] = [
        [f"[{name}](#{name})", *goal.row()] for name, found in sections for goal in found.goals
    ]
    return "\n".join(
        [
            "# Performance",
            "",
            "Written by `make bench`; do not edit. Every table is one run of ours and its peers in "
            "turn, so that ratios mean something; absolute times are of this machine at that "
            "moment. Simulated agents and models that answer by rote are no evidence about "
            "language models.",
            "",
            f"{started:%Y-%m-%d}, commit {provenance()['commit']}.",
            "",
            table(("measured on", ""), machine()),
            "",
            "## Goals",
            "",
            table(("bench", "goal", "limit", "found", "met"), goals),
            "",
            *(markdown(name, found) for name, found in sections),
        ]
    )


def _options() -> argparse.ArgumentParser:
    options = argparse.ArgumentParser(prog="python -m evals.bench", description=main.__doc__)
    options.add_argument("names", nargs="*", metavar="NAME", choices=[*MODULES, []])
    options.add_argument("--quick", action="store_true", help="small sizes: does it run?")
    options.add_argument("--peers", default=sys.executable, help="Python that has negmas, autogen")
    options.add_argument("-o", "--output", type=Path, help="write the page here")
    return options


if __name__ == "__main__":
    main()
