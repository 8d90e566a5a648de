"""The first process in the sandbox: fills the workspace, gives up its rights, runs the command.

It is run as a script, with one argument: a JSON object of what to do. It needs nothing but the
standard library, as nothing else is in there.
"""

import json
import os
import resource
import sys
from typing import Any

REFUSED = 125
"""The exit code of a workspace that could not be set up, as `docker run` and others have it."""


def main(order: dict[str, Any]) -> None:
    """Carry out the order; returns only by becoming the command.

    Args:
        order: source and target folder; the user to become, or None; limits; the command.
    """
    limits, user = order["limits"], order["user"]
    try:
        _fill(order["source"], order["target"], user)
        os.chdir(order["target"])
        _yield_first()
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
        os.execv(order["command"][0], order["command"])  # noqa: S606 - a list, no shell
    except OSError as error:
        sys.stderr.write(f"sandbox: {error}\n")
        sys.exit(REFUSED)


def _fill(source: str, target: str, user: int | None) -> None:
    """Copy the files; links stay links, and lead nowhere but within the sandbox.

    Raises:
        OSError: there is no room for them, or there is something that is neither file nor link.
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
            raise OSError(f"{entry.name} is neither a file, a folder nor a link")
        if user is not None:
            os.chown(made, user, user, follow_symlinks=False)


def _yield_first() -> None:
    """Let the kernel end this before anything else if memory runs out."""
    if os.path.exists("/proc/self/oom_score_adj"):
        with open("/proc/self/oom_score_adj", "w", encoding="ascii") as file:
            file.write("1000")


def _running(user: int) -> int:
    """How many threads the user has already: the limit counts those as well."""
    count = 0
    for process in filter(str.isdigit, os.listdir("/proc") if os.path.isdir("/proc") else ()):
        try:
            if os.stat(f"/proc/{process}").st_uid == user:
                count += len(os.listdir(f"/proc/{process}/task"))
        except FileNotFoundError:
            continue  # it has ended meanwhile
    return count


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
