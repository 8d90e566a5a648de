"""What runs a program that is not trusted, and what came of it.

The core judges what a program did and runs none itself: an extension's sandbox does. A program is
refused where there is no sandbox.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol, cast

from shapley_coop.extension import load, offered
from shapley_coop.games.params import GameError

PYTHON = "python"
"""As a command's first word: the interpreter of this process, without its packages."""

Status = Literal["ended", "timeout", "flood", "memory", "files", "killed"]


@dataclass(frozen=True)
class Limits:
    """What a command may use; sizes in bytes."""

    seconds: int = 10  # of the clock, and of CPU for each process
    memory: int = 512 << 20  # of address space for each process; in use, for all together
    processes: int = 32
    open_files: int = 256
    file: int = 16 << 20  # the largest file that can be written
    disk: int = 64 << 20  # all that is written: workspace, /tmp and /dev/shm together
    files: int = 10_000  # how many of them
    output: int = 64 << 10  # of stdout and of stderr, each


@dataclass(frozen=True)
class CheckResult:
    """What came of a command.

    Attributes:
        status: "ended" by itself, or was ended: for "timeout", a "flood" of output, or for the
            "memory" or number of "files" of all its processes together; "killed": the system
            ended it, for want of memory.
        code: the exit code, 128 + n after signal n; None if it was ended.
        stdout: what it printed, no more than the limit.
        stderr: what it complained, likewise.
        sandboxed: whether it ran in a sandbox.
    """

    status: Status
    code: int | None
    stdout: str
    stderr: str
    sandboxed: bool

    @property
    def passed(self) -> bool:
        """Whether it ended by itself, with exit code 0."""
        return self.status == "ended" and self.code == 0


class SandboxMissing(GameError):
    """Foreign code would have to run without a sandbox; one line names what to install."""


class Sandbox(Protocol):
    """Runs programs that are not trusted; a module with these functions is one."""

    def require_sandbox(self) -> None:
        """Raise `SandboxMissing` where it does not work on this machine."""

    def bounds(self) -> str:
        """Say in a few words which bounds hold on this machine."""

    def run_checks(
        self, folder: str | Path, command: Sequence[str], limits: Limits | None, *, unsafe: bool
    ) -> CheckResult:
        """Run a command, as the function `run_checks` says."""


def sandbox() -> Sandbox:
    """Return the sandbox of the first extension that brings one.

    Raises:
        SandboxMissing: none does.
    """
    for name in offered("sandboxes"):
        return cast(Sandbox, load("sandboxes", name))
    raise SandboxMissing("no sandbox: the extension sandbox is not installed, and nothing is run")


def require_sandbox() -> None:
    """Refuse where there is no working sandbox.

    Raises:
        SandboxMissing: says what to install, or what the kernel forbids.
    """
    sandbox().require_sandbox()


def run_checks(
    folder: str | Path,
    command: Sequence[str],
    limits: Limits | None = None,
    *,
    unsafe: bool = False,
) -> CheckResult:
    """Run a command on a copy of a folder; the folder itself stays as it is.

    Args:
        folder: the workspace. Its .git is left out.
        command: program and arguments, no shell; `PYTHON` or a program of the system.
        limits: what it may use.
        unsafe: run it without a sandbox.

    Raises:
        SandboxMissing: there is no sandbox, and the caller did not ask to go without.
        GameError: the folder or the program cannot be found, or is too large.
    """
    return sandbox().run_checks(folder, command, limits, unsafe=unsafe)
