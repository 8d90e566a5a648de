"""A stub's replies, one of which waits in the middle of a run until the test lets it go."""

import threading
from typing import Any

from tests.embedded_reply import reply
from tests.stub_openai import StubOpenAI

HANGS, NAMES = 60, ("Alice", "Bob")


class Held:
    """Replies as the embedded agents do, but the middle call waits.

    Args:
        middle: the number of the call that waits.
    """

    def __init__(self, middle: int) -> None:
        self.reached, self.let_go = threading.Event(), threading.Event()
        self._middle, self._calls = middle, 0

    def __call__(self, messages: Any, request: Any) -> Any:
        self._calls += 1
        if self._calls == self._middle:
            self.reached.set()
            assert self.let_go.wait(HANGS)
        return reply(messages, request)


def seats_at(stub: StubOpenAI) -> dict[str, Any]:
    """Return Escape Room's seats, at which the stub answers as each agent."""
    return {name: {"model": f"openai:{name}", "base_url": stub.base_url} for name in NAMES}
