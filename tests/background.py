"""Run a standard-library server in a thread for the length of a `with` block."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from socketserver import BaseServer


@contextmanager
def in_background(server: BaseServer) -> Iterator[str]:
    """Serve until the block ends, and give the address."""
    often = {"poll_interval": 0.01}  # looks whether it should end
    thread = threading.Thread(target=server.serve_forever, kwargs=often, daemon=True)
    thread.start()
    host, port = server.server_address[:2]
    try:
        yield f"http://{host!s}:{port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
