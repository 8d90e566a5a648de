"""`coop dev`: the LangGraph server for development, with Studio."""

import json
import os
import secrets
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
    game: Annotated[
        list[str] | None,
        typer.Option(help="A Python file of a game, or pettingzoo:…, that callers may name."),
    ] = None,
    token: Annotated[bool, typer.Option(help="Ask every caller for a token.")] = True,
) -> None:
    """Serve all workflows with LangGraph's development server: no key, no licence."""
    from shapley_coop.games.catalogue import read
    from shapley_coop.serve.server.browser_guard import DEV_TOKEN, HOSTS
    from shapley_coop.serve.server.callers import configured
    from shapley_coop.serve.server.operator_only import GAME_FILES

    if not Path("langgraph.json").exists():
        raise ValueError("no langgraph.json here: run coop dev in the project's folder")
    command = shutil.which("langgraph", path=f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    if command is None:
        raise ValueError("langgraph is not installed: make setup, or pip install shapley-coop[dev]")
    chosen = port or _free_port(host)
    address = f"http://{host}:{chosen}"
    secret = secrets.token_urlsafe(24) if token and not configured() else ""
    asks = secret or configured()
    open_to = "for those with a token" if asks else "without authentication: for this machine"
    note(f"LangGraph server on {address}, {open_to}.")
    if secret:
        note(f"Open {address}/view/?token={secret}; programs send it as Authorization: Bearer.")
    for one in game or []:
        read(one)  # refuses a missing file before the server starts
    options = ["--host", host, "--port", str(chosen), "--n-jobs-per-worker", JOBS, "--no-reload"]
    if not browser:
        options.append("--no-browser")
    quiet = {
        "LANGGRAPH_CLI_NO_ANALYTICS": "1",
        "LANGGRAPH_NO_VERSION_CHECK": "true",
        "LANGGRAPH_STRICT_MSGPACK": "true",
        GAME_FILES: json.dumps([_absolute(one) for one in game or []]),
        HOSTS: ",".join(filter(None, (os.environ.get(HOSTS), host))),
        DEV_TOKEN: secret,
    }
    # In place of this process, so that signals reach the server and it can save its threads.
    os.execve(command, [command, "dev", *options], os.environ | quiet)  # noqa: S606


def _absolute(game: str) -> str:
    return str(Path(game).absolute()) if game.endswith(".py") else game


def _free_port(host: str) -> int:
    """Find a free port; the server itself would silently take another one if it is busy."""
    with socket.socket() as probe:
        probe.bind((host, 0))
        return int(probe.getsockname()[1])
