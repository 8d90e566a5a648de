"""The command `make bench`: it measures what people feel, beside peers.

    python -m benchmarks                 # everything: about half an hour
    python -m benchmarks start tokens    # some of it
    python -m benchmarks --quick         # everything at a small size, only printed

The latest result of each bench at full size is kept in docs/performance.json, with its day, commit
and machine; docs/performance.md is written from there.
"""

import os
import platform
import re
import sys
import traceback
from argparse import ArgumentParser
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib import import_module
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from benchmarks.figures import Figure, table
from shapley_coop.evals.provenance import provenance

PAGE = Path(__file__).parents[1] / "docs" / "performance.md"
HEAD = """# Performance

Written by `make bench`; do not edit. Ours and its peers ran in turn, so that ratios mean something;
times are of one machine. Models answer from a script, or are embedded agents: a simulation, and no
evidence about language models.

Each figure should reach its goal and must reach its floor. A peer's figure has neither.
"""

BENCHES: dict[str, tuple[str, dict[str, Any]]] = {
    "negotiation": ("engine", {"repeats": 1, "latency": 0.01}),
    "concurrent": ("engine", {"repeats": 1, "latency": 0.01, "at_once": 2}),
    "parallel": ("engine", {"repeats": 1, "latency": 0.01, "agents": 6, "turns": 1}),
    "runs": ("runs", {"repeats": 1, "each": 2}),
    "server": ("server", {"repeats": 1, "latency": 0.01, "at_once": 4}),
    "start": ("start", {"repeats": 1}),
    "tokens": ("tokens", {"agents": 4, "rounds": 3}),
    "many": ("many", {"sizes": (4, 8), "runs": 2}),
    "delegates": ("many", {"sizes": (3, 4), "seeds": 1, "games": ("volunteers",)}),
    "credit": ("credit", {"repeats": 1, "exactly": 5, "sampled": 6, "players": 10}),
    "rounds": ("growth", {"sizes": (2, 4)}),
    "memory": ("growth", {"few": 1, "many": 9}),
    "checkpoints": ("state", {"turns": (4, 8), "rounds": 2}),
    "sweep": ("sweep", {"rows": 4}),
    "remote": ("remote", {"cells": 4}),
}
"""Bench → the module whose function of the same name runs it, and small sizes to try it."""


@dataclass(frozen=True)
class Section:
    """The result of a bench: what was measured, when, of which commit and where."""

    title: str
    day: str
    commit: str
    machine: str
    figures: list[Figure]

    def markdown(self, name: str) -> str:
        """Return the result as a section of the page, without the machine."""
        source = f"({self.day}, {self.commit})"
        return f"\n## {name}\n\n{self.title}\n{source}\n\n{table(self.figures)}\n"


KEPT = TypeAdapter(dict[str, Section])


def main(arguments: list[str] | None = None) -> None:
    """Measure what people feel, print it, and keep the results of full-size runs.

    Raises:
        SystemExit: a bench failed; the others ran, and the failed one keeps its old result.
    """
    options = ArgumentParser(prog="python -m benchmarks", description=main.__doc__)
    options.add_argument("names", nargs="*", metavar="NAME", choices=[*BENCHES, []])
    options.add_argument("--quick", action="store_true", help="try the benches at small sizes")
    given = options.parse_args(arguments)
    failed = list[str]()
    for name in given.names or BENCHES:
        # A spawned process shares no memory, thread or cache with another bench.
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as process:
            done = process.submit(run, name, given.quick)
            wrong = done.exception()
        if wrong:
            failed.append(name)
            traceback.print_exception(wrong)
            continue
        sys.stdout.write(done.result().markdown(name))
        sys.stdout.flush()
        if not given.quick:
            keep({**kept(), name: done.result()})
    if failed:
        sys.exit(f"failed, and not measured: {', '.join(failed)}")


def run(name: str, quick: bool) -> Section:
    """Run one bench in this process, at its full or its small size."""
    module, small = BENCHES[name]
    bench = getattr(import_module(f"benchmarks.{module}"), name)
    figures = bench(**small) if quick else bench()
    title = bench.__doc__.partition("\n")[0]
    day = datetime.now(UTC).date().isoformat()
    return Section(title, day, provenance()["commit"], machine(), figures)


def machine() -> str:
    """Return the processor, its cores, and the versions of Python and LangGraph."""
    info = Path("/proc/cpuinfo")  # only Linux has this file
    named = info.exists() and re.search(r"model name\s*: (.+)", info.read_text(encoding="utf-8"))
    processor = named[1] if named else platform.machine()
    versions = provenance()
    told = f"Python {versions['python']}, LangGraph {versions['langgraph']}"
    return f"{processor}, {os.cpu_count()} cores, {told}"


def kept() -> dict[str, Section]:
    """Return bench → its last full-size result."""
    file = PAGE.with_suffix(".json")
    return KEPT.validate_json(file.read_bytes()) if file.exists() else {}


def keep(sections: dict[str, Section]) -> None:
    """Write the results to docs/performance.json, and the page from them."""
    ordered = {name: sections[name] for name in BENCHES if name in sections}
    PAGE.with_suffix(".json").write_bytes(
        KEPT.dump_json(ordered, indent=1, exclude_defaults=True) + b"\n"
    )
    parts = [one.markdown(name) for name, one in ordered.items()]
    machines = sorted({one.machine for one in ordered.values()})
    told = f"\nMeasured on: {'; '.join(machines)}.\n"
    PAGE.write_text(HEAD + told + "".join(parts), encoding="utf-8")
