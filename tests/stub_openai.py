"""A chat-completions endpoint on the loopback interface, for tests of whatever talks to one.

In the test's own process, on a thread of its own:

    with StubOpenAI(reply, faults=[Fault.rate_limited(retry_after=0.01)]) as stub:
        model = ChatOpenAI(base_url=stub.base_url, api_key="test", model="stub")

In a process of its own, to count calls whatever is killed (`stub_process` does it):

    python -m tests.stub_openai --log calls.jsonl --reply package.module:reply
"""

import argparse
import asyncio
import json
import os
import pkgutil
import socket
import struct
import subprocess
import sys
import threading
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NoReturn, Self

from aiohttp import web
from anyio.from_thread import start_blocking_portal

from tests.root import ROOT
from tests.stub_batches import StubBatches
from tests.stub_faults import SOUND, Answer, Completion, Fault, answer_with
from tests.stub_form import as_asked

CHAT = ("POST", "/v1/chat/completions")
MODELS = ("GET", "/v1/models")

Reply = Callable[[list[dict[str, Any]], dict[str, Any]], str | Completion]

Manner = Callable[[Completion, dict[str, Any]], Completion]
"""From a sound completion and its request to what is sent in its place."""


def echo(messages: list[dict[str, Any]], request: dict[str, Any]) -> str:
    """Reply with the text of the last message."""
    return str(messages[-1]["content"])


@dataclass(frozen=True)
class ReceivedRequest:
    """One request as it arrived.

    Attributes:
        headers: By lower-case name, without `authorization`.
        key_present: Whether the request carried a key, which is never recorded.
        body: The JSON body, or None if there was none that can be read.
        fault: The name of the fault that it met, if any.
    """

    method: str
    path: str
    headers: dict[str, str]
    key_present: bool
    body: Any
    fault: str | None

    @property
    def is_call(self) -> bool:
        """Whether it asked for a chat completion."""
        return (self.method, self.path) == CHAT


class StubOpenAI:
    """An OpenAI-compatible server that answers with `reply`, and goes wrong to order.

    Args:
        reply: Called with the messages and the whole request, one call at a time, on the server's
            thread. What it raises is answered as a 500 and raised again when the block ends; so
            is what does not fit the request's schema, or the tools that it offers.
        faults: One is used up by each chat request, in order of arrival; None is a sound call,
            and so is every call after the last.
        latency: Seconds from a chat request to the asking of `reply`, or to the fault.
        log: A file to which each request is appended as a line of JSON, synced to disk before the
            request is answered; read it with `read_log`.
        port: 0 takes a free one.
        manner: What becomes of each sound completion before a fault spoils it: the manner of an
            endpoint that does not keep to what it is asked for.
        batches: Its files and batches; without them it has none, as most servers.

    Attributes:
        requests: Every request so far, in order of arrival.
        faults: The faults still to come.
    """

    def __init__(
        self,
        reply: Reply = echo,
        *,
        faults: Iterable[Fault | None] = (),
        latency: float = 0.0,
        log: Path | None = None,
        port: int = 0,
        manner: Manner = lambda said, request: said,
        batches: StubBatches | None = None,
    ) -> None:
        self.requests: list[ReceivedRequest] = []
        self.faults = deque(faults)
        self._reply = reply
        self._latency = latency
        self._log = log
        self._port = port
        self._manner = manner
        self.batches = batches
        self._arrived = threading.Condition()
        self._reply_errors: list[Exception] = []
        self._running = ExitStack()

    @property
    def base_url(self) -> str:
        """The address to give to a client, for instance `http://127.0.0.1:40123/v1`."""
        return f"http://127.0.0.1:{self._port}/v1"

    @property
    def calls(self) -> int:
        """How many chat completions were asked for, answered or not."""
        return sum(request.is_call for request in self.requests)

    def wait_for_calls(self, count: int, timeout: float = 300.0) -> None:
        """Block until `count` chat requests have arrived; inside a loop, use `to_thread`.

        Raises:
            TimeoutError: They have not arrived after `timeout` seconds.
        """
        with self._arrived:
            if not self._arrived.wait_for(lambda: self.calls >= count, timeout):
                raise TimeoutError(f"{self.calls} of {count} calls arrived in {timeout:g} s")

    def __enter__(self) -> Self:
        with ExitStack() as starting:
            portal = starting.enter_context(start_blocking_portal())
            serving = portal.wrap_async_context_manager(self._serving())
            self._port = starting.enter_context(serving)
            self._running = starting.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._running.close()
        if self._reply_errors:
            raise self._reply_errors[0]

    @asynccontextmanager
    async def _serving(self) -> AsyncIterator[int]:
        app = web.Application(client_max_size=2**26)
        app.router.add_route("*", "/{path:.*}", self._handle)
        # A client that leaves ends its handler, and so does the end of the block, at once: hence
        # cancellation, and a grace period that is as good as none (0 would mean forever).
        runner = web.AppRunner(
            app, access_log=None, handler_cancellation=True, shutdown_timeout=0.01
        )
        await runner.setup()
        try:
            site = web.TCPSite(runner, "127.0.0.1", self._port)
            await site.start()
            yield runner.addresses[0][1]
        finally:
            await runner.cleanup()

    async def _handle(self, http: web.Request) -> web.StreamResponse:
        if self.batches and http.path.startswith(("/v1/files", "/v1/batches")):
            self._record(_received(http, b"", None))
            return await _send(http, await self.batches.answer(http, self._ask))
        content = await http.read()
        # From here to the record nothing awaits: faults are used up in the record's order.
        route = (http.method, http.path)
        fault = self.faults.popleft() if route == CHAT and self.faults else None
        request = _received(http, content, fault)
        self._record(request)
        if route == CHAT:
            return await self._chat(http, request.body, fault or SOUND)
        if route == MODELS:
            model = {"id": "stub", "object": "model", "created": 0, "owned_by": "tests"}
            return await _send(http, Answer.of_json({"object": "list", "data": [model]}))
        said = f"Unknown request URL: {' '.join(route)}"
        return await _send(http, Answer.of_error(404, "invalid_request_error", None, said))

    def _record(self, request: ReceivedRequest) -> None:
        if self._log is not None:
            with self._log.open("a", encoding="utf-8") as lines:
                lines.write(json.dumps(asdict(request)) + "\n")
                lines.flush()
                os.fsync(lines.fileno())
        with self._arrived:
            self.requests.append(request)
            self._arrived.notify_all()

    async def _chat(self, http: web.Request, body: Any, fault: Fault) -> web.StreamResponse:
        number = self.calls
        await asyncio.sleep(self._latency)
        if fault.delivery == "hang":
            return await _until_disconnected()
        if fault.delivery in ("reset", "close", "garbage"):
            return await _broken_off(http, fault)
        return await _send(http, fault.instead or self._ask(body, fault, number), fault)

    def _ask(self, body: Any, fault: Fault, number: int) -> Answer:
        """Have the model answer, and the fault spoil what it says."""
        match body:
            case {"model": str(), "messages": [_, *_] as messages}:
                pass
            case _:
                said = "A request needs a model and a non-empty list of messages"
                return Answer.of_error(400, "invalid_request_error", None, said)
        try:
            said = self._manner(as_asked(self._reply(messages, body), body), body)
        except Exception as error:
            self._reply_errors.append(error)
            # The header keeps the client from asking again: the test has failed already.
            said, header = f"reply raised {error!r}", {"x_should_retry": "false"}
            return Answer.of_error(500, "server_error", None, said, **header)
        return answer_with(fault.spoil(said), body, number)


