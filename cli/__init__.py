"""`coop`, the command line. Nothing imports it; heavy libraries load when a command needs them."""

import os
import sys
from collections.abc import Callable

import typer

from shapley_coop.cli import (
    attacking,
    attributing,
    contracts,
    crediting_git,
    exchanging,
    experimenting,
    inspecting,
    measuring,
    playing,
    reporting,
    serving,
    settling,
    viewing,
)
from shapley_coop.cli.console import complain, defer_gc
from shapley_coop.cli.run_options import RunCommand

Command = Callable[..., None]
ELSEWHERE, USAGE, NO_CREDENTIALS, INTERRUPTED = 1, 2, 3, 130

COMMANDS: dict[str, Command] = {
    "resume": playing.resume,
    "answer": playing.answer,
    "list": inspecting.list_,
    "runs": inspecting.runs,
    "show": inspecting.show,
    "letters": inspecting.letters,
    "verify": inspecting.verify,
    "graph": inspecting.graph,
    "doctor": inspecting.doctor,
    "demo": measuring.demo,
    "dev": serving.dev,
    "credit": settling.credit,
    "wev": settling.wev,
    "attribute": attributing.attribute,
    "settle-git": crediting_git.settle_git,
    "validate": exchanging.validate,
    "sweep": experimenting.sweep,
    "status": reporting.status,
    "merge": reporting.merge,
    "export": reporting.export,
    "compare": reporting.compare,
    "eval": experimenting.evaluate,
    "view": viewing.view,
    "report": viewing.report,
}
GROUPS: dict[str, tuple[str, dict[str, Command]]] = {
    "import": (
        "Read published records.",
        {"raid-log": settling.raid_log, "company-log": settling.company_log},
    ),
    "scenario": (
        "Scenarios of task exchange.",
        {"show": exchanging.show, "table": exchanging.table, "write": exchanging.write},
    ),
    "contract": (
        "Check contracts before they are signed, audit records, tabulate what contracts do.",
        {"check": contracts.check, "audit": contracts.audit, "table": contracts.table},
    ),
}

app = typer.Typer(
    name="coop",
    help="Self-interested agents negotiate, sign contracts, act, and settle fairly.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("run", cls=RunCommand)(playing.run)
for _name, _command in COMMANDS.items():
    app.command(_name)(_command)
app.command("attack", epilog=attacking.epilog())(attacking.attack)
for _group, (_help, _commands) in GROUPS.items():
    _app = typer.Typer(help=_help, no_args_is_help=True)
    for _name, _command in _commands.items():
        _app.command(_name)(_command)
    app.add_typer(_app, name=_group)


def main() -> None:
    """Run a command; bad input is one line and exit code 2, missing credentials 3."""
    defer_gc()
    _environment()
    try:
        sys.exit(app(standalone_mode=False))
    except ValueError as error:
        complain(str(error))
        sys.exit(USAGE)
    except typer.Abort:
        sys.exit(INTERRUPTED)
    except typer.TyperException as error:
        if message := error.format_message():
            complain(message.replace("Value error, ", ""))
        sys.exit(USAGE)
    except RuntimeError as error:
        from shapley_coop.seats import CredentialsMissing
        from shapley_coop.state.storage.leases import Busy, LeaseLost

        if not isinstance(error, CredentialsMissing | Busy | LeaseLost):
            raise
        complain(str(error))
        sys.exit(NO_CREDENTIALS if isinstance(error, CredentialsMissing) else ELSEWHERE)


def _environment() -> None:
    """Read .env, keep objects out of checkpoints and secrets out of traces."""
    os.environ.setdefault("LANGGRAPH_STRICT_MSGPACK", "true")
    if os.path.exists(".env"):
        from dotenv import load_dotenv

        load_dotenv(".env")
    off = ("", "0", "false")
    tracing = (on for key, on in os.environ.items() if key.endswith(("_TRACING", "_TRACING_V2")))
    if any(on.lower() not in off for on in tracing):
        from shapley_coop.seats.tracing import trace_quietly
        from shapley_coop.state import home

        trace_quietly(home().secrets)
