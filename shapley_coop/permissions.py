"""The permissions of a process, which no file can grant.

Suites, parameters, tasks, scenarios and sweep folders are data that people send to one another. If
such data asks to run foreign programs, the request is refused, unless the command line, or the
program that imports this package, gave the permission first:

>>> from shapley_coop.permissions import PROGRAMS, permit, permitted
>>> permitted(PROGRAMS)
False
>>> permit(PROGRAMS)                                                    # doctest: +SKIP
"""

from typing import Literal

Permission = Literal["no sandbox", "programs"]

NO_SANDBOX: Permission = "no sandbox"
"""The permission to run agents' programs without a sandbox: `--unsafe-no-sandbox`."""

PROGRAMS: Permission = "programs"
"""The permission to run the Python code that suites and sweeps name: `--trust-programs`."""

_permitted: set[Permission] = set()
_programs: set[str] = set()


def permit(what: Permission) -> None:
    """Grant a permission until this process ends. No file or request may cause this call."""
    _permitted.add(what)


def permitted(what: Permission) -> bool:
    """Return whether a permission was granted in this process."""
    return what in _permitted


def permit_program(name: str) -> None:
    """Permit a program by name, such as `python:bots:careful`. No file may cause this call."""
    _programs.add(name)


def program_permitted(name: str) -> bool:
    """Return whether this program is permitted, either by name or together with all programs."""
    return name in _programs or permitted(PROGRAMS)
