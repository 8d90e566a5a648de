"""The control group of each command, by which the kernel limits all its processes together.

The sandbox's first process measures the memory of all processes together fifty times a second. Only
the kernel can limit memory that grows faster, and sockets' buffers. systemd-run makes the group.
A group is used only if a trial shows that the kernel enforces its limit.
"""

import os
import shutil
import subprocess
from functools import cache
from pathlib import Path

from shapley_coop.games.sandbox import Limits

_HEADROOM = 64 << 20
"""Bytes added to the command's memory limit, for the sandbox's first process and for buffers."""

_TRIAL = 96 << 20
_SHOW = 'cat "/sys/fs/cgroup$(cut -d: -f3 /proc/self/cgroup)/memory.max"'
_SECONDS = 10


def grouped(limits: Limits) -> list[str]:
    """Return the prefix of a command that puts it into a control group, or [] if none can be made.

    The sandbox keeps written files in memory, so the group's limit includes the disk limit.
    """
    manager = managed_by()
    if not manager:
        return []
    return _command(manager, limits.memory + limits.disk + _HEADROOM, limits.processes + 8)


def environment() -> dict[str, str]:
    """Return the variables that systemd-run needs; the sandbox does not pass them on."""
    names = ("XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS")
    return {name: os.environ[name] for name in names if name in os.environ} if managed_by() else {}


@cache
def managed_by() -> str:
    """Return the systemd manager that makes control groups, "user" or "system", or "" if none."""
    if not Path("/sys/fs/cgroup/cgroup.controllers").is_file() or not shutil.which("systemd-run"):
        return ""
    return next(filter(_works, ("system",) if os.geteuid() == 0 else ("user",)), "")


def _works(manager: str) -> bool:
    shown = [*_command(manager, _TRIAL, 16), "/bin/sh", "-c", _SHOW]
    try:
        seen = subprocess.run(shown, capture_output=True, timeout=_SECONDS, text=True, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return seen.returncode == 0 and seen.stdout.strip() == str(_TRIAL)


def _command(manager: str, memory: int, tasks: int) -> list[str]:
    bounds = {"MemoryMax": memory, "MemorySwapMax": 0, "TasksMax": tasks}
    return [
        *("systemd-run", f"--{manager}", "--scope", "--quiet", "--collect"),
        *(f"--property={name}={most}" for name, most in bounds.items()),
        "--",
    ]
