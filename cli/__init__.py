"""The command line `coop`; heavy libraries load only when a command needs them."""

import os
import sys

import typer

from shapley_coop.cli.commands import command_line
from shapley_coop.cli.console import complain
from shapley_coop.cli.failures import DEBUG, in_one_line, of_home, reason

ELSEWHERE, USAGE, NO_CREDENTIALS, INTERRUPTED = 1, 2, 3, 130

_OF_AN_EXTENSION = " An extension may bring it: coop list names those that are installed."


def main() -> None:
    """Run a command; report an error in one line.

    The exit code is 2 if the command was wrong, 3 if an API key is missing, 1 if something else
    failed, 130 after Ctrl-C, and 143 after SIGTERM.
    """
    try:
        _environment()
        sys.exit(_of_signal(command_line(sys.argv[1:])(standalone_mode=False)))
    except ValueError as error:
        complain(_words_of(error))
        sys.exit(USAGE)
    except typer.Abort:
        sys.exit(INTERRUPTED)
    except typer.TyperException as error:
        if message := error.format_message():
            complain(message.replace("Value error, ", "") + _more_on(error, message))
        sys.exit(USAGE)
    except typer.Exit as leaving:
        sys.exit(leaving.exit_code)
    except Exception as error:
        from shapley_coop.seats.seat import CredentialsMissing
        from shapley_coop.state.storage.leases import Busy, LeaseLost

        if isinstance(error, CredentialsMissing | Busy | LeaseLost):
            complain(str(error))
            sys.exit(NO_CREDENTIALS if isinstance(error, CredentialsMissing) else ELSEWHERE)
        if os.environ.get(DEBUG):
            raise
        complain(in_one_line(error))
        sys.exit(USAGE if reason(error) and not of_home(error) else ELSEWHERE)


def _of_signal(code: int | None) -> int | None:
    """Return the exit code of a command; typer's is 130 also after SIGTERM."""
    if code == INTERRUPTED:
        from shapley_coop.cli.stopping import exit_code

        return exit_code()
    return code


def _more_on(error: typer.TyperException, message: str) -> str:
    """Return a hint about an unknown command or a missing argument, or "" for other errors."""
    if message.startswith("No such command"):
        return _OF_AN_EXTENSION
    wanted = getattr(error, "param", None) if message.startswith("Missing argument") else None
    return f" {wanted.help}" if wanted is not None and wanted.help else ""


def _words_of(error: ValueError) -> str:
    """Return an error's message; for a pydantic error, return only the first fault's message."""
    from pydantic import ValidationError

    if not isinstance(error, ValidationError):
        return str(error)
    from shapley_coop.invalid import first_error

    return str(first_error(error))


def _environment() -> None:
    """Read .env, let checkpoints load no Python objects, and keep secrets out of traces."""
    os.environ.setdefault("LANGGRAPH_STRICT_MSGPACK", "true")
    # All matrices are small, so NumPy's threads would cost more time than they save.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # A game's module may be in this folder; it is last on the path, so that it hides no other.
    if os.getcwd() not in sys.path:
        sys.path.append(os.getcwd())
    if os.path.exists(".env"):
        from dotenv import load_dotenv

        load_dotenv(".env")
    off = ("", "0", "false")
    tracing = (on for key, on in os.environ.items() if key.endswith(("_TRACING", "_TRACING_V2")))
    if any(on.lower() not in off for on in tracing):
        from shapley_coop.seats.tracing import trace_quietly
        from shapley_coop.state.storage.home import home

        trace_quietly(home().secrets)
