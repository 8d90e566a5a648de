"""`coop dev`: the LangGraph server for development, with Studio."""

import os
import shutil
import socket
import sys
from pathlib import Path
from typing import Annotated

import typer

from shapley_coop.cli.console import note
from shapley_coop.cli.options import Port

JOBS = "10"


def dev(
    port: Port = 0,
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    browser: Annotated[bool, typer.Option(help="Open Studio.")] = False,
) -> None:
    """Serve all workflows with LangGraph's development server: no key, no licence."""
    from shapley_coop.serve.server.callers import configured

    if not Path("langgraph.json").exists():
        raise ValueError("no langgraph.json here: run coop dev in the project's folder")
    command = shutil.which("langgraph", path=f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    if command is None:
        raise ValueError("langgraph is not installed: make setup, or pip install shapley-coop[dev]")
    chosen = port or _free_port(host)
    open_to = (
        "for those with a token" if configured() else "without authentication: for this machine"
    )
    note(f"LangGraph server on http://{host}:{chosen}, {open_to}.")
    options = ["--host", host, "--port", str(chosen), "--n-jobs-per-worker", JOBS, "--no-reload"]
    if not browser:
        options.append("--no-browser")
    quiet = {
        "LANGGRAPH_CLI_NO_ANALYTICS": "1",
        "LANGGRAPH_NO_VERSION_CHECK": "true",
        "LANGGRAPH_STRICT_MSGPACK": "true",
    }
    # In place of this process, so that signals reach the server and it can save its threads.
    os.execve(command, [command, "dev", *options], os.environ | quiet)  # noqa: S606


def _free_port(host: str) -> int:
    """Find a free port; the server itself would silently take another one if it is busy."""
    with socket.socket() as probe:
        probe.bind((host, 0))
        return int(probe.getsockname()[1])
