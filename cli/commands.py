"""The commands of `coop`, grouped by purpose, with the module and name of each function.

Only the called command is imported, because importing all commands would take longer than most
commands run. `coop --help` imports all commands. The core's commands come first.
"""

from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from typing import Annotated

import typer

from shapley_coop import extension
from shapley_coop.cli.console import say
from shapley_coop.cli.helping import Command, Commands
from shapley_coop.cli.options import TrustPrograms

PLAY, CREDIT = "Play", "Credit and settle"
EXPERIMENT, SERVE, INSPECT = "Experiment", "Serve and show", "Inspect and verify"

COMMANDS = {
    PLAY: {
        "run": "shapley_coop.cli.playing.run:run",
        "resume": "shapley_coop.cli.playing.run:resume",
        "list": "shapley_coop.cli.playing.listing:list_",
        "new game": "shapley_coop.cli.playing.new_game:game",
    },
    INSPECT: {
        "runs": "shapley_coop.cli.inspecting.runs:runs",
        "show": "shapley_coop.cli.inspecting.show:show",
        "verify": "shapley_coop.cli.inspecting.verify:verify",
        "letters": "shapley_coop.cli.inspecting.letters:letters",
        "graph": "shapley_coop.cli.inspecting.graph:graph",
        "rm": "shapley_coop.cli.inspecting.runs:rm",
        "prune": "shapley_coop.cli.inspecting.runs:prune",
        "doctor": "shapley_coop.cli.inspecting.doctor:doctor",
    },
    CREDIT: {
        "credit": "shapley_coop.cli.crediting.credit:credit",
    },
    SERVE: {
        "help": "shapley_coop.cli.help_command:help_",
    },
}
"""Purpose (a panel of the help) → words of a command → its function, as module:name."""

FIRST = (
    *("run", "resume", "list", "runs", "show", "verify", "letters", "doctor", "credit", "help"),
)
"""The first words of the core commands that `coop --help` lists."""

GROUPS = {
    "new": "Begin a game of your own.",
    "contract": "Check contracts before they are signed, and audit records.",
    "scenario": "Scenarios of task exchange.",
}
"""First word of two-word commands → the group's help, if several extensions add to the group."""

_CLASSES = {"run": "shapley_coop.cli.playing.run_options:RunCommand"}


def command_line(words: Sequence[str] = (), whole: bool = False) -> typer.Typer:
    """Return a Typer app with only the command or group that is called, or with all commands.

    Args:
        words: the arguments after `coop`.
        whole: whether the help lists every command, and not only the commonly needed ones.
    """
    app = typer.Typer(
        name="coop",
        cls=Commands,
        help="Self-interested agents negotiate, sign contracts, act, and settle fairly.",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        epilog=None if whole else "coop help --all lists every command.",
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_all)
    groups: dict[str, typer.Typer] = {}
    listed = {*FIRST, *(word for one in extension.installed().values() for word in one.first)}
    for panel, command, place, told in _find_commands(words):
        first, _, second = command.partition(" ")
        hidden = not whole and first not in listed
        if first not in words and not _loads(place):
            continue
        if not second:
            _add(app, command, place, panel, hidden)
            continue
        if first not in groups:
            groups[first] = typer.Typer(cls=Commands, help=told, no_args_is_help=True)
            app.add_typer(groups[first], name=first, rich_help_panel=panel, hidden=hidden)
        _add(groups[first], command, place, None)
    return app


def _loads(place: str) -> bool:
    """Return whether a command's extensions are installed; help leaves out other commands."""
    try:
        extension.import_place(place)
    except ModuleNotFoundError as error:
        if not (error.name or "").startswith(f"{extension.GROUP}."):
            raise
        return False
    return True


def _find_commands(words: Sequence[str]) -> list[tuple[str, str, str, str]]:
    """Return the commands that the first argument may name, or all commands if it names none."""
    first = next((word for word in words if not word.startswith("-")), "")
    core = [row for row in _of_the_core() if row[1].partition(" ")[0] == first]
    if core and first not in GROUPS:
        return core
    more = [row for row in _of_extensions() if row[1].partition(" ")[0] == first]
    return [*core, *more] or [*_of_the_core(), *_of_extensions()]


def _of_the_core() -> Iterator[tuple[str, str, str, str]]:
    """Yield each core command's help panel, words, function (module:name), and group's help."""
    for panel, commands in COMMANDS.items():
        for command, place in commands.items():
            yield panel, command, place, GROUPS.get(command.partition(" ")[0], "")


def _of_extensions() -> Iterator[tuple[str, str, str, str]]:
    for one in extension.installed().values():
        for panel, commands in one.commands.items():
            for command, place in commands.items():
                yield panel, command, place, GROUPS.get(command.partition(" ")[0], one.about)


def _add(
    app: typer.Typer, command: str, place: str, panel: str | None, hidden: bool = False
) -> None:
    """Add a command; its help ends with the text for the command in its module's `EPILOGS`."""
    kind = extension.import_place(_CLASSES[command]) if command in _CLASSES else Command
    run = extension.import_place(place)
    epilogs: Mapping[str, str] = getattr(import_module(run.__module__), "EPILOGS", {})
    name = command.rpartition(" ")[2]
    ends = epilogs.get(command)
    app.command(name, cls=kind, epilog=ends, rich_help_panel=panel, hidden=hidden)(run)


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        say(f"shapley-coop {version('shapley-coop')}")
        raise typer.Exit


def _all(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="Print the version."),
    ] = False,
    _programs: TrustPrograms = False,
) -> None:
    """Self-interested agents negotiate, sign contracts, act, and settle fairly."""
