"""The parent process of `tests.warm_coop`: it imports everything and forks a process per order."""

import asyncio
import inspect
import json
import os
import pkgutil
import selectors
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from importlib import import_module
from itertools import count
from tempfile import TemporaryDirectory
from typing import Any

from shapley_coop.state.storage.facts import Fact, Facts, Session
from tests.warm_coop import SAVERS, Stop

IMPORTED = (
    "shapley_coop.cli",
    "shapley_coop.cli.playing.narration",
    "shapley_coop.evals.verifying",
    "langchain_openai",
    *(saver.partition(":")[0] for saver in SAVERS),
)
ORDERS = 0


@dataclass
class Child:
    """A process that was forked for an order.

    Attributes:
        number: of the order.
        process: its id.
        started: when, in monotonic seconds.
        stop_at: when to stop it, if it still lives then.
        signal: by which it is stopped.
    """

    number: int
    process: int
    started: float
    stop_at: float | None
    signal: int


def main() -> None:
    """Take orders from standard input; print the number, exit code and seconds of each."""
    _do_everything_once()
    assert threading.active_count() == 1, "only a process of one thread may fork"
    arrived, children = b"", dict[int, Child]()
    with selectors.DefaultSelector() as selector:
        selector.register(ORDERS, selectors.EVENT_READ)
        while True:
            for key, _ in selector.select(_patience(children)):
                if key.fd != ORDERS:
                    selector.unregister(key.fd)
                    _reap(key.fd, children.pop(key.fd))
                    continue
                read = os.read(ORDERS, 1 << 16)
                if not read:
                    _end(children)
                    return
                *lines, arrived = (arrived + read).split(b"\n")
                for line in lines:
                    lives, child = _fork(json.loads(line))
                    children[lives] = child
                    selector.register(lives, selectors.EVENT_READ)
            _stop_whose_time_has_come(children)


def _do_everything_once() -> None:
    """Import what will be imported, compile templates and patterns, build workflows."""
    for module in IMPORTED:
        import_module(module)
    pkgutil.resolve_name("openai:DefaultAioHttpClient")()  # imports what it needs when it is made
    from shapley_coop.graphs.running import play
    from shapley_coop.state.run_config import RunConfig

    with TemporaryDirectory() as home:
        os.environ["COOP_HOME"] = home
        for graph in ("shapley_coop", "contracts"):
            asyncio.run(play(graph, RunConfig(game="escape_room")))


def _patience(children: dict[int, Child]) -> float | None:
    times = [child.stop_at for child in children.values() if child.stop_at is not None]
    return max(0.0, min(times) - time.monotonic()) if times else None


def _stop_whose_time_has_come(children: dict[int, Child]) -> None:
    for child in children.values():
        if child.stop_at is not None and child.stop_at <= time.monotonic():
            child.stop_at = None
            os.kill(child.process, child.signal)


def _end(children: dict[int, Child]) -> None:
    for child in children.values():
        os.kill(child.process, signal.SIGKILL)
        os.waitpid(child.process, 0)


def _fork(order: dict[str, Any]) -> tuple[int, Child]:
    started, stop = time.monotonic(), Stop(**order["stop"])
    # The pipe's other end is the child's alone: it closes when the child ends, however that is.
    lives, held = os.pipe()
    process = os.fork()
    if process == 0:
        os.close(lives)
        _become(order, stop)
    os.close(held)
    stop_at = None if stop.after is None else started + stop.after
    return lives, Child(order["number"], process, started, stop_at, stop.by)


def _reap(lives: int, child: Child) -> None:
    _, status = os.waitpid(child.process, 0)
    os.close(lives)
    code = os.waitstatus_to_exitcode(status)
    print(json.dumps([child.number, code, time.monotonic() - child.started]), flush=True)


# In the child


def _become(order: dict[str, Any], stop: Stop) -> None:
    code = 70
    # A shell has what it starts in the background ignore interrupts.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        for path, stream in zip(order["streams"], (1, 2), strict=True):
            os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600), stream)
        os.dup2(os.open(os.devnull, os.O_RDONLY), ORDERS)
        os.environ.update(order["environment"])
        os.chdir(order["folder"])
        if stop.write:
            _stop_at_a_write(stop)
        sys.argv = ["coop", *order["argv"]]
        pkgutil.resolve_name(order["program"])()
        code = 0
    except SystemExit as leaving:
        code = leaving.code if isinstance(leaving.code, int) else 0
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        # Not the parent's clean-up: this process was never meant to return from here.
        os._exit(code)


def _stop_at_a_write(stop: Stop) -> None:
    """Have this process stop itself at its n-th write, before anything else happens."""
    written, counting = count(1), threading.Lock()

    def one_more() -> None:
        with counting:
            if next(written) == stop.write:
                os.kill(os.getpid(), stop.by)

    _count_facts(stop, one_more)
    for path in (one for one in stop.at if ":" in one):
        owner, _, name = path.rpartition(".")
        kind = pkgutil.resolve_name(owner)
        setattr(kind, name, _counted(getattr(kind, name), one_more, stop.before))


def _count_facts(stop: Stop, one_more: Callable[[], None]) -> None:
    """Count the transactions that write a new fact, right before or after they are committed."""
    writing, put = Facts.writing, Session.put
    wrote = set[Session]()

    def noted(session: Session, *facts: Fact) -> list[Fact | None]:
        stands = put(session, *facts)
        new = (fact for fact, one in zip(facts, stands, strict=True) if one is None)
        if any(fact.kind in stop.at for fact in new):
            wrote.add(session)
        return stands

    @contextmanager
    def counted(facts: Facts, owner: str, lock: str = "") -> Iterator[Session]:
        with writing(facts, owner, lock) as session:
            yield session
            if stop.before and session in wrote:
                one_more()
        if not stop.before and session in wrote:
            one_more()

    Session.put = noted
    Facts.writing = counted


def _counted(
    method: Callable[..., Any], one_more: Callable[[], None], before: bool
) -> Callable[..., Any]:
    """The method, counted when it is called or when it returns."""

    def called() -> None:
        if before:
            one_more()

    def returned(done: Any) -> Any:
        if not before:
            one_more()
        return done

    @wraps(method)
    def at_once(*args: Any, **kwargs: Any) -> Any:
        called()
        return returned(method(*args, **kwargs))

    @wraps(method)
    async def in_time(*args: Any, **kwargs: Any) -> Any:
        called()
        return returned(await method(*args, **kwargs))

    return in_time if inspect.iscoroutinefunction(method) else at_once


if __name__ == "__main__":
    main()
