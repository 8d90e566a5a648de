"""What a process may do that no file can permit it.

Suites, parameters, tasks, scenarios and the folders of sweeps are data, which people send one
another. What they ask for that would run programs of theirs is refused, unless the command line, or
the program that imports this package, permitted it first:

>>> from shapley_coop.permissions import PROGRAMS, permit, permitted
>>> permitted(PROGRAMS)
False
>>> permit(PROGRAMS)                                                    # doctest: +SKIP
"""

from typing import Literal

Permission = Literal["no sandbox", "programs"]

NO_SANDBOX: Permission = "no sandbox"
"""Run what agents wrote as processes of this machine: `--unsafe-no-sandbox`."""

PROGRAMS: Permission = "programs"
"""Run the Python files and imports that a suite or a sweep's folder names: `--trust-programs`."""

_permitted: set[Permission] = set()
_programs: set[str] = set()


def permit(what: Permission) -> None:
    """Permit it for the rest of this process; never on the word of a file or of a request."""
    _permitted.add(what)


def permitted(what: Permission) -> bool:
    """Return whether it was permitted."""
    return what in _permitted


def permit_program(name: str) -> None:
    """Permit one program by its name, as in `python:bots:careful`; never on the word of a file."""
    _programs.add(name)


def program_permitted(name: str) -> bool:
    """Return whether this program was permitted, alone or with all others."""
    return name in _programs or permitted(PROGRAMS)
