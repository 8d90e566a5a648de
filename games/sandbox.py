"""The interface to sandboxes that run untrusted programs, and the results of such programs.

An extension's sandbox runs the programs; this package judges their results. Without a sandbox,
programs are refused.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol, cast

from shapley_coop.extension import load, offered
from shapley_coop.games.params import GameError

PYTHON = "python"
"""The first word of a command that runs this process's interpreter, without its packages."""

Status = Literal["ended", "timeout", "flood", "memory", "files", "killed"]


@dataclass(frozen=True)
class Limits:
    """The limits on one command; sizes are in bytes."""

    seconds: int = 10  # limits the wall-clock time, and the CPU time of each process
    memory: int = 512 << 20  # limits each process's address space, and the memory used by all
    processes: int = 32
    open_files: int = 256
    file: int = 16 << 20  # the largest file that can be written
    disk: int = 64 << 20  # all written files in the workspace, /tmp and /dev/shm together
    files: int = 10_000  # the most files that can be written
    output: int = 64 << 10  # the most output on stdout, and also on stderr


@dataclass(frozen=True)
class CheckResult:
    """The result of a command that was run.

    Attributes:
        status: "ended" if the command ended by itself. Otherwise the reason why it was ended:
            "timeout", a "flood" of output, the "memory" or number of "files" of all its processes
            together, or "killed" by the system for lack of memory.
        code: the exit code, 128 + n after signal n; None if the command was ended from outside.
        stdout: the output, up to the limit.
        stderr: the error output, up to the limit.
        sandboxed: whether the command ran in a sandbox.
    """

    status: Status
    code: int | None
    stdout: str
    stderr: str
    sandboxed: bool

    @property
    def passed(self) -> bool:
        """Whether the command ended by itself with exit code 0."""
        return self.status == "ended" and self.code == 0


class SandboxMissing(GameError):
    """The error raised if no sandbox can run untrusted code; it names what to install."""


class Sandbox(Protocol):
    """The functions of a sandbox for untrusted programs; a module can serve as a sandbox."""

    def require_sandbox(self) -> None:
        """Raise `SandboxMissing` if the sandbox does not work on this machine."""

    def bounds(self) -> str:
        """Return in a few words the limits that hold on this machine."""

    def run_checks(
        self, folder: str | Path, command: Sequence[str], limits: Limits | None, *, unsafe: bool
    ) -> CheckResult:
        """Run a command as the function `run_checks` below describes."""


def sandbox() -> Sandbox:
    """Return the sandbox of the first extension that provides a sandbox.

    Raises:
        SandboxMissing: no installed extension provides a sandbox.
    """
    for name in offered("sandboxes"):
        return cast(Sandbox, load("sandboxes", name))
    raise SandboxMissing("there is no sandbox, so nothing is run: install the extension sandbox")


def require_sandbox() -> None:
    """Check that there is a working sandbox.

    Raises:
        SandboxMissing: there is none; one line says what to install or allow.
    """
    sandbox().require_sandbox()


def run_checks(
    folder: str | Path,
    command: Sequence[str],
    limits: Limits | None = None,
    *,
    unsafe: bool = False,
) -> CheckResult:
    """Run a command on a copy of a folder; the folder itself stays unchanged.

    Args:
        folder: the workspace. The folder's .git is not copied.
        command: the program (`PYTHON` or one of the system) and its arguments; no shell is used.
        limits: the limits of the command.
        unsafe: whether to run the command without a sandbox.

    Raises:
        SandboxMissing: there is no sandbox, and `unsafe` is false.
        GameError: the folder or the program is not found, or the folder is too large.
    """
    return sandbox().run_checks(folder, command, limits, unsafe=unsafe)
