"""`coop dev`: the LangGraph server for development, with Studio."""

import json
import os
import random
import secrets
import socket
import sys
from pathlib import Path
from typing import Annotated

import typer

from shapley_coop import extension
from shapley_coop.cli.options import Port
from shapley_coop.escaping import visible
from shapley_coop.extras import is_installed, missing
from shapley_coop.files import read_mapping
from shapley_coop.state.storage.home import home
from shapley_coop.written_files import make_folder, replace_file

JOBS = "10"

KIND = ("a server's configuration", "give graphs, http and auth")
"""What a langgraph.json is, and what it needs, where one cannot be read."""

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
    reload: Annotated[
        bool | None,
        typer.Option(help="Start again when code changes; by default where a langgraph.json is."),
    ] = None,
) -> None:
    """Serve all workflows with LangGraph's development server: no key, no licence."""
    from shapley_coop.games.catalogue import read

    for library in ("langgraph_cli", "langgraph_api"):
        if not is_installed(library):
            raise missing("coop dev", library, "dev")
    here = Path("langgraph.json")
    config = here if here.exists() else _of_the_package()
    _check_guarded(config)
    from shapley_coop.serve.server.browser_guard import DEV_TOKEN, HOSTS, STARTED
    from shapley_coop.serve.server.operator_only import GAME_FILES

    chosen = free_port(host, port)
    _check_there(config)
    for one in game or []:
        read(one)  # refuses a missing file before the server starts
    secret = _token(token)
    options = ["--config", str(config), "--host", host, "--port", str(chosen)]
    options += ["--n-jobs-per-worker", JOBS]
    if not (config is here if reload is None else reload):
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
        STARTED: _started(f"http://{host}:{chosen}", secret, config),
        "LOG_LEVEL": os.environ.get("LOG_LEVEL", "WARNING"),
    }
    # In place of this process, so that signals reach the server and it can save its threads.
    # -P: what lies in this folder is no library, whatever its name.
    command = [sys.executable, "-P", "-m", "langgraph_cli", "dev", *options]
    os.execve(sys.executable, command, os.environ | quiet)  # noqa: S606


def _of_the_package() -> Path:
    """Write into the home what the installed package serves; return the file.

    That is what the clone's `langgraph.json` names, which lies in the package, too, and the graphs
    of others' extensions.
    """
    package = Path(__file__).parents[2]
    found = read_mapping(package / "langgraph.json", *KIND)
    for entry in (*found["graphs"].values(), found["checkpointer"], found["auth"]):
        entry["path"] = str(package / entry["path"])
    found["http"]["app"] = str(package / found["http"]["app"])
    brought = {**extension.offered("workflows"), **extension.offered("graphs")}
    found["graphs"] = {name: {"path": place} for name, (_, place) in brought.items()} | {
        name: entry
        for name, entry in found["graphs"].items()
        if Path(entry["path"].rpartition(":")[0]).is_file()
    }
    make_folder(home().folder)
    file = home().folder.absolute() / "langgraph.json"
    replace_file(file, json.dumps(found, indent=2))
    return file


def _token(asked: bool) -> str:
    """Return a new token; none where callers have their own, or are not to be asked."""
    from shapley_coop.serve.server.tenancy import tenancy

    return secrets.token_urlsafe(24) if asked and not tenancy() else ""


def _started(address: str, secret: str, config: Path) -> str:
    """Say what is served where and to whom, in the lines that the server writes when it is up."""
    from shapley_coop.serve.server.tenancy import tenancy
    from shapley_coop.serve.server.welcome import STUDIO

    asks = secret or tenancy()
    open_to = "for those with a token" if asks else "without authentication: for this machine"
    shown = f" with the header Authorization: Bearer {secret}" if secret else ""
    lines = [
        f"LangGraph server on {address}, {open_to}.",
        f"Workflows: {', '.join(read_mapping(config, *KIND).get('graphs') or {})}",
        f"Studio: {STUDIO}{address}{shown}",
    ]
    if brought := [f"{address}/{name}" for name in extension.offered("routes")]:
        lines.append(f"Extensions answer at {', '.join(brought)}.")
    if secret:
        lines.append(f"Programs send the same header, or x-api-key: {secret}")
    lines.append(f"Open {address}/view/" + (f"?token={secret}" if secret else ""))
    return "\n".join(map(visible, lines))


def _check_guarded(file: Path) -> None:
    """Refuse a configuration whose server would not be behind our own guards.

    Raises:
        ValueError: it names another app or another auth than ours, or cannot be read.
    """
    found = read_mapping(file, *KIND)
    for part, key, guard in (("http", "app", "app"), ("auth", "path", "auth")):
        given = found.get(part)
        named = str(given.get(key) or "") if isinstance(given, dict) else ""
        if not _is_ours(named, guard):
            raise ValueError(
                f"{file}: {part}.{key} is {named or 'missing'}, and not shapley-coop's "
                f"./serve/{guard}.py:{guard}, by which coop dev lets in nobody without a token: "
                "run it in a folder without a langgraph.json, or serve this one with langgraph dev"
            )


def _check_there(file: Path) -> None:
    """Refuse a configuration that names a graph of an extension whose folder was removed.

    Raises:
        ValueError: a graph's file is not there.
    """
    found = read_mapping(file, *KIND)
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
