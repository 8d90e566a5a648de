"""A token that ends ends what was asked for with it."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import StreamingResponse
from starlette.routing import Route
from starlette.types import Message

from extensions.tenants.tests.tenants import ANN, BOB, EPISODE, PARTY, write_tokens
from shapley_coop.extensions.server.serving.tenancy import TOKENS
from shapley_coop.extensions.tenants.authorization import Authorization


@pytest.fixture
def tokens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "tokens.yaml"
    monkeypatch.setenv(TOKENS, str(path))
    write_tokens(path, {"ann": ANN, "bob": BOB})
    return path


async def streamed(path: str, token: str, between: Any) -> list[bytes]:
    """What is received of a stream of three parts, of which something happens after the first."""
    begun: list[str] = []

    async def stream(request: Request) -> StreamingResponse:
        async def parts() -> AsyncIterator[str]:
            for part in ("one", "two", "three"):
                begun.append(part)
                yield part

        return StreamingResponse(parts())

    routes = [Route(path, stream)]
    app = Starlette(routes=routes, middleware=[Middleware(Authorization, at_once=1)])
    received: list[bytes] = []

    async def send(message: Message) -> None:
        if message["type"] == "http.response.body":
            received.append(message.get("body", b""))
            if len(received) == 1:
                between()

    async def receive() -> Message:
        await asyncio.Event().wait()
        raise AssertionError

    header = (b"authorization", f"Bearer {token}".encode())
    scope = {"type": "http", "method": "GET", "path": path, "root_path": "", "query_string": b""}
    await app({**scope, "headers": [header], "asgi": {"spec_version": "2.4"}}, receive, send)
    return received


@pytest.mark.parametrize(
    ("path", "token"), [("/threads/t/stream", ANN), (f"/seat/{EPISODE}/Alice", PARTY)]
)
async def test_a_stream_ends_with_its_token(tokens: Path, path: str, token: str) -> None:
    def revoke() -> None:
        tokens.write_text("[]")

    assert await streamed(path, token, lambda: None) == [b"one", b"two", b"three", b""]
    assert await streamed(path, token, revoke) == [b"one", b""]


async def test_a_stream_goes_on_where_another_token_is_revoked(tokens: Path) -> None:
    def revoke_bobs() -> None:
        write_tokens(tokens, {"ann": ANN})

    assert await streamed("/threads/t/stream", ANN, revoke_bobs) == [b"one", b"two", b"three", b""]
