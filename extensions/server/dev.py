"""`coop dev`: run LangGraph's development server with all workflows, for Studio."""

import errno
import json
import os
import random
import re
import secrets
import socket
import sys
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from shapley_coop import extension
from shapley_coop.cli.console import note, write_file
from shapley_coop.cli.options import Port
from shapley_coop.extras import is_installed, missing_library
from shapley_coop.files import read_mapping
from shapley_coop.state.storage.home import home

JOBS = "10"

PACKAGE = Path(__file__).parents[2]

KIND = ("a server's configuration", "give graphs, http and auth")
"""The description of langgraph.json and the advice on its keys, for error messages."""

QUIET = {
    "LANGGRAPH_CLI_NO_ANALYTICS": "1",
    "LANGGRAPH_NO_VERSION_CHECK": "true",
    "LANGGRAPH_STRICT_MSGPACK": "true",
}
"""Settings of LangGraph's server, which override the environment's values."""

STUDIO_PORT = 2024
"""The default port of LangGraph's development server, to which Studio connects."""


UNASSIGNED_PORTS = range(20_000, 32_000)
"""Ports that operating systems do not assign to outgoing connections."""


def dev(
    port: Port = STUDIO_PORT,
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    browser: Annotated[bool, typer.Option(help="Open Studio.")] = False,
    game: Annotated[
        list[str] | None,
        typer.Option(help="A game that callers may name: a Python file, pettingzoo:… or python:…."),
    ] = None,
    token: Annotated[bool, typer.Option(help="Require a token from every caller.")] = True,
    reload: Annotated[bool, typer.Option(help="Restart when the project's code changes.")] = True,
) -> None:
    """Serve all workflows with LangGraph's development server, without key or licence."""
    from shapley_coop.games.catalogue import read

    for library in ("langgraph_cli", "langgraph_api"):
        if not is_installed(library):
            raise missing_library("coop dev", library, "dev")
    config = Path("langgraph.json")
    if packaged := not config.exists():
        config = _of_the_package()
    found = read_mapping(config, *KIND)
    _check_guarded(config, found)
    _check_there(config, found)
    for one in game or []:
        read(one)  # raises an error for a missing file before the server starts
    chosen = free_port(host, port)
    options = ["--config", str(config), "--host", host, "--port", str(chosen)]
    options += ["--n-jobs-per-worker", JOBS]
    if packaged or not reload:
        options.append("--no-reload")
    if not browser:
        options.append("--no-browser")
    # `execve` replaces this process, so that signals reach the server, which saves its threads.
    # -P: Python must not import modules from the current folder.
    command = [sys.executable, "-P", "-m", "langgraph_cli", "dev", *options]
    own = _environment(found, host, chosen, game or [], token)
    _check_environment(config, found.get("env"), own)
    told = {"LOG_LEVEL": "WARNING"} | _cors(found) | os.environ | QUIET | own
    os.execve(sys.executable, command, told)  # noqa: S606


def _environment(
    found: Mapping[str, Any], host: str, port: int, games: Sequence[str], token: bool
) -> dict[str, str]:
    """Return the environment variables with the server's games, hosts, token and addresses."""
    from shapley_coop.extensions.server.serving import (
        browser_guard,
        operator_only,
        tenancy,
        welcome,
    )
    from shapley_coop.seats.person import SERVER_URL

    secret = _token(browser_guard.DEV_TOKEN) if token and not tenancy.tenancy() else ""
    graphs, url = found.get("graphs") or {}, f"http://{host}:{port}"
    return {
        operator_only.GAME_FILES: json.dumps([_absolute(one) for one in games]),
        browser_guard.HOSTS: ",".join(filter(None, (os.environ.get(browser_guard.HOSTS), host))),
        browser_guard.DEV_TOKEN: secret,
        SERVER_URL: os.environ.get(SERVER_URL) or url,
        welcome.STARTED: welcome.start_message(url, secret, graphs),
    }


def _token(variable: str) -> str:
    """Return the token that the shell gives, or else a new one.

    Raises:
        ValueError: the given token is short, or has characters that URLs must escape.
    """
    given = os.environ.get(variable, "")
    if given and not re.fullmatch(r"[A-Za-z0-9_-]{16,}", given):
        raise ValueError(
            f"{variable}: give at least 16 letters, digits, - or _, or unset it for a new token"
        )
    return given or secrets.token_urlsafe(24)


def _cors(found: Mapping[str, Any]) -> dict[str, str]:
    """Return the package's CORS rules if a configuration has none, as it would admit all pages."""
    from shapley_coop.extensions.server.serving.origins import RULES

    if found["http"].get("cors") is not None:
        return {}
    return {RULES: json.dumps(_packaged()["http"]["cors"])}


