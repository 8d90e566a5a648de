"""`coop dev`: the LangGraph server for development, with Studio."""

import json
import os
import random
import secrets
import shutil
import socket
import sys
from pathlib import Path
from typing import Annotated

import typer

from shapley_coop import extension
from shapley_coop.cli.console import note
from shapley_coop.cli.options import Port
from shapley_coop.extras import is_installed, missing_library
from shapley_coop.files import read_mapping

JOBS = "10"

STUDIO_PORT = 2024
"""Where LangGraph's own command listens, and Studio looks."""


UNASSIGNED_PORTS = range(20_000, 32_000)
"""Ports that systems do not hand to connections: below all their ranges for those."""


def dev(
    port: Port = STUDIO_PORT,
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    browser: Annotated[bool, typer.Option(help="Open Studio.")] = False,
    game: Annotated[
        list[str] | None,
        typer.Option(help="A game that callers may name: a Python file, pettingzoo:… or python:…."),
    ] = None,
    token: Annotated[bool, typer.Option(help="Ask every caller for a token.")] = True,
    reload: Annotated[bool, typer.Option(help="Start again when code changes.")] = True,
) -> None:
    """Serve all workflows with LangGraph's development server: no key, no licence."""
    from shapley_coop.games.catalogue import read

    if not Path("langgraph.json").exists():
        raise ValueError("no langgraph.json here: run coop dev in the project's folder")
    command = shutil.which("langgraph", path=f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    if command is None or not is_installed("langgraph_api"):
        raise missing_library(
            "coop dev", "langgraph" if command is None else "langgraph_api", "dev"
        )
    _check_guarded(Path("langgraph.json"))
    from shapley_coop.serve.server.browser_guard import DEV_TOKEN, HOSTS
    from shapley_coop.serve.server.operator_only import GAME_FILES

    chosen = free_port(host, port)
    _check_there(Path("langgraph.json"))
    secret = _announce(f"http://{host}:{chosen}", token)
    for one in game or []:
        read(one)  # refuses a missing file before the server starts
    options = ["--host", host, "--port", str(chosen), "--n-jobs-per-worker", JOBS]
    if not reload:
        options.append("--no-reload")
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


def _announce(address: str, token: bool) -> str:
    """Say where the server answers and to whom; return the token that it asks for, if any."""
    from shapley_coop.serve.server.tenancy import tenancy

    tenants = tenancy()
    secret = secrets.token_urlsafe(24) if token and not tenants else ""
    asks = secret or tenants
    open_to = "for those with a token" if asks else "without authentication: for this machine"
    note(f"LangGraph server on {address}, {open_to}.")
    if brought := [f"{address}/{name}" for name in extension.offered("routes")]:
        note(f"Extensions answer at {', '.join(brought)}.")
    if secret:
        note(f"Open {address}/view/?token={secret}; programs send it as Authorization: Bearer.")
    return secret


def _check_guarded(file: Path) -> None:
    """Refuse a configuration whose server would not be behind our own guards.

    Raises:
        ValueError: it names another app or another auth than ours, or cannot be read.
    """
    found = read_mapping(file, "a server's configuration", "give graphs, http and auth")
    for part, key, guard in (("http", "app", "app"), ("auth", "path", "auth")):
        given = found.get(part)
        named = str(given.get(key) or "") if isinstance(given, dict) else ""
        if not _is_ours(named, guard):
            raise ValueError(
                f"{file}: {part}.{key} is {named or 'missing'}, and not shapley-coop's "
                f"./serve/{guard}.py:{guard}, by which coop dev lets in nobody without a token: "
                "run it in the project's folder, or serve this one with langgraph dev"
            )


def _check_there(file: Path) -> None:
    """Refuse a configuration that names a graph of an extension whose folder was removed.

    Raises:
        ValueError: a graph's file is not there.
    """
    found = read_mapping(file, "a server's configuration", "give graphs, http and auth")
    for name, entry in (found.get("graphs") or {}).items():
        path = str(entry["path"] if isinstance(entry, dict) else entry).rpartition(":")[0]
        if path.endswith(".py") and not Path(path).is_file():
            raise ValueError(
                f"{file}: graphs.{name}: there is no {path}, which an extension may bring: "
                "take the graph out"
            )


def _is_ours(named: str, guard: str) -> bool:
    """Whether a configuration names our own `serve/GUARD.py:GUARD`, of a clone or installed."""
    path, _, name = named.rpartition(":")
    own = Path(__file__).parents[2] / "serve" / f"{guard}.py"
    return name == guard and Path(path).is_file() and Path(path).read_bytes() == own.read_bytes()


def _absolute(game: str) -> str:
    return str(Path(game).absolute()) if game.endswith(".py") else game


def free_port(host: str, port: int = 0) -> int:
    """Check that a port is free, or find one for 0; the server would silently take another one.

    The server listens seconds later. A port that the system would choose may by then belong to
    somebody's connection, so one is drawn where the system chooses none.

    Raises:
        ValueError: it is in use.
    """
    drawn = random.sample(UNASSIGNED_PORTS, 100)
    for one in [port] if port else drawn:
        with socket.socket() as probe:
            # As the server does: a port that a connection has just left is free.
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((host, one))
            except OSError as error:
                refusal = error
            else:
                return one
    said = f"port {one} on {host}: {refusal.strerror}"
    raise ValueError(said if not port else f"{said}; --port 0 takes a free one")
