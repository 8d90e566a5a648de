"""Run a server, or a coroutine, in a thread for the length of a `with` block."""

import asyncio
import threading
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager, suppress
from socketserver import BaseServer
from typing import Any


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


@contextmanager
def beside(work: Coroutine[Any, Any, Any]) -> Iterator[threading.Thread]:
    """Run a coroutine in a thread, and cancel it if it has not ended with the block.

    A thread that outlives its test would play on in the home of another test.
    """
    loop = asyncio.new_event_loop()
    task = loop.create_task(work)

    def run() -> None:
        with suppress(asyncio.CancelledError):
            loop.run_until_complete(task)

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield thread
    finally:
        if thread.is_alive():
            loop.call_soon_threadsafe(task.cancel)
        thread.join()
        loop.close()
