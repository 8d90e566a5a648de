"""Endpoints that are of no use to a client: each in a way of its own, on this machine."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from tests.background import in_background

SICK = ["refused", "silent", "dripping", "failing"]
DRIP = 0.05
"""Seconds between two bytes of an answer that never ends."""


@contextmanager
def sick(kind: str) -> Iterator[str]:
    """The address of an endpoint that refuses, says nothing, drips for ever, or answers 500."""
    if kind == "refused":
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = taken.getsockname()[1]
        yield f"http://127.0.0.1:{port}"
    elif kind == "silent":
        with socket.create_server(("127.0.0.1", 0), backlog=1_000) as listening:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
    else:
        handler = {"dripping": _Dripping, "failing": _Failing}[kind]
        server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        server.daemon_threads = True
        server.block_on_close = False
        with in_background(server) as url:
            yield url


class _Failing(BaseHTTPRequestHandler):
    def _answer(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.send_response(500)
        self.send_header("Content-Length", "0")
        self.end_headers()

    do_GET = do_POST = do_PATCH = _answer

    def log_message(self, *_: object) -> None:
        """Say nothing."""


class _Dripping(_Failing):
    def _answer(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", "1000000")
        self.end_headers()
        tap = threading.Event()
        try:
            while not tap.wait(DRIP):
                self.wfile.write(b" ")
        except OSError:
            self.close_connection = True  # the client has gone

    do_GET = do_POST = do_PATCH = _answer
