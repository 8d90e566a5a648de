"""How much work a call does, counted and not timed: equal on an idle machine and on a busy one."""

import gc
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any


def steps(work: Callable[[], object]) -> int:
    """How many lines of Python are run and how many C functions are called.

    What one C function does inside (a sort, a search, an array's arithmetic) is one step. Caches
    that the work fills make a second call cheaper: call it once before where that matters.
    """
    counted = 0

    def line(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal counted
        counted += event == "line"
        return line

    def call(frame: FrameType, event: str, argument: Any) -> None:
        nonlocal counted
        counted += event == "c_call"

    tracing, profiling, collecting = sys.gettrace(), sys.getprofile(), gc.isenabled()
    gc.disable()  # a finalizer would be counted, too
    sys.settrace(line)
    sys.setprofile(call)
    try:
        work()
    finally:
        sys.settrace(tracing)
        sys.setprofile(profiling)
        if collecting:
            gc.enable()
    return counted
