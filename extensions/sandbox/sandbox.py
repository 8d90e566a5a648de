"""Running a program that is not trusted.

With bubblewrap the program gets: a copy of the workspace in memory, of bounded size, and nothing
else that it could write to but a bounded /tmp; the system read-only, without any user's home; no
network; process numbers of its own, so that it sees no other process and ends with its first; an
environment that was never ours; no system calls but the usual ones (`syscalls`); limits on
processes, CPU and open files, and on the memory and the files of all its processes together; and a
clock that it cannot stop. What became of it is reported by the sandbox's first process, which it
cannot reach. Where a control group can be made (`groups`), the kernel bounds memory and processes,
too; elsewhere sockets' and pipes' buffers are bounded by the number of open files alone. Where
bubblewrap is missing, or the kernel forbids it, foreign code is not run, unless the caller says so:
then each process's own limits, clean environment, and clock still hold, and nothing else does.
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
"""How many sixteenths of what may be written each folder holds."""

_NO_SANDBOX = "--unsafe-no-sandbox runs it all the same, at your own risk"


def run_checks(
    folder: str | Path,
    command: Sequence[str],
    limits: Limits | None = None,
    *,
    unsafe: bool = False,
) -> CheckResult:
    """Run a command, as `games.sandbox.run_checks` says; about 60 ms beside its own time."""
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
    """As `games.sandbox.require_sandbox`; it is tried out once."""
    if not sys.platform.startswith("linux"):
        raise SandboxMissing(f"no sandbox on {sys.platform}: use Linux; {_NO_SANDBOX}")
    if shutil.which("bwrap") is None:
        raise SandboxMissing(f"no sandbox: install the package bubblewrap; {_NO_SANDBOX}")
    if not machine_known():
        raise SandboxMissing(
            f"no sandbox on {platform.machine()}: its system calls are not known; {_NO_SANDBOX}"
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
    """As `games.sandbox.Sandbox`."""
    watched = "memory and files of all processes are watched 50 times a second"
    if manager := managed_by():
        return f"{watched}, and bounded by a control group of the {manager}'s systemd"
    return f"{watched}; no control group can be made here"


def _run_unboxed(source: Path, limits: Limits, command: Sequence[str]) -> CheckResult:
    with TemporaryDirectory(prefix="workspace-") as target:
        order = _order(source, target, None, limits, command, sealed=False)
        seen = watch([*_python(), str(_INSIDE), order], _clean(target), limits, sealed=False)
    # Alike on every machine: as if it had run where the sandbox runs it.
    stdout, stderr = (s.replace(target, "/workspace") for s in (seen.stdout, seen.stderr))
    return replace(seen, stdout=stdout, stderr=stderr)


def _run_boxed(source: Path, limits: Limits, command: Sequence[str]) -> CheckResult:
    with filter_file() as calls:
        boxed = [*grouped(limits), *_boxed(source, limits, command, calls)]
        return watch(boxed, environment(), limits, sealed=True, inherit=(calls,))


def _boxed(source: Path, limits: Limits, command: Sequence[str], calls: int) -> list[str]:
    """The argument list that runs a command in bubblewrap, with the filter read from `calls`."""
    root = os.geteuid() == 0
    # Root's processes are bound by no limit on their number, so it becomes a user of its own.
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
        # Shared mappings of /dev/zero are memory that no limit counts.
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
    """Return the folders that can be written, in memory; together of `disk` bytes."""
    return [
        part
        for folder, sixteenths in _PARTS.items()
        for part in ("--perms", "1777", "--size", str(disk * sixteenths // 16), "--tmpfs", folder)
    ]


def _system() -> list[str]:
    """Return the parts of the system that programs need, and no user's home among them."""
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
    """Where this interpreter is, if that is not the system; open to a user without rights."""
    base = Path(sys.base_prefix).resolve()
    if base.is_relative_to("/usr"):
        return []
    above = [str(folder) for folder in reversed(base.parents) if folder != Path("/")]
    opened = [part for folder in above for part in ("--perms", "0755", "--dir", folder)]
    return [*opened, "--ro-bind", str(base), str(base)]


def _python() -> list[str]:
    """This interpreter without its packages, environment, or the current folder's modules."""
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
    """Return what `inside` is told."""
    first, *rest = command
    program = _python()[0] if first == PYTHON else shutil.which(first, path=_clean("")["PATH"])
    if program is None:
        raise GameError(f"{first!r}: no such program of the system; give {PYTHON!r} or another")
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
