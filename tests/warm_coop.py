"""`coop` in processes of their own that cost no start: forked from one that has imported it all.

    with warm_coop(home) as coop:
        ended = coop.run("run", "escape_room", "--name", "a", kill_after=0.05)
        assert ended.code == -signal.SIGKILL

Every call is a real process with its own files and connections; a kill is a real SIGKILL.
"""

import json
import os
import pkgutil
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

ROOT = Path(__file__).parents[1]
WARM = (
    "cli",
    "graphs.running",
    "graphs.negotiation",
    "graphs.shapley_coop",
    "games.escape_room",
    "langchain_openai",
    "langgraph.checkpoint.sqlite.aio",
    "sqlalchemy.dialects.sqlite.pysqlite",
)


@dataclass(frozen=True)
class Ended:
    """How one process ended.

    Attributes:
        code: its exit code; the negative signal if it was killed.
        out: what it wrote to standard output.
        err: what it wrote to standard error.
        seconds: how long it lived.
    """

    code: int
    out: str
    err: str
    seconds: float

    @property
    def result(self) -> Any:
        """Standard output as JSON."""
        assert self.code == 0, f"exit code {self.code}: {self.err}"
        return json.loads(self.out)


class WarmCoop:
    """A parent that forks a process per command; one command at a time."""

    def __init__(self, parent: "subprocess.Popen[str]", scratch: Path) -> None:
        self._parent = parent
        self._scratch = scratch

    def run(self, *argv: str, kill_after: float | None = None, kill_at: str = "") -> Ended:
        """Run `coop` with these arguments.

        Args:
            argv: the arguments.
            kill_after: the seconds after which it is killed, if it still lives then.
            kill_at: `package.module:Class.method#n`: it is killed when that has returned for the
                n-th time, before anything else happens.
        """
        out, err = self._scratch / "out", self._scratch / "err"
        order = {"argv": argv, "after": kill_after, "at": kill_at, "out": str(out), "err": str(err)}
        assert self._parent.stdin is not None
        assert self._parent.stdout is not None
        self._parent.stdin.write(json.dumps(order) + "\n")
        self._parent.stdin.flush()
        line = self._parent.stdout.readline()
        assert line, "the parent process ended"
        code, seconds = json.loads(line)
        return Ended(code, out.read_text("utf-8"), err.read_text("utf-8"), seconds)


@contextmanager
def warm_coop(home: Path, **environment: str) -> Iterator[WarmCoop]:
    """Start a parent for commands on `home`; it ends with the block."""
    command = [sys.executable, "-m", "tests.warm_coop"]
    variables = {**os.environ, "COOP_HOME": str(home), "PYTHONPATH": str(ROOT), **environment}
    variables |= {"LANGSMITH_TRACING": "false", "LANGGRAPH_STRICT_MSGPACK": "true"}
    pipe = subprocess.PIPE
    with (
        TemporaryDirectory() as scratch,
        subprocess.Popen(
            command, stdin=pipe, stdout=pipe, text=True, cwd=scratch, env=variables
        ) as parent,
    ):
        yield WarmCoop(parent, Path(scratch))


def main() -> None:
    """Fork a process for each order on standard input; print its exit code and seconds."""
    for module in WARM:
        import_module(module)
    pkgutil.resolve_name("openai:DefaultAioHttpClient")()  # imports what it needs when it is made
    assert threading.active_count() == 1, "only a process of one thread may fork"
    for line in sys.stdin:
        print(json.dumps(_fork(json.loads(line))), flush=True)


def _fork(order: dict[str, Any]) -> tuple[int, float]:
    started = time.monotonic()
    # The pipe's other end is the child's alone: it closes when the child ends, however that is.
    lives, held = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(lives)
        _become_coop(order)
    os.close(held)
    ended, _, _ = select.select([lives], [], [], order["after"])
    if not ended:
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    os.close(lives)
    return os.waitstatus_to_exitcode(status), time.monotonic() - started


def _become_coop(order: dict[str, Any]) -> None:
    from cli import main as coop

    code = 70
    try:
        for name, stream in (("out", 1), ("err", 2)):
            file = os.open(order[name], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            os.dup2(file, stream)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        if order["at"]:
            _kill_at(order["at"])
        sys.argv = ["coop", *order["argv"]]
        coop()
        code = 0
    except SystemExit as leaving:
        code = leaving.code if isinstance(leaving.code, int) else 0
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        # Not the parent's clean-up: this process was never meant to return from here.
        os._exit(code)


def _kill_at(place: str) -> None:
    """Have this process kill itself right after the n-th return of a method."""
    path, _, number = place.partition("#")
    owner, _, name = path.rpartition(".")
    kind = pkgutil.resolve_name(owner)
    method: Callable[..., Any] = getattr(kind, name)
    left = int(number)

    @wraps(method)
    def last_deed(*args: Any, **kwargs: Any) -> Any:
        nonlocal left
        done = method(*args, **kwargs)
        left -= 1
        if not left:
            os.kill(os.getpid(), signal.SIGKILL)
        return done

    setattr(kind, name, last_deed)


if __name__ == "__main__":
    main()
