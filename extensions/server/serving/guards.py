"""The hooks by which extensions check requests and accompany runs on the LangGraph server."""

from collections.abc import Sequence
from functools import cache

from starlette.middleware import Middleware

from shapley_coop import extension


class Guard:
    """The hooks that an extension gives as its part `guards`; by default they do nothing."""

    def middleware(self) -> Sequence[Middleware]:
        """Return middleware that runs after `BodyLimit`, which puts the body into the scope."""
        return ()

    async def begin(self) -> None:
        """Prepare; the server calls this before it plays any run."""

    async def starting(self, run: str, head: str) -> None:
        """Check a run before this server first plays it; an error stops the run.

        Args:
            run: the run's id.
            head: the id of its thread's latest checkpoint, or "".
        """

    async def saved(self, thread: str) -> None:
        """Note that a checkpoint of a thread was stored."""

    async def end(self) -> None:
        """Clean up; a server that is killed does not call this."""


@cache  # because each checkpoint asks for the guards
def guards() -> tuple[Guard, ...]:
    """Return the guards of all installed extensions."""
    return tuple(extension.load("guards", name) for name in extension.offered("guards"))
