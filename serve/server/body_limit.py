"""The size limit of requests."""

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from shapley_coop.serve.server.authorization import answer


class BodyLimit:
    """Reads the whole body before it passes a request on; answers 413 to one that is too large.

    Args:
        app: the next application.
        most: the limit in bytes.
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
                await answer(send, 413, f"A request may have at most {self._most} bytes")
                return
            if not message.get("more_body"):
                break
        await self._app({**scope, "body": bytes(body)}, replayed(bytes(body), receive), send)


def replayed(body: bytes, receive: Receive) -> Receive:
    """A `receive` that returns a body which was read before, then what follows."""
    waiting: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive_again() -> Message:
        return waiting.pop() if waiting else await receive()

    return receive_again
