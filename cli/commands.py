"""Every command of `coop`, by what people come for, and where it is written.

Only the command that is called is imported, and all of them for `coop --help`: to import all takes
longer than most commands do.
"""

from collections.abc import Sequence
from importlib import import_module
from typing import Annotated, Any

import typer

from shapley_coop.cli.console import say
from shapley_coop.cli.helping import Command
from shapley_coop.cli.options import TrustPrograms

PLAY, CHECK, CREDIT = "Play", "Check before you sign", "Credit and settle"
EXPERIMENT, SERVE, INSPECT = "Experiment", "Serve and show", "Inspect and verify"

COMMANDS = {
    PLAY: {
        "run": "playing.run",
        "demo": "measuring.demo",
        "resume": "playing.resume",
        "answer": "answering.answer",
        "list": "listing.list_",
    },
    INSPECT: {
        "runs": "keeping.runs",
        "show": "showing.show",
        "verify": "inspecting.verify",
        "check": "checking.check",
        "letters": "inspecting.letters",
        "graph": "inspecting.graph",
        "rm": "keeping.rm",
        "prune": "keeping.prune",
        "doctor": "inspecting.doctor",
    },
    CHECK: {
        "mandate": "keys.mandate",
        "attack": "attacking.attack",
        "validate": "exchanging.validate",
    },
    CREDIT: {
        "credit": "settling.credit",
        "attribute": "attributing.attribute",
        "settle-git": "crediting_git.settle_git",
        "wev": "settling.wev",
        "pay": "paying.pay",
    },
    EXPERIMENT: {
        "sweep": "experimenting.sweep",
        "status": "reporting.status",
        "export": "exporting.export",
        "compare": "reporting.compare",
        "merge": "reporting.merge",
        "eval": "evaluating.evaluate",
        "tournament": "tournaments.tournament",
    },
    SERVE: {
        "view": "viewing.view",
        "report": "viewing.report",
        "dev": "serving.dev",
        "mcp": "serving.mcp",
        "a2a": "being_an_agent.a2a",
    },
}
"""What people come for → command → its module here, and its function there."""

GROUPS = {
    "new": (
        PLAY,
        "Begin a game of your own.",
        {"game": "authoring.game"},
    ),
    "contract": (
        CHECK,
        "Check contracts before they are signed, audit records, tabulate what contracts do.",
        {"check": "contracts.check", "audit": "contracts.audit", "table": "contracts.table"},
    ),
    "scenario": (
        EXPERIMENT,
        "Scenarios of task exchange.",
        {"show": "exchanging.show", "table": "exchanging.table", "write": "exchanging.write"},
    ),
    "keys": (
        CHECK,
        "Keys that parties sign with.",
        {"new": "keys.new", "list": "keys.list_", "show": "keys.show"},
    ),
    "import": (
        CREDIT,
        "Read published records.",
        {
            "raid-log": "importing.raid_log",
            "company-log": "importing.company_log",
            "coopeval": "importing_coopeval.coopeval",
            "negotiation-arena": "importing_arena.negotiation_arena",
        },
    ),
}
"""Group of commands → what people come for, its help, and its commands."""

_CLASSES = {"playing.run": "run_options.RunCommand"}
_EPILOGS = {"attacking.attack": "attacking.epilog"}


def command_line(words: Sequence[str] = ()) -> typer.Typer:
    """The command line, with the one command or group that these words call, or else with all.

    Args:
        words: what stands behind `coop`.
    """
    app = typer.Typer(
        name="coop",
        help="Self-interested agents negotiate, sign contracts, act, and settle fairly.",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_all)
    known = {*GROUPS}.union(*COMMANDS.values())
    first = next((word for word in words if not word.startswith("-")), "")
    only = first if first in known else ""
    for panel, commands in COMMANDS.items():
        _add(app, commands, panel, only)
    for group, (panel, told, commands) in GROUPS.items():
        if only in ("", group):
            app.add_typer(_group(told, commands), name=group, rich_help_panel=panel)
    return app


def _add(app: typer.Typer, commands: dict[str, str], panel: str | None, only: str = "") -> None:
    """Add commands, or the only one that is called."""
    for name, place in commands.items():
        if only in ("", name):
            kind = _found(_CLASSES[place]) if place in _CLASSES else Command
            epilog = _found(_EPILOGS[place])() if place in _EPILOGS else None
            add = app.command(name, cls=kind, epilog=epilog, rich_help_panel=panel)
            add(_found(place))


def _group(told: str, commands: dict[str, str]) -> typer.Typer:
    app = typer.Typer(help=told, no_args_is_help=True)
    _add(app, commands, panel=None)
    return app


def _found(place: str) -> Any:
    module, _, name = place.partition(".")
    return getattr(import_module(f"shapley_coop.cli.{module}"), name)


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
