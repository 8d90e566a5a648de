"""`coop`, the command line. Nothing imports it; heavy libraries load when a command needs them."""

import os
import sys

import typer

from shapley_coop.cli import (
    attacking,
    contracts,
    crediting_git,
    exchanging,
    experimenting,
    inspecting,
    measuring,
    playing,
    serving,
    settling,
    viewing,
)
from shapley_coop.cli.awaiting import defer_gc
from shapley_coop.cli.console import complain

ELSEWHERE, USAGE, NO_CREDENTIALS, INTERRUPTED = 1, 2, 3, 130

app = typer.Typer(
    name="coop",
    help="Self-interested agents negotiate, sign contracts, act, and settle fairly.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for _commands in (
    playing,
    inspecting,
    measuring,
    serving,
    settling,
    crediting_git,
    exchanging,
    experimenting,
    viewing,
    attacking,
    contracts,
):
    _commands.register(app)


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
