"""Proofs under fire: a promise, what is done to break it, and what is not promised.

A module `proof_<name>.py` beside this one lists its own in `PROOFS`. Its tests run each at its
short size; `make soak` (`tests.soak`) runs all of them at their long size and writes
docs/reliability.md.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path


@dataclass(frozen=True)
class Finding:
    """What came of trying to break a promise.

    Attributes:
        tried: what was done, with numbers.
        figure: what was counted, in the terms of the promise's goal.
        held: whether the goal was reached.
    """

    tried: str
    figure: str
    held: bool


@dataclass(frozen=True)
class Proof:
    """One promise and its harness.

    Attributes:
        promise: in a sentence.
        goal: the figure to reach.
        not_promised: what the promise does not cover.
        attempt: tries to break it, in a folder of its own, so many times.
        short: how many times in the tests.
        long: how many times in `make soak`.
    """

    promise: str
    goal: str
    not_promised: str
    attempt: Callable[[Path, int], Finding]
    short: int
    long: int


def proofs() -> Iterator[tuple[str, Proof]]:
    """Every proof there is, with its name."""
    for path in sorted(Path(__file__).parent.glob("proof_*.py")):
        found: dict[str, Proof] = import_module(f"tests.proofs.{path.stem}").PROOFS
        yield from found.items()
