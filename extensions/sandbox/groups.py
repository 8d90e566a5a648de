"""A control group for each command, where systemd makes one: the kernel's own bounds on all of it.

The sandbox's first process looks fifty times a second at what everything in it uses together. Only
the kernel can bound what is faster than that, and the buffers of sockets and pipes. systemd-run
makes the group, for the user or the system; it is used if a trial shows the bound in the kernel.
"""

import os
import shutil
import subprocess
from functools import cache
from pathlib import Path

from shapley_coop.games.sandbox import Limits

_HEADROOM = 64 << 20
"""Bytes beside the command's own, for the sandbox's first process and for buffers."""

_TRIAL = 96 << 20
_SHOW = 'cat "/sys/fs/cgroup$(cut -d: -f3 /proc/self/cgroup)/memory.max"'
_SECONDS = 10


def grouped(limits: Limits) -> list[str]:
    """What goes before a command, so that the kernel bounds it; empty where no group can be made.

    Written files are in memory, so that their bound is added.
    """
    manager = managed_by()
    if not manager:
        return []
    return _command(manager, limits.memory + limits.disk + _HEADROOM, limits.processes + 8)


def environment() -> dict[str, str]:
    """Return what systemd-run needs in order to find its manager; the sandbox passes nothing on."""
    names = ("XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS")
    return {name: os.environ[name] for name in names if name in os.environ} if managed_by() else {}


@cache
def managed_by() -> str:
    """Who makes control groups here: "user" or "system"; empty if nobody does. Tried out once."""
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
