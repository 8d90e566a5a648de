"""Whatever an agent elsewhere sends, on its card or in its answers, is a typed stop in one line."""

import asyncio
import gzip
import json
import socket
import struct
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any
from uuid import uuid4

import pytest
from google.protobuf.json_format import MessageToDict

from extensions.a2a.tests.a2a_agents import card_of
from shapley_coop.seats.asking import Enquiry, ask
from shapley_coop.seats.clients import clients
from shapley_coop.seats.letters import Letter
from shapley_coop.seats.seat import Seat, SeatError
from shapley_coop.state.storage.home import home

pytestmark = pytest.mark.slow

Writer = asyncio.StreamWriter
Fault = Callable[[Writer], Awaitable[None]]

SECRET = "a-private-letter"


def response(
    body: bytes, status: str = "200 OK", kind: str = "application/json", **headers: str
) -> bytes:
    told = {"content-type": kind, "content-length": str(len(body)), "connection": "close"}
    told |= {name.replace("_", "-"): value for name, value in headers.items()}
    lines = "".join(f"{name}: {value}\r\n" for name, value in told.items())
    return f"HTTP/1.1 {status}\r\n{lines}\r\n".encode() + body


def sends(*pieces: bytes) -> Fault:
    async def fault(writer: Writer) -> None:
        for piece in pieces:
            writer.write(piece)
            await writer.drain()

    return fault


async def resets(writer: Writer) -> None:
    raw = writer.get_extra_info("socket")
    raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()


async def floods(writer: Writer) -> None:
    writer.write(response(b"", content_length="99999999"))
    for _ in range(64):
        writer.write(b"[" * 65_536)
        await writer.drain()


async def drips(writer: Writer) -> None:
    writer.write(response(b"", content_length="99999"))
    while True:
        writer.write(b" ")
        await writer.drain()
        await asyncio.sleep(0.02)


def rpc(result: Any) -> Fault:
    return sends(response(json.dumps({"jsonrpc": "2.0", "id": "1", "result": result}).encode()))


def task(state: str, **more: Any) -> dict[str, Any]:
    return {"task": {"id": "t", "contextId": "c", "status": {"state": state, **more}}}


def error(code: Any) -> Fault:
    told = {"code": code, "message": SECRET}
    return sends(response(json.dumps({"jsonrpc": "2.0", "id": "1", "error": told}).encode()))


def stream(*events: str) -> Fault:
    body = "".join(f"data: {event}\n\n" for event in events).encode()
    return sends(response(body, kind="text/event-stream"))


STATUSES = [301, 307, 400, 401, 403, 404, 405, 413, 418, 429, 500, 502, 503, 504]

ANYWHERE: dict[str, Fault] = {
    **{f"HTTP {n}": sends(response(SECRET.encode(), f"{n} X", location="/")) for n in STATUSES},
    "closes": sends(b""),
    "resets": resets,
    "no HTTP": sends(b"\x00\x01\x02 SSH-2.0\r\n\r\n"),
    "half a body": sends(response(b'{"a"', content_length="100")),
    "nothing": sends(response(b"")),
    "no JSON": sends(response(b"<html>hello</html>", kind="text/html")),
    "no UTF-8": sends(response(b'"\xff\xfe"')),
    "a list": sends(response(b"[]")),
    "null": sends(response(b"null")),
    "a number": sends(response(b"1e999")),
    "too deep": sends(response(b"[" * 100_000)),
    "a flood": floods,
    "a drip": drips,
    "packed": sends(response(gzip.compress(b"0" * 10_000_000), content_encoding="gzip")),
}

IN_ANSWERS: dict[str, Fault] = {
    "no result": sends(response(b'{"jsonrpc": "2.0", "id": "1"}')),
    "an empty result": rpc({}),
    "a result of text": rpc("done"),
    "a result of numbers": rpc([1, 2]),
    "a state that is none": rpc(task("TASK_STATE_HUNGRY")),
    "a state of another kind": rpc(task("x", message=17)),
    "failed": rpc(task("TASK_STATE_FAILED")),
    "rejected": rpc(task("TASK_STATE_REJECTED")),
    "canceled": rpc(task("TASK_STATE_CANCELED")),
    "wants to be let in": rpc(task("TASK_STATE_AUTH_REQUIRED")),
    "completed and silent": rpc(task("TASK_STATE_COMPLETED")),
    "method not found": error(-32601),
    "version not supported": error(-32009),
    "an error of its own": error(-1),
    "an error that is none": error("x"),
    "a stream of garbage": stream("{{{"),
    "a stream of nothing": stream(),
    "a stream that errs": sends(response(b"event: error\ndata: {}\n\n", kind="text/event-stream")),
}


@asynccontextmanager
async def an_agent(card: Fault | None, answer: Fault, streams: bool) -> AsyncIterator[str]:
    """An agent whose card, or whose answers, go wrong."""
    url = ""

    async def serve(reader: asyncio.StreamReader, writer: Writer) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        sound = MessageToDict(card_of(f"{url}/rpc", streaming=streams))
        wrong = card if head.startswith("GET") else answer
        try:
            await (wrong or sends(response(json.dumps(sound).encode())))(writer)
            writer.close()
        except OSError:
            writer.close()  # the client has gone

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    try:
        yield url
    finally:
        server.close()


async def told(card: Fault | None, answer: Fault, streams: bool) -> str:
    """Why a letter was not answered."""
    question = Enquiry(uuid4().hex, "Bob", "reason", Letter(SECRET, "Its facts."), at="1")
    async with an_agent(card, answer, streams) as url:
        seat = Seat(model=f"a2a:{url}", timeout=0.5)
        with pytest.raises(SeatError) as stopped:
            async with clients():
                await ask(seat, 0, question, home().journal)
    return str(stopped.value)


def check_words(words: str) -> None:
    assert words.startswith("Bob's seat (a2a:http://127.0.0.1:")
    assert "did not answer: " in words
    assert "\n" not in words
    assert SECRET not in words
    assert ";" in words, "it names a mend"


@pytest.mark.parametrize("name", ANYWHERE)
async def test_a_card_that_is_none(name: str) -> None:
    check_words(await told(ANYWHERE[name], ANYWHERE[name], streams=False))


@pytest.mark.parametrize("streams", [False, True])
@pytest.mark.parametrize("name", [*ANYWHERE, *IN_ANSWERS])
async def test_an_answer_that_is_none(name: str, streams: bool) -> None:
    check_words(await told(None, {**ANYWHERE, **IN_ANSWERS}[name], streams))
