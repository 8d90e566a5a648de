"""The number of files that a reader must open to follow one task of the program.

python -m benchmarks.trips            # a table
python -m benchmarks.trips --files    # and every function that was called, by its file

Each trip is one function in a run of `shapley_coop` with embedded agents: the check of an offer in
an answer, the asking of seats, and a settlement. The count includes every function of this project
that the trip calls, also in its tasks and threads. It excludes the work of embedded agents, which
stand for models.
"""

import asyncio
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from functools import wraps
from importlib import import_module
from inspect import iscoroutine
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

from benchmarks.seats import scratch
from shapley_coop.state.run_config import RunConfig
from tests.root import ROOT


class Trip(NamedTuple):
    """A function to follow, the most files that it should cross, and its question ("" for any)."""

    module: str
    name: str
    most: int
    question: str = ""


TRIPS = {
    "an offer's check": Trip("shapley_coop.state.judging", "read_answer", 8, "propose"),
    "asking": Trip("shapley_coop.state.asking", "ask_seats", 10, "propose"),
    "a settlement": Trip("shapley_coop.nodes.table.settle", "settle", 8),
}

_under_way: ContextVar[str] = ContextVar("under_way", default="")
_called: dict[str, set[tuple[str, str]]] = {trip: set() for trip in TRIPS}


def main() -> None:
    """Play one run, and print the functions and files that each trip called."""
    for name, trip in TRIPS.items():
        _follow(name, import_module(trip.module), trip.name, trip.question)
    from shapley_coop.graphs.running import play
    from shapley_coop.seats.embedded import EmbeddedChatModel

    _follow("", EmbeddedChatModel, "_agenerate")
    with scratch(), _profiled():
        asyncio.run(play("shapley_coop", RunConfig(game="escape_room", seed=3)))
    say = sys.stdout.write
    say(f"{'':20}{'functions':>10}{'files':>7}{'should be':>11}\n")
    for name, found in _called.items():
        files = sorted({file for file, _ in found})
        say(f"{name:20}{len(found):10}{len(files):7}{TRIPS[name].most:11}\n")
        for file in files if "--files" in sys.argv else ():
            say(f"    {file}: {', '.join(sorted(n for f, n in found if f == file))}\n")


def _follow(name: str, owner: Any, attribute: str, question: str = "") -> None:
    """Replace a function by one that marks its trip as under way, also in tasks that it starts."""
    plain = getattr(owner, attribute)

    @wraps(plain)
    def followed(*given: Any, **named: Any) -> Any:
        if question and given[0].question.name != question:
            return plain(*given, **named)
        context = copy_context()
        context.run(_under_way.set, name)
        done = context.run(plain, *given, **named)
        return asyncio.create_task(done, context=context) if iscoroutine(done) else done

    setattr(owner, attribute, followed)


@contextmanager
def _profiled() -> Iterator[None]:
    """Note all calls of this project's functions in every thread, within the `with` block."""
    threading.setprofile(_note)
    sys.setprofile(_note)
    try:
        yield
    finally:
        sys.setprofile(None)
        threading.setprofile(None)


def _note(frame: FrameType, event: str, _: Any) -> None:
    if event == "call" and (name := _under_way.get()):
        code = frame.f_code
        path = Path(code.co_filename)
        if path.is_absolute() and path != Path(__file__) and code.co_name.isidentifier():
            file = path.resolve()
            if file.is_relative_to(ROOT) and ".venv" not in file.parts:
                _called[name].add((str(file.relative_to(ROOT)), code.co_qualname))


if __name__ == "__main__":
    main()
