"""How much a request may carry."""

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from shapley_coop.serve.server.authorization import answer


class Intake:
    """Reads a request's body whole before it goes on, and refuses one that is too large.

    Args:
        app: what is behind it.
        most: bytes.
    """

    def __init__(self, app: ASGIApp, most: int) -> None:
        self._app = app
        self._most = most

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one connection."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        body = bytearray()
        while True:
            message = await receive()
            if message["type"] != "http.request":
                return
            body += message.get("body", b"")
            if len(body) > self._most:
                await answer(send, 413, f"A request may carry {self._most} bytes")
                return
            if not message.get("more_body"):
                break
        await self._app({**scope, "body": bytes(body)}, again(bytes(body), receive), send)


def again(body: bytes, receive: Receive) -> Receive:
    """A `receive` that hands over a body that has been read, and then whatever comes."""
    waiting: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def handed() -> Message:
        return waiting.pop() if waiting else await receive()

    return handed
