"""`coop` in separate processes that start at once, forked from a parent that imported everything.

    coop = warm_coop(Home(folder))
    ended = coop.run("run", "escape_room", "--name", "a", stop=Stop(after=0.05))
    assert ended.killed

Every call is a real process with its own files and connections, any number of them at once; a kill
is a real SIGKILL. `tests.warm_parent` is the process that forks them.
"""

import atexit
import json
import os
import signal
import subprocess
import sys
import threading
from concurrent.futures import Future
from dataclasses import asdict, dataclass, field
from functools import cache
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from shapley_coop.state.storage.chain import SEAL
from shapley_coop.state.storage.episodes import FOLLOWS
from shapley_coop.state.storage.home import Home
from shapley_coop.state.storage.journal import ANSWER
from shapley_coop.state.storage.ledger import POSTING
from shapley_coop.state.storage.owned import EPISODE
from shapley_coop.state.storage.register import RUN, STANDS
from tests.root import ROOT

COOP = "shapley_coop.cli:main"
KEYS = {"OPENAI_API_KEY": "sk-canary"}
SAVERS = tuple(
    f"shapley_coop.state.storage.checkpoints.home_saver:HomeSaver.{keep}"
    for keep in ("aput", "aput_writes")
)
"""What keeps checkpoints, and what tasks wrote: it has committed them once it returns."""
FACTS = (RUN, STANDS, ANSWER, EPISODE, FOLLOWS, POSTING, SEAL)
"""Kinds of facts that a run writes; who has its lease is none, as each life takes it anew."""

WRITES = (*FACTS, *SAVERS)
"""Everything that a run writes down for good."""


@dataclass(frozen=True)
class Stop:
    """When a process is stopped, and how.

    Attributes:
        after: the seconds after which it is, if it still lives then.
        write: the number, within its life, of the write at which it is; 0 for none. What was
            there already is no write.
        before: before that write is committed, or begins, instead of right after it.
        at: what counts as a write: a transaction with a new fact of these kinds, or a call of a
            `package.module:Class.method`.
        by: the signal.
    """

    after: float | None = None
    write: int = 0
    before: bool = False
    at: tuple[str, ...] = WRITES
    by: signal.Signals = signal.SIGKILL


NEVER = Stop()


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
    def killed(self) -> bool:
        """Whether it was killed."""
        return self.code == -signal.SIGKILL

    @property
    def result(self) -> Any:
        """Standard output as JSON."""
        assert self.code == 0, f"exit code {self.code}: {self.err}"
        return json.loads(self.out)


class WarmCoop:
    """A parent that forks a process per command."""

    def __init__(self, parent: "subprocess.Popen[str]", scratch: Path) -> None:
        self._parent = parent
        self._scratch = scratch
        self._numbers = count()
        self._ordering = threading.Lock()
        self._going: dict[int, Future[Ended]] = {}

    def start(
        self,
        argv: tuple[str, ...],
        home: Home,
        folder: Path,
        stop: Stop,
        program: str,
        variables: dict[str, str],
    ) -> Future[Ended]:
        """Start one command; see `Coop.start`."""
        number, going = next(self._numbers), Future[Ended]()
        order = {
            "number": number,
            "argv": argv,
            "program": program,
            "folder": str(folder),
            "environment": {
                "COOP_HOME": str(home.folder),
                "COOP_DATABASE_URL": home.database,
                **variables,
            },
            "stop": asdict(stop),
            "streams": [str(stream) for stream in self._streams(number)],
        }
        for stream in self._streams(number):
            stream.touch()
        self._going[number] = going
        with self._ordering:
            assert self._parent.stdin is not None
            self._parent.stdin.write(json.dumps(order) + "\n")
            self._parent.stdin.flush()
        return going

    def listen(self) -> None:
        """Hear of processes that end, until the parent does."""
        assert self._parent.stdout is not None
        for line in self._parent.stdout:
            number, code, seconds = json.loads(line)
            streams = self._streams(number)
            out, err = (stream.read_text("utf-8", "replace") for stream in streams)
            for stream in streams:
                stream.unlink()
            self._going.pop(number).set_result(Ended(code, out, err, seconds))
        for going in self._going.values():
            going.set_exception(RuntimeError("the parent process ended"))

    def _streams(self, number: int) -> list[Path]:
        return [self._scratch / f"{number}.{name}" for name in ("out", "err")]


@dataclass(frozen=True)
class Coop:
    """`coop` on one home, in one folder.

    Attributes:
        warm: the parent of its processes.
        home: where runs are kept.
        folder: where commands are run.
        variables: further variables of their environment.
    """

    warm: WarmCoop
    home: Home
    folder: Path
    variables: dict[str, str] = field(default_factory=dict)

    def start(self, *argv: str, stop: Stop = NEVER, program: str = COOP) -> Future[Ended]:
        """Start `coop` with these arguments.

        Args:
            argv: the arguments.
            stop: when it is stopped.
            program: `module:function`, to run that instead.
        """
        return self.warm.start(argv, self.home, self.folder, stop, program, self.variables)

    def run(self, *argv: str, stop: Stop = NEVER, program: str = COOP) -> Ended:
        """Run it to its end; see `start`."""
        return self.start(*argv, stop=stop, program=program).result()


AS_USERS_HAVE_IT = {"COOP_SEND_FACTS": "", "COOP_DEBUG": "", "OPENAI_API_KEY": ""}
"""What tests set for their own purposes, and users do not."""


def warm_coop(home: Home, folder: Path = ROOT) -> Coop:
    """`coop` on a home and in a folder, with a key that opens nothing."""
    return Coop(_warm(), home, folder)


def users_coop(home: Home, folder: Path) -> Coop:
    """`coop` as somebody has it who has set nothing: no key, no help for stub endpoints."""
    return Coop(_warm(), home, folder, AS_USERS_HAVE_IT)


@cache
def _warm() -> WarmCoop:
    """Start the parent; it ends with this process, and everything that it has forked with it."""
    scratch = TemporaryDirectory()
    variables = {**os.environ, **KEYS, "PYTHONPATH": str(ROOT), "COOP_DEBUG": "1"}
    variables |= {"LANGSMITH_TRACING": "false", "LANGGRAPH_STRICT_MSGPACK": "true"}
    parent = subprocess.Popen(
        [sys.executable, "-m", "tests.warm_parent"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=scratch.name,
        env=variables,
    )

    def end() -> None:
        with scratch, parent:
            assert parent.stdin is not None
            parent.stdin.close()

    atexit.register(end)
    warm = WarmCoop(parent, Path(scratch.name))
    threading.Thread(target=warm.listen, daemon=True).start()
    return warm
