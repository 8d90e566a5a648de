"""`coop`, the command line. Nothing imports it; heavy libraries load when a command needs them."""

import os
import sys
from collections.abc import Callable
from typing import Annotated

import typer

from shapley_coop.cli import (
    answering,
    attacking,
    attributing,
    authoring,
    being_an_agent,
    checking,
    contracts,
    crediting_git,
    evaluating,
    exchanging,
    experimenting,
    exporting,
    importing,
    importing_arena,
    importing_coopeval,
    inspecting,
    keeping,
    keys,
    listing,
    measuring,
    paying,
    playing,
    reporting,
    serving,
    settling,
    showing,
    tournaments,
    viewing,
)
from shapley_coop.cli.console import complain, defer_gc, say
from shapley_coop.cli.failures import DEBUG, in_one_line, reason
from shapley_coop.cli.helping import Command as Helped
from shapley_coop.cli.options import TrustPrograms
from shapley_coop.cli.run_options import RunCommand

Command = Callable[..., None]
ELSEWHERE, USAGE, NO_CREDENTIALS, INTERRUPTED = 1, 2, 3, 130

PLAY, CHECK, CREDIT = "Play", "Check before you sign", "Credit and settle"
EXPERIMENT, SERVE, INSPECT = "Experiment", "Serve and show", "Inspect and verify"

COMMANDS: dict[str, dict[str, Command]] = {
    PLAY: {
        "demo": measuring.demo,
        "resume": playing.resume,
        "answer": answering.answer,
        "list": listing.list_,
    },
    INSPECT: {
        "runs": keeping.runs,
        "show": showing.show,
        "verify": inspecting.verify,
        "check": checking.check,
        "letters": inspecting.letters,
        "graph": inspecting.graph,
        "rm": keeping.rm,
        "prune": keeping.prune,
        "doctor": inspecting.doctor,
    },
    CHECK: {"mandate": keys.mandate},
    CREDIT: {
        "credit": settling.credit,
        "attribute": attributing.attribute,
        "settle-git": crediting_git.settle_git,
        "wev": settling.wev,
        "pay": paying.pay,
    },
    EXPERIMENT: {
        "sweep": experimenting.sweep,
        "status": reporting.status,
        "export": exporting.export,
        "compare": reporting.compare,
        "merge": reporting.merge,
        "eval": evaluating.evaluate,
        "tournament": tournaments.tournament,
    },
    SERVE: {
        "view": viewing.view,
        "report": viewing.report,
        "dev": serving.dev,
        "mcp": serving.mcp,
        "a2a": being_an_agent.a2a,
    },
}
"""Commands by what people come for."""

GROUPS: dict[str, tuple[str, str, dict[str, Command]]] = {
    "new": (
        PLAY,
        "Begin a game of your own.",
        {"game": authoring.game},
    ),
    "contract": (
        CHECK,
        "Check contracts before they are signed, audit records, tabulate what contracts do.",
        {"check": contracts.check, "audit": contracts.audit, "table": contracts.table},
    ),
    "scenario": (
        EXPERIMENT,
        "Scenarios of task exchange.",
        {"show": exchanging.show, "table": exchanging.table, "write": exchanging.write},
    ),
    "keys": (
        CHECK,
        "Keys that parties sign with.",
        {"new": keys.new, "list": keys.list_, "show": keys.show},
    ),
    "import": (
        CREDIT,
        "Read published records.",
        {
            "raid-log": importing.raid_log,
            "company-log": importing.company_log,
            "coopeval": importing_coopeval.coopeval,
            "negotiation-arena": importing_arena.negotiation_arena,
        },
    ),
}

app = typer.Typer(
    name="coop",
    help="Self-interested agents negotiate, sign contracts, act, and settle fairly.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        say(f"shapley-coop {version('shapley-coop')}")
        raise typer.Exit


@app.callback()
def _all(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="Print the version."),
    ] = False,
    _programs: TrustPrograms = False,
) -> None:
    """Self-interested agents negotiate, sign contracts, act, and settle fairly."""


app.command("run", cls=RunCommand, rich_help_panel=PLAY)(playing.run)
for _panel, _commands in COMMANDS.items():
    for _name, _command in _commands.items():
        app.command(_name, cls=Helped, rich_help_panel=_panel)(_command)
app.command("attack", cls=Helped, epilog=attacking.epilog(), rich_help_panel=CHECK)(
    attacking.attack
)
app.command("validate", cls=Helped, rich_help_panel=CHECK)(exchanging.validate)
for _group, (_panel, _help, _commands) in GROUPS.items():
    _app = typer.Typer(help=_help, no_args_is_help=True)
    for _name, _command in _commands.items():
        _app.command(_name, cls=Helped)(_command)
    app.add_typer(_app, name=_group, rich_help_panel=_panel)


def main() -> None:
    """Run a command; bad input is one line and exit code 2, missing credentials 3."""
    defer_gc()
    try:
        _environment()
        sys.exit(app(standalone_mode=False))
    except ValueError as error:
        complain(_words_of(error))
        sys.exit(USAGE)
    except typer.Abort:
        sys.exit(INTERRUPTED)
    except typer.TyperException as error:
        if message := error.format_message():
            complain(message.replace("Value error, ", ""))
        sys.exit(USAGE)
    except typer.Exit as leaving:
        sys.exit(leaving.exit_code)
    except Exception as error:
        from shapley_coop.seats import CredentialsMissing
        from shapley_coop.state.storage.faults import storage_fault
        from shapley_coop.state.storage.leases import Busy, LeaseLost

        if isinstance(error, CredentialsMissing | Busy | LeaseLost):
            complain(str(error))
            sys.exit(NO_CREDENTIALS if isinstance(error, CredentialsMissing) else ELSEWHERE)
        if os.environ.get(DEBUG):
            raise
        complain(in_one_line(error))
        # A database that fails is no fault of the command's; a file that it names is.
        of_database = bool(storage_fault(error)) and not isinstance(error, OSError)
        sys.exit(USAGE if reason(error) and not of_database else ELSEWHERE)


def _words_of(error: ValueError) -> str:
    """A complaint in one line, of pydantic's as well."""
    from pydantic import ValidationError

    if not isinstance(error, ValidationError):
        return str(error)
    from shapley_coop.invalid import first_error

    return str(first_error(error))


def _environment() -> None:
    """Read .env, keep objects out of checkpoints and secrets out of traces."""
    os.environ.setdefault("LANGGRAPH_STRICT_MSGPACK", "true")
    # Last, so that it hides nothing: a PettingZoo factory may stand in the folder one works in.
    if os.getcwd() not in sys.path:
        sys.path.append(os.getcwd())
    if os.path.exists(".env"):
        from dotenv import load_dotenv

        load_dotenv(".env")
    off = ("", "0", "false")
    tracing = (on for key, on in os.environ.items() if key.endswith(("_TRACING", "_TRACING_V2")))
    if any(on.lower() not in off for on in tracing):
        from shapley_coop.seats.tracing import trace_quietly
        from shapley_coop.state import home

        trace_quietly(home().secrets)
