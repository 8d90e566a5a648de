"""Where the CPU goes: a profile by library and room, sampled by CPU time."""

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from types import FrameType

ROOT = Path(__file__).parents[1]
EVERY = 0.001
"""Seconds of this process's CPU time between samples, where the system's clock is as fine."""

LIBRARIES = (
    *("langgraph", "langchain_core", "langchain_openai", "langsmith", "sqlalchemy", "aiosqlite"),
    *("pydantic", "jinja2", "openai", "aiohttp", "psycopg", "psycopg_pool", "numpy"),
    *("httpx", "httpx2", "httpcore", "anyio"),
)
IDLE = ("select", "_worker", "_connection_worker_thread")
"""The innermost function of an idle thread."""

PYTHON = "Python's own: asyncio, threads"


@contextmanager
def profiled() -> Iterator[dict[str, float]]:
    """Where the CPU time of the block goes: part → its share, filled in when the block ends.

    A sample belongs to the innermost of our rooms or known libraries on the stack: what they call
    of Python's own is theirs. Threads that are busy at the same time share it evenly, as only one
    of them really runs. To be used in the main thread.
    """
    found: dict[str, float] = {}
    main = threading.get_ident()

    def sample(_: int, here: FrameType | None) -> None:
        stacks = {**sys._current_frames(), main: here}
        busy = [frame for frame in stacks.values() if frame and frame.f_code.co_name not in IDLE]
        for frame in busy:
            part = _part(frame)
            found[part] = found.get(part, 0) + 1 / len(busy)

    signal.signal(signal.SIGPROF, sample)
    signal.setitimer(signal.ITIMER_PROF, EVERY, EVERY)
    try:
        yield found
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        # By default a last one that is under way would end the process.
        signal.signal(signal.SIGPROF, signal.SIG_IGN)
        total = sum(found.values())
        found.update({part: samples / total for part, samples in found.items()})


def _part(frame: FrameType | None) -> str:
    while frame is not None:
        if part := owner(frame.f_code.co_filename):
            return part
        frame = frame.f_back
    return PYTHON


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
