"""`make soak`: every promise at its long size, and docs/reliability.md with what was found.

`python -m tests.soak kills wire` runs those alone, and `--short` at the size of the tests. What
each found at its long size is kept in build/soak.json; the page is written from it as soon as all
of them have been run.
"""

import json
import platform
import sys
import time
from dataclasses import asdict
from importlib.metadata import version
from os import cpu_count
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.proof import Finding, Proof, proofs

ROOT = Path(__file__).parents[1]
PAGE, KEPT = ROOT / "docs" / "reliability.md", ROOT / "build" / "soak.json"
LIBRARIES = ("langgraph", "langgraph-checkpoint", "langchain-openai", "openai", "pydantic")
HEAD = """# What holds under fire

Each promise has a harness in `tests/` that tries to break it with real processes, real databases
and a loopback endpoint. The tests run a short form of each; `make soak` runs the long form and
writes this page. Seats are embedded agents or a stub: nothing here is about language models.

{machine}

| promise | tried | goal | found | |
|---|---|---|---|---|
{rows}

## What is not promised

{limits}
"""


def main(arguments: list[str]) -> int:
    """Run the proofs; 0 if all of them held, 1 if not, 2 if one is not known."""
    names = [name for name in arguments if name != "--short"]
    known = dict(proofs())
    if unknown := set(names) - set(known):
        print(f"soak: no proof {', '.join(sorted(unknown))}: there is {', '.join(known)}")
        return 2
    short = "--short" in arguments
    held = True
    for name in names or known:
        found = _run(name, known[name], known[name].short if short else known[name].long)
        held &= found.held
        if not short:
            _keep(name, found)
    kept = _kept()
    if not short and known.keys() <= kept.keys():
        PAGE.write_text(_page(known, {name: kept[name] for name in known}), encoding="utf-8")
        print(f"written to {PAGE.name}")
    return 0 if held else 1


def _kept() -> dict[str, Finding]:
    """What the long runs of this checkout have found so far."""
    if not KEPT.exists():
        return {}
    return {name: Finding(**found) for name, found in json.loads(KEPT.read_text()).items()}


def _keep(name: str, finding: Finding) -> None:
    KEPT.parent.mkdir(exist_ok=True)
    kept = {**_kept(), name: finding}
    KEPT.write_text(json.dumps({name: asdict(found) for name, found in kept.items()}, indent=1))


def _run(name: str, proof: Proof, times: int) -> Finding:
    print(f"{name} × {times:,} …", end=" ", flush=True)
    started = time.monotonic()
    with TemporaryDirectory() as folder:
        finding = proof.attempt(Path(folder), times)
    verdict = "held" if finding.held else "FAILED"
    print(f"{verdict} in {time.monotonic() - started:,.0f} s: {finding.figure}", flush=True)
    return finding


def _page(known: dict[str, Proof], found: dict[str, Finding]) -> str:
    rows = "\n".join(
        f"| {known[name].promise} | {finding.tried} | {known[name].goal} | {finding.figure} "
        f"| {'held' if finding.held else '**not held**'} |"
        for name, finding in found.items()
    )
    limits = "\n".join(f"- *{known[name].promise}.* {known[name].not_promised}" for name in found)
    libraries = ", ".join(f"{name} {version(name)}" for name in LIBRARIES)
    machine = f"Python {platform.python_version()}, {cpu_count()} cores; {libraries}."
    return HEAD.format(machine=machine, rows=rows, limits=limits)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
