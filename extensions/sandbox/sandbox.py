"""The sandbox that runs untrusted programs with bubblewrap.

The program can write only to a copy of the workspace and to /tmp, both in memory and of bounded
size. The system is read-only and without users' homes. There is no network. In its PID namespace
the program sees no outside process, and all its processes end with the first. Its environment is
clean, and unusual system calls are forbidden (`syscalls`). There are limits on the time, on CPU and
open files of each process, and on number, memory and files of all processes together. The
sandbox's first process, which the program cannot access, reports the program's end. With a control
group (`groups`) the kernel, too, limits memory and processes. Without a control group, only the
limit on open files bounds the buffers of sockets and pipes. Without a working bubblewrap, foreign
code runs only if the caller permits it, with limits per process, a clean environment and a timeout.
"""

import json
import os
import platform
import secrets
import shutil
import sys
from collections.abc import Sequence
from dataclasses import asdict, replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from shapley_coop.extensions.sandbox.groups import environment, grouped, managed_by
from shapley_coop.extensions.sandbox.syscalls import filter_file, machine_known
from shapley_coop.extensions.sandbox.watch import NotStarted, watch
from shapley_coop.games.params import GameError
from shapley_coop.games.sandbox import PYTHON, CheckResult, Limits, SandboxMissing

_INSIDE = Path(__file__).with_name("inside.py")
_PARTS = {"/workspace": 12, "/tmp": 3, "/dev/shm": 1}  # noqa: S108 - within the sandbox
"""Writable folder → its part of the disk limit, in sixteenths."""

_NO_SANDBOX = "--unsafe-no-sandbox runs it all the same, at your own risk"


def run_checks(
    folder: str | Path,
    command: Sequence[str],
    limits: Limits | None = None,
    *,
    unsafe: bool = False,
) -> CheckResult:
    """Implement `games.sandbox.run_checks`; the sandbox adds about 60 ms to a command."""
    limits, source = limits or Limits(), Path(folder).resolve()
    if not source.is_dir():
        raise GameError(f"{folder}: no such folder; give a workspace")
    try:
        if unsafe:
            return _run_unboxed(source, limits, command)
        require_sandbox()
        return _run_boxed(source, limits, command)
    except NotStarted as error:
        raise GameError(f"{folder}: could not be run: {error}") from None


@cache
def require_sandbox() -> None:
    """Implement `games.sandbox.require_sandbox`; the trial of the sandbox runs only once."""
    if not sys.platform.startswith("linux"):
        raise SandboxMissing(f"no sandbox on {sys.platform}: use Linux; {_NO_SANDBOX}")
    if shutil.which("bwrap") is None:
        raise SandboxMissing(f"no sandbox: install the package bubblewrap; {_NO_SANDBOX}")
    if not machine_known():
        raise SandboxMissing(
            f"no sandbox on {platform.machine()}, whose system calls are unknown; {_NO_SANDBOX}"
        )
    try:
        with TemporaryDirectory() as empty:
            seen = _run_boxed(Path(empty), Limits(), [PYTHON, "-c", ""])
        reason = "" if seen.passed else " ".join(seen.stderr.split()) or seen.status
    except NotStarted as error:
        reason = str(error)
    if reason:
        raise SandboxMissing(f"bubblewrap does not work here ({reason[:200]}); {_NO_SANDBOX}")


def bounds() -> str:
    """Return the description of the limits that `games.sandbox.Sandbox` asks for."""
    watched = "memory and files of all processes are watched 50 times a second"
    if manager := managed_by():
        return f"{watched}, and bounded by a control group of the {manager}'s systemd"
    return f"{watched}; no control group can be made here"


def _run_unboxed(source: Path, limits: Limits, command: Sequence[str]) -> CheckResult:
    with TemporaryDirectory(prefix="workspace-") as target:
        order = _order(source, target, None, limits, command, sealed=False)
        seen = watch([*_python(), str(_INSIDE), order], _clean(target), limits, sealed=False)
    # Replace the folder's name, so that the output is the same as from the sandbox.
    stdout, stderr = (s.replace(target, "/workspace") for s in (seen.stdout, seen.stderr))
    return replace(seen, stdout=stdout, stderr=stderr)


