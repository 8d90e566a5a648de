"""For `tests.warm_coop`: `coop` with a clock that is off and a disk that fails.

The first argument is JSON: `skew` in seconds, and `fails` with `at`, the number of the write from
which on all fail, and `says`, what SQLite then says.
"""

import json
import os
import sqlite3
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from typing import Any

from langgraph.checkpoint.sqlite import SqliteSaver

from shapley_coop.state.storage.sqlite import SqliteDatabase
from tests.proofs import power_cut

PROGRAM = "tests.proofs.simulated:main"


def main() -> None:
    """`coop` with the faults that the first argument names."""
    os.environ.pop("COOP_DEBUG", None)  # its user has one line of each error
    faults = json.loads(sys.argv.pop(1))
    _set_clock(faults["skew"])
    if faults["fails"]:
        _fail(**faults["fails"])
    power_cut.main()


def _set_clock(skew: float) -> None:
    now, now_ns = time.time, time.time_ns
    time.time = lambda: now() + skew
    time.time_ns = lambda: now_ns() + int(skew * 1e9)


def _fail(at: int, says: str) -> None:
    """Have each write from a number on fail before it is committed."""
    written = count(1)

    def one_more() -> None:
        if next(written) >= at:
            raise sqlite3.OperationalError(says)

    writing: Any = SqliteDatabase.writing

    @contextmanager
    def failing(database: SqliteDatabase, *given: Any) -> Iterator[Any]:
        with writing(database, *given) as session:
            yield session
            one_more()

    SqliteDatabase.writing = failing  # type: ignore[method-assign]
    for name in ("put", "put_writes"):
        setattr(SqliteSaver, name, _after(one_more, getattr(SqliteSaver, name)))


def _after(first: Callable[[], None], put: Callable[..., Any]) -> Callable[..., Any]:
    def then(*args: Any, **kwargs: Any) -> Any:
        first()
        return put(*args, **kwargs)

    return then
