"""The links of a run's pages: their secrets, the port, and the address for other devices.

A home derives a run's secrets and its usual port from the home's key. So the links stay the same
whenever this home serves the run, and an open page goes on working after a restart. A run that was
removed and begun anew under its name gets other secrets.
"""

import os
import secrets
import socket
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address
from typing import Any

from shapley_coop.seats.person import SERVER_URL
from shapley_coop.state.home_files.digests import secret_of

ABROAD = "192.0.2.1"
"""An address of no machine; a route to it starts at this machine's own address in its network."""

PORTS = range(20_000, 32_000)
"""The usual ports of runs: below those that systems give to outgoing connections."""

STALE = "This link opens nothing."
WHY = (
    "Either it is not copied whole, or the run was removed. Ask whoever runs it for yours: "
    "it stays the same."
)


def key_of(run: Any, *agent: str) -> str:
    """Return the secret in the link to an agent's page, or, without an agent, to the run's page."""
    return secret_of("link", run.run, run.created, *agent)


def is_same(own: str, given: str) -> bool:
    """Return whether two secrets are equal; the time that this takes tells nothing about them."""
    return secrets.compare_digest(own.encode(), given.encode())


def listen(
    run: Any, host: str, port: int, handler: type[BaseHTTPRequestHandler]
) -> ThreadingHTTPServer:
    """Return a server on a port; 0 takes the run's usual port, or a free one if that is taken.

    Raises:
        ValueError: no server can listen on this host and port.
    """
    usual = PORTS[int.from_bytes(secret_of("port", run.run).encode()) % len(PORTS)]
    if not port:
        with suppress(ValueError):
            return open_server(host, usual, handler)
    return open_server(host, port, handler)


def open_server(
    host: str, port: int, handler: type[BaseHTTPRequestHandler] = BaseHTTPRequestHandler
) -> ThreadingHTTPServer:
    """Return a server on a port, or on a free one for 0.

    Raises:
        ValueError: no server can listen on this host and port.
    """
    try:
        return ThreadingHTTPServer((host, port), handler)
    except OSError as error:
        raise ValueError(f"port {port} on {host}: {error.strerror}; 0 is a free one") from None


def address_of(server: ThreadingHTTPServer) -> str:
    """Return the URL by which people reach a server: `COOP_SERVER_URL`, else its own address."""
    host, port = server.server_address[:2]
    name = str(host)
    if ip_address(name).is_unspecified:
        name = socket.gethostname()
        with suppress(OSError), socket.socket(type=socket.SOCK_DGRAM) as way:
            way.connect((ABROAD, 9))  # UDP: sends nothing, only picks an address
            name = way.getsockname()[0]
    place = f"[{name}]" if ":" in name else name
    return os.environ.get(SERVER_URL, "").rstrip("/") or f"http://{place}:{port}"