def _received(http: web.Request, content: bytes, fault: Fault | None) -> ReceivedRequest:
    headers = {name.lower(): value for name, value in http.headers.items()}
    authorization = headers.pop("authorization", "")
    try:
        body = json.loads(content)
    except ValueError:
        body = None
    return ReceivedRequest(
        method=http.method,
        path=http.path,
        headers=headers,
        key_present=bool(authorization.removeprefix("Bearer").strip()),
        body=body,
        fault=fault.name if fault else None,
    )


async def _send(http: web.Request, answer: Answer, fault: Fault = SOUND) -> web.StreamResponse:
    response = web.StreamResponse(status=answer.status, headers=answer.headers)
    response.content_type = answer.content_type
    body = b"".join(answer.parts)
    if len(answer.parts) == 1:
        response.content_length = len(body)
    await response.prepare(http)
    if fault.delivery in ("half", "stall"):
        await response.write(body[: len(body) // 2])
        if fault.delivery == "half":
            assert http.transport is not None
            http.transport.close()
        return await _until_disconnected()
    parts = answer.parts
    if fault.delivery == "drip":
        parts = tuple(bytes([byte]) for byte in body)
    for part in parts:
        await response.write(part)
        await asyncio.sleep(fault.pause)
    await response.write_eof()
    return response


async def _broken_off(http: web.Request, fault: Fault) -> NoReturn:
    """End the connection without an answer."""
    assert http.transport is not None  # a client that had left would have cancelled this
    if fault.delivery == "reset":
        # A socket that lingers for no time at all is closed by a reset.
        lingering = struct.pack("ii", 1, 0)
        connection = http.transport.get_extra_info("socket")
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, lingering)
        http.transport.abort()
    else:
        http.transport.write(b"\0\xff 200 fine\r\n\r\n" if fault.delivery == "garbage" else b"")
        http.transport.close()
    await _until_disconnected()


async def _until_disconnected() -> NoReturn:
    """Wait to be cancelled, which is what the end of a connection, or of the server, does."""
    await asyncio.Event().wait()
    raise AssertionError("nobody else holds this event")


def read_log(log: Path) -> list[ReceivedRequest]:
    """Read what servers wrote to a log; a file that does not exist holds no request."""
    if not log.exists():
        return []
    lines = log.read_text(encoding="utf-8").splitlines()
    return [ReceivedRequest(**json.loads(line)) for line in lines]


@contextmanager
def stub_process(*options: str) -> Iterator[str]:
    """Run a stub in a process of its own and give its base URL.

    The process ends with the block, or with the caller however that ends: it runs until its
    standard input closes.

    Args:
        options: As on the command line: `--port`, `--latency`, `--log`, `--reply`, `--faults`.

    Raises:
        RuntimeError: The process ended before it served; its standard error says why.
    """
    command = [sys.executable, "-m", "tests.stub_openai", *options]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, cwd=ROOT) as process:
        assert process.stdout is not None
        base_url = process.stdout.readline().strip()
        if not base_url:
            raise RuntimeError(f"no server came up: {' '.join(command)}")
        yield base_url


def main() -> None:
    """Serve until standard input closes; the first line printed is the base URL."""
    options = argparse.ArgumentParser(prog="python -m tests.stub_openai", description=main.__doc__)
    options.add_argument("--port", type=int, default=0, help="0 takes a free one")
    options.add_argument("--latency", type=float, default=0.0, help="seconds per chat request")
    options.add_argument("--log", type=Path, help="append each request to this file")
    options.add_argument("--reply", default="tests.stub_openai:echo", help="module:function")
    options.add_argument("--faults", help="module:name of a list of faults")
    given = options.parse_args()
    with StubOpenAI(
        pkgutil.resolve_name(given.reply),
        faults=pkgutil.resolve_name(given.faults) if given.faults else (),
        latency=given.latency,
        log=given.log,
        port=given.port,
    ) as stub:
        print(stub.base_url, flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main()
