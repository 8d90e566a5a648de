"""The first process in the sandbox, which fills the workspace, then starts and watches the command.

This script has two arguments: the order as a JSON object, and the number of a file descriptor for
the report. The command does not inherit that descriptor and cannot access this process. So the
command cannot forge the report. The script uses only the standard library, because the sandbox
has no other packages.
"""

import json
import os
import resource
import signal
import sys
from typing import Any

_TICK = 0.02
"""Seconds between two measurements of the joint use of all the command's processes."""

_NOT_DUMPABLE = (4, 0)
"""The arguments of prctl that protect this process's memory from the user's other processes."""


def main(order: dict[str, Any], report: int) -> None:
    """Carry out the order. When this function returns, all processes in the sandbox end.

    Args:
        order: the source and target folders, the command's user or None, the limits, the command,
            and `sealed`: whether this is the first process of a sandbox.
        report: the descriptor for the report. Its lines are {"started": true}, then {"ended":
            exit code} or {"over": limit}. {"refused": reason} means that the command did not start.
    """
    os.set_inheritable(report, False)
    try:
        _fill(order["source"], order["target"], order["user"])
        os.chdir(order["target"])
        _yield_first()
        if order["sealed"]:
            _close_to_others()
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})
        # From here on the command may end this process, so report the start first.
        _say(report, started=True)
        command = os.fork()
        if not command:
            _become(order, report)
    except OSError as error:
        _say(report, refused=str(error))
        sys.exit(1)
    _say(report, **_watch(command, order))


def _become(order: dict[str, Any], report: int) -> None:
    """Give up all privileges, and replace this process by the command; this does not return."""
    user, limits = order["user"], order["limits"]
    try:
        if user is not None:
            os.setgroups([])
            os.setgid(user)
            os.setuid(user)
        for name, most in {
            "RLIMIT_CORE": 0,
            "RLIMIT_CPU": limits["seconds"],
            "RLIMIT_AS": limits["memory"],
            "RLIMIT_FSIZE": limits["file"],
            "RLIMIT_NOFILE": limits["open_files"],
            "RLIMIT_NPROC": limits["processes"] + _running(os.getuid()),
        }.items():
            resource.setrlimit(getattr(resource, name), (most, most))
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGCHLD})
        os.execv(order["command"][0], order["command"])  # noqa: S606 - a list, no shell
    except OSError as error:
        _say(report, refused=str(error))
    os._exit(1)


def _watch(command: int, order: dict[str, Any]) -> dict[str, Any]:
    """Return the report on the command: its exit code, or the limit that it exceeded."""
    while True:
        # The first process of a sandbox must reap orphans too.
        while (ended := os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG)) is not None:
            if ended.si_pid == command:
                code = ended.si_status
                return {"ended": code if ended.si_code == os.CLD_EXITED else 128 + code}
        if order["sealed"] and (over := _over(order["limits"], order["folders"])):
            return {"over": over}
        signal.sigtimedwait({signal.SIGCHLD}, _TICK)


def _over(limits: dict[str, int], folders: list[str]) -> str:
    """Return the limit that all processes in the sandbox exceed together, or ""."""
    if sum(map(_memory, _processes())) > limits["memory"]:
        return "memory"
    stats = map(os.statvfs, folders)
    return "files" if sum(s.f_files - s.f_ffree for s in stats) > limits["files"] else ""


def _memory(process: str) -> int:
    """Return the bytes of a process's anonymous, shared and swapped memory, without file pages."""
    try:
        with open(f"/proc/{process}/status", encoding="utf-8", errors="replace") as status:
            fields = dict(line.split(":", 1) for line in status if line.startswith(_COUNTED))
    except (FileNotFoundError, ProcessLookupError):
        return 0  # the process has ended meanwhile
    return sum(int(field.split()[0]) << 10 for field in fields.values())


_COUNTED = ("RssAnon:", "RssShmem:", "VmSwap:")


def _processes() -> list[str]:
    """Return the ids of all visible processes except this one."""
    return [name for name in os.listdir("/proc") if name.isdigit() and name != str(os.getpid())]


def _close_to_others() -> None:
    """Close this process's memory and descriptors to other processes of the same user.

    Raises:
        OSError: prctl is missing or fails.
    """
    try:
        import ctypes

        prctl = ctypes.CDLL(None, use_errno=True).prctl
    except (ImportError, AttributeError) as error:
        raise OSError(f"the interpreter cannot call prctl: {error}") from None
    if prctl(*_NOT_DUMPABLE, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "prctl failed")


def _say(report: int, **said: Any) -> None:
    os.write(report, json.dumps(said).encode() + b"\n")


def _fill(source: str, target: str, user: int | None) -> None:
    """Copy a folder without `.git`. Links stay links, so they cannot lead out of the sandbox.

    Raises:
        OSError: the target is full, or an entry is neither a file nor a folder nor a link.
    """
    for entry in os.scandir(source):
        if entry.name == ".git":
            continue
        made = os.path.join(target, entry.name)
        if entry.is_symlink():
            os.symlink(os.readlink(entry.path), made)
        elif entry.is_dir():
            os.mkdir(made)
            _fill(entry.path, made, user)
        elif entry.is_file():
            with open(entry.path, "rb") as there, open(made, "wb") as here:
                while chunk := there.read(1 << 20):
                    here.write(chunk)
            os.chmod(made, 0o755 if os.access(entry.path, os.X_OK) else 0o644)
        else:
            raise OSError(f"{entry.name} is not a file, a folder or a link")
        if user is not None:
            os.chown(made, user, user, follow_symlinks=False)


def _yield_first() -> None:
    """Make the kernel kill this process before all others if memory runs out."""
    if os.path.exists("/proc/self/oom_score_adj"):
        with open("/proc/self/oom_score_adj", "w", encoding="ascii") as file:
            file.write("1000")


def _running(user: int) -> int:
    """Return the number of the user's running threads, which RLIMIT_NPROC counts too."""
    count = 0
    for process in filter(str.isdigit, os.listdir("/proc") if os.path.isdir("/proc") else ()):
        try:
            if os.stat(f"/proc/{process}").st_uid == user:
                count += len(os.listdir(f"/proc/{process}/task"))
        except FileNotFoundError:
            continue  # the process has ended meanwhile
    return count


if __name__ == "__main__":
    main(json.loads(sys.argv[1]), int(sys.argv[2]))
