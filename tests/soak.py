"""`make soak`: every promise at its long size, and docs/reliability.md with what was found.

`python -m tests.soak kills wire` runs those alone, and `--short` at the size of the tests. What
each found at its long size last is kept in docs/reliability.json, from which the page is written.
"""

import json
import os
import platform
import sys
import time
from argparse import ArgumentParser
from dataclasses import asdict
from importlib.metadata import version
from os import cpu_count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from shapley_coop.evals.provenance import provenance
from tests.proofs.proof import Finding, Proof, proofs
from tests.root import ROOT

PAGE, KEPT = ROOT / "docs" / "reliability.md", ROOT / "docs" / "reliability.json"
LIBRARIES = ("langgraph", "langgraph-checkpoint", "langchain-openai", "openai", "pydantic")
HEAD = """# What holds under fire

Each promise has a harness in `tests/proofs/` that tries to break it. Processes and databases are
real. Seats are embedded agents or a stub; `make real-model` seats a small model, by llama.cpp.

`make proofs` runs a short form of each promise on one database (10 minutes). `make soak` runs the
long form on SQLite and Postgres (an hour), and writes this page.

What the promises rest on:

- **Writes.** Answers, postings and the register are on the disk before anything follows from them.
  Checkpoints are not: a kill may take the last half second of them. The run then continues from an
  earlier step, with answers from its journal.
- **Episodes.** A fork from before `open` belongs to the same episode. The fork is paid if its
  payments are the same, and else `counterfactual`. `--idempotency-key KEY`, or `idempotency_key`
  in a graph's input, names a request: the same request continues its play, others are refused.
- **Versions.** A home, a sweep and an export of another version are refused. An unfinished run
  continues only with the workflow's version with which it began.
- **Seals.** Each run that ends seals its rows in the home's chain of hashes. `coop verify RUN
  --head` prints the chain's head; `--kept HEAD` compares one kept elsewhere.
- **Workers.** On Postgres a resume takes over from a worker that was silent for 60 seconds. A
  frozen worker that thaws writes nothing more.
- **Databases.** A statement to Postgres ends after `COOP_DATABASE_SECONDS` (30), connecting after
  10. If a database is full, read-only, locked, dead or frozen, the command says so and exits with
  1; `coop resume` goes on. A home that cannot be written can be read.

## Promises

{machine} How each was tried, how often, at which commit and what was found is in
[`reliability.json`](reliability.json).

{rows}
"""


def main(arguments: list[str] | None = None) -> int:
    """Run the proofs; 0 if all of them held, 1 if not."""
    # The endpoints of the proofs are embedded agents, which read a letter's facts.
    os.environ.setdefault("COOP_SEND_FACTS", "1")
    known = dict(proofs())
    reader = ArgumentParser(prog="python -m tests.soak", description=main.__doc__)
    reader.add_argument("names", nargs="*", metavar="PROOF", help=f"of {', '.join(known)}")
    reader.add_argument("--short", action="store_true", help="in small, and write no page")
    asked = reader.parse_args(arguments)
    if unknown := set(asked.names) - set(known):
        reader.error(f"no proof {', '.join(sorted(unknown))}: there is {', '.join(known)}")
    short, held = asked.short, True
    for name in asked.names or known:
        found = _run(name, known[name], known[name].short if short else known[name].long)
        held &= found.held
        if not short:
            _keep(name, found)
    if not short:
        PAGE.write_text(_page(known, _kept()), encoding="utf-8")
        print(f"written to {PAGE.name}")
    return 0 if held else 1


def _kept() -> dict[str, dict[str, Any]]:
    """What each long run has found last."""
    found: dict[str, dict[str, Any]] = {}
    if KEPT.exists():
        found = json.loads(KEPT.read_text(encoding="utf-8"))
    return found


def _keep(name: str, finding: Finding) -> None:
    kept = {**_kept(), name: {**asdict(finding), "commit": provenance()["commit"]}}
    KEPT.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def _run(name: str, proof: Proof, times: int) -> Finding:
    print(f"{name} × {times:,} …", end=" ", flush=True)
    started = time.monotonic()
    with TemporaryDirectory() as folder:
        finding = proof.attempt(Path(folder), times)
    verdict = "held" if finding.held else "FAILED"
    print(f"{verdict} in {time.monotonic() - started:,.0f} s: {finding.figure}", flush=True)
    return finding


def _page(known: dict[str, Proof], found: dict[str, dict[str, Any]]) -> str:
    rows = "\n".join(_told(proof, found.get(name)) for name, proof in known.items())
    libraries = ", ".join(f"{name} {version(name)}" for name in LIBRARIES)
    machine = f"Python {platform.python_version()}, {cpu_count()} cores; {libraries}."
    return HEAD.format(machine=machine, rows=rows)


def _told(proof: Proof, found: dict[str, Any] | None) -> str:
    """A promise, what was found, and what it does not cover."""
    if found is None:
        return f"- **{proof.promise}**: not tried at its long size yet. {proof.not_promised}"
    told = "held." if found["held"] else f"**not held** (goal: {proof.goal}): {found['figure']}."
    return f"- **{proof.promise}**: {told} {proof.not_promised}"


if __name__ == "__main__":
    sys.exit(main())
