"""Where the CPU goes: stacks sampled by CPU time, and their shares by library and room."""

import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from types import CodeType, FrameType
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
EVERY = 0.001
"""Seconds between two looks."""

LIBRARIES = (
    *("langgraph", "langchain_core", "langchain_openai", "langsmith", "sqlalchemy", "aiosqlite"),
    *("pydantic", "jinja2", "openai", "aiohttp", "psycopg", "psycopg_pool", "numpy"),
    *("httpx", "httpx2", "httpcore", "anyio"),
)
IDLE = ("select", "_worker", "_connection_worker_thread")
"""The innermost function of an idle thread."""

PYTHON = "Python's own: asyncio, threads"


class Line(NamedTuple):
    """A line of code, where its function is not known, under the names that code has.

    Attributes:
        co_qualname: file and line.
        co_filename: the file's path.
    """

    co_qualname: str
    co_filename: str


Stack = tuple[CodeType | Line, ...]
"""The functions of a thread, the outermost first."""


@contextmanager
def sampled() -> Iterator[Counter[Stack]]:
    """The stacks of the block, by the seconds of CPU time that they took: filled in as it runs.

    A thread looks at the others every now and then, and what CPU time each has taken since goes to
    what it is at: a signal would be handled by the main thread alone, when it wakes up. Who waits
    for a disk takes none; where the system does not tell threads apart, it counts as busy.
    """
    found = Counter[Stack]()
    over = threading.Event()

    def watch() -> None:
        mine, then = threading.get_ident(), dict[int, float]()
        while not over.wait(EVERY):
            frames = {who: at for who, at in sys._current_frames().items() if who != mine}
            now = {who: _taken(who) for who in frames}
            for who, frame in frames.items():
                if frame.f_code.co_name not in IDLE and who in then:
                    found[_stack(frame)] += now[who] - then[who]  # type: ignore[assignment]
            then = now

    before, watcher = sys.getswitchinterval(), threading.Thread(target=watch)
    sys.setswitchinterval(EVERY / 100)  # whoever holds the interpreter lets the watcher look
    watcher.start()
    try:
        yield found
    finally:
        over.set()
        watcher.join()
        sys.setswitchinterval(before)


def _taken(thread: int) -> float:
    """The seconds of CPU time that a thread has taken."""
    if not hasattr(time, "pthread_getcpuclockid"):
        return time.process_time()
    try:
        return time.clock_gettime(time.pthread_getcpuclockid(thread))
    except OSError:  # it has ended
        return 0.0


def shares(stacks: Mapping[Stack, float]) -> dict[str, float]:
    """Part → its share.

    A sample belongs to the innermost of our rooms or known libraries on the stack: what they call
    of Python's own is theirs.
    """
    found: dict[str, float] = {}
    for stack, samples in stacks.items():
        part = _part(stack)
        found[part] = found.get(part, 0) + samples
    total = sum(found.values())
    return {part: samples / total for part, samples in found.items()}


def _stack(frame: FrameType | None) -> Stack:
    found = []
    while frame is not None:
        found.append(frame.f_code)
        frame = frame.f_back
    return tuple(reversed(found))


def _part(stack: Stack) -> str:
    return next(filter(None, (owner(code.co_filename) for code in reversed(stack))), PYTHON)


@lru_cache(maxsize=4096)
def owner(file: str) -> str:
    """The library or room of a file; empty for Python's own and for other libraries."""
    path = Path(file)
    if "site-packages" in path.parts:
        name = path.parts[path.parts.index("site-packages") + 1]
        return name if name in LIBRARIES else ""
    # The bench itself is at the bottom of every stack.
    inside = path.is_relative_to(ROOT) and not path.is_relative_to(ROOT / "benchmarks")
    return f"ours: {path.relative_to(ROOT).parts[0]}" if inside else ""