def _run_boxed(source: Path, limits: Limits, command: Sequence[str]) -> CheckResult:
    with filter_file() as calls:
        boxed = [*grouped(limits), *_boxed(source, limits, command, calls)]
        return watch(boxed, environment(), limits, sealed=True, inherit=(calls,))


def _boxed(source: Path, limits: Limits, command: Sequence[str], calls: int) -> list[str]:
    """Return bubblewrap's arguments for a command; `calls` is the descriptor of the filter."""
    root = os.geteuid() == 0
    # RLIMIT_NPROC does not bind root, so the command runs as an unused user.
    user = 1_000_000_000 + secrets.randbelow(1_000_000_000) if root else None
    rights = ["CAP_CHOWN", "CAP_DAC_OVERRIDE", "CAP_SETGID", "CAP_SETUID"] if root else []
    clean = _clean("/workspace")
    return [
        str(shutil.which("bwrap")),
        *("--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts"),
        *("--unshare-cgroup-try", "--hostname", "sandbox", "--die-with-parent", "--new-session"),
        *("--as-pid-1", "--seccomp", str(calls)),
        *([] if root else ["--unshare-user", "--uid", "1000", "--gid", "1000"]),
        *("--cap-drop", "ALL"),
        *(part for right in rights for part in ("--cap-add", right)),
        "--clearenv",
        *(part for item in clean.items() for part in ("--setenv", *item)),
        *_system(),
        *("--proc", "/proc", "--dev", "/dev"),
        # No limit counts shared mappings of /dev/zero, so /dev/null replaces /dev/zero.
        *("--dev-bind", "/dev/null", "/dev/zero"),
        *_writable(limits.disk),
        *_interpreter(),
        *("--ro-bind", str(source), "/source", "--ro-bind", str(_INSIDE), "/inside.py"),
        *("--remount-ro", "/dev", "--remount-ro", "/", "--chdir", "/"),
        "--",
        *_python(),
        "/inside.py",
        _order(Path("/source"), "/workspace", user, limits, command, sealed=True),
    ]


def _writable(disk: int) -> list[str]:
    """Return bubblewrap's arguments for writable folders in memory, of `disk` bytes in all."""
    return [
        part
        for folder, sixteenths in _PARTS.items()
        for part in ("--perms", "1777", "--size", str(disk * sixteenths // 16), "--tmpfs", folder)
    ]


def _system() -> list[str]:
    """Return bubblewrap's arguments for the system's read-only parts, without users' homes."""
    parts = ["--ro-bind", "/usr", "/usr"]
    for name in ("/bin", "/sbin", "/lib", "/lib32", "/lib64"):
        if os.path.islink(name):
            parts += ["--symlink", os.readlink(name), name]
        elif os.path.isdir(name):
            parts += ["--ro-bind", name, name]
    for name in ("/etc/ld.so.cache", "/etc/alternatives"):
        parts += ["--ro-bind-try", name, name]
    return parts


def _interpreter() -> list[str]:
    """Return the arguments that bind this interpreter's folder if it is outside /usr."""
    base = Path(sys.base_prefix).resolve()
    if base.is_relative_to("/usr"):
        return []
    above = [str(folder) for folder in reversed(base.parents) if folder != Path("/")]
    opened = [part for folder in above for part in ("--perms", "0755", "--dir", folder)]
    return [*opened, "--ro-bind", str(base), str(base)]


def _python() -> list[str]:
    """Return this interpreter's command; it ignores packages, environment and local modules."""
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    return [str((Path(sys.base_prefix) / "bin" / version).resolve()), "-I", "-S"]


def _clean(home: str) -> dict[str, str]:
    return {
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "HOME": home,
        "LANG": "C.UTF-8",
        "PYTHONHASHSEED": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
    }


def _order(
    source: Path,
    target: str,
    user: int | None,
    limits: Limits,
    command: Sequence[str],
    *,
    sealed: bool,
) -> str:
    """Return the order for the first process (`inside`) as JSON."""
    first, *rest = command
    program = _python()[0] if first == PYTHON else shutil.which(first, path=_clean("")["PATH"])
    if program is None:
        raise GameError(f"{first!r}: is not a program of the system: give {PYTHON!r} or another")
    return json.dumps(
        {
            "source": str(source),
            "target": target,
            "user": user,
            "limits": asdict(limits),
            "command": [program, *rest],
            "sealed": sealed,
            "folders": list(_PARTS),
        }
    )