def _packaged() -> dict[str, Any]:
    found: dict[str, Any] = read_mapping(PACKAGE / "langgraph.json", *KIND)
    return found


def _of_the_package() -> Path:
    """Write the package's `langgraph.json`, with absolute paths, into the home; return the file."""
    package, found = PACKAGE, _packaged()
    for entry in (*found["graphs"].values(), found["checkpointer"], found["auth"]):
        entry["path"] = str(package / entry["path"])
    found["http"]["app"] = str(package / found["http"]["app"])
    brought = {**extension.offered("workflows"), **extension.offered("graphs")}
    graphs = {name: {"path": place} for name, (_, place) in brought.items()}
    ours = found["graphs"].items()
    found["graphs"] = graphs | {name: one for name, one in ours if Path(_file(one)).is_file()}
    write_file(file := home().folder / "langgraph.json", json.dumps(found, indent=2), "COOP_HOME")
    return file


def _check_guarded(file: Path, found: Mapping[str, Any]) -> None:
    """Refuse a configuration whose server would not use this project's access checks.

    First print all that the configuration lacks, as lines of JSON.

    Raises:
        ValueError: the configuration names another app or another auth than this project's.
    """
    wrong, lines = [], []
    for part, key, guard in (("http", "app", "app"), ("auth", "path", "auth")):
        given = found[part] if isinstance(found.get(part), dict) else {}
        named = str(given.get(key) or "")
        if not _is_ours(named, guard):
            wrong.append(f"{part}.{key} is {named or 'missing'}")
            lines.append(f'"{part}": {json.dumps({**given, key: f"{_own(guard)}:{guard}"})}')
    if wrong:
        for line in (*(f"{one}," for one in lines[:-1]), lines[-1]):
            note(f"  {line}")
        raise ValueError(
            f"{file}: {' and '.join(wrong)}, so coop dev could let in callers without a token: "
            "write the lines above into it, or serve it with langgraph dev"
        )


def _check_environment(config: Path, env: Any, own: Collection[str]) -> None:
    """Refuse an environment in which LangGraph's server would override variables of `coop dev`.

    Args:
        config: the server's configuration.
        env: the configuration's `env`: variables, or the path of a file with variables.
        own: the variables that `coop dev` sets.

    Raises:
        ValueError: the environment sets one of these variables.
    """
    from dotenv import dotenv_values

    files = [Path(env), config.parent / env] if isinstance(env, str) else []
    named = {name for file in files if file.is_file() for name in dotenv_values(file)}
    for name in own:
        if name in named | {*(env if isinstance(env, Mapping) else ())}:
            raise ValueError(
                f"{env if isinstance(env, str) else config}: {name} would replace what coop dev "
                "sets: take it out, or set it in the shell"
            )


def _check_there(file: Path, found: Mapping[str, Any]) -> None:
    """Refuse a configuration that names a graph of an extension whose folder was removed.

    Raises:
        ValueError: a graph's file does not exist.
    """
    for name, entry in (found.get("graphs") or {}).items():
        path = _file(entry)
        if path.endswith(".py") and not Path(path).is_file():
            raise ValueError(
                f"{file}: graphs.{name}: there is no {path}, which an extension may bring: "
                "take the graph out"
            )


def _file(entry: Any) -> str:
    """Return the file or the module of a graph's entry in a configuration."""
    return str(entry["path"] if isinstance(entry, dict) else entry).rpartition(":")[0]


def _is_ours(named: str, guard: str) -> bool:
    """Return whether a path names this project's guard, such as `…/auth.py:auth`, or a copy."""
    path, _, name = named.rpartition(":")
    own = _own(guard).read_bytes()
    return name == guard and Path(path).is_file() and Path(path).read_bytes() == own


def _own(guard: str) -> Path:
    return Path(__file__).with_name(f"{guard}.py")


def _absolute(game: str) -> str:
    return str(Path(game).absolute()) if game.endswith(".py") else game


def free_port(host: str, port: int = 0) -> int:
    """Return the given port after checking that it is free, or a free port if 0 is given.

    LangGraph's server silently chooses another port if its port is in use, and starts only seconds
    later. So a port chosen here is one that the system assigns to no other program.

    Raises:
        ValueError: the port is in use, or the host is not an IPv4 address of this machine.
    """
    drawn = random.sample(UNASSIGNED_PORTS, 100)
    for one in [port] if port else drawn:
        with socket.socket() as probe:
            # The server accepts a port whose last connection has just closed, so accept it here.
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((host, one))
            except OSError as error:
                refusal = error
            else:
                return one
    used = port and refusal.errno == errno.EADDRINUSE
    instead = (
        "--port 0 takes a free one" if used else "--host needs an IPv4 address of this machine"
    )
    raise ValueError(f"port {one} on {host}: {refusal.strerror}; {instead}")
