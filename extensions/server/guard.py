"""The hooks of this extension into the LangGraph server."""

from collections.abc import Sequence

from shapley_coop.extensions.server.known_keys import KnownKeys
from shapley_coop.extensions.server.quarantine import end_notes, note_start
from shapley_coop.extensions.server.recovery import note, recover
from shapley_coop.extensions.server.serving.guards import Guard
from shapley_coop.extras import require_extra

with require_extra("dev", "the LangGraph server"):
    from starlette.middleware import Middleware


class Hardening(Guard):
    """The hooks that check requests, restore threads, and quarantine runs."""

    def middleware(self) -> Sequence[Middleware]:
        """Return the middleware that refuses unknown keys."""
        return [Middleware(KnownKeys)]

    async def begin(self) -> None:
        """Restore the threads that a kill lost from the server's list (`recover`)."""
        await recover()

    async def starting(self, run: str, head: str) -> None:
        """Note the start of a run; refuse a quarantined run (`quarantine.note_start`)."""
        await note_start(run, head)

    async def saved(self, thread: str) -> None:
        """Record in the server's notes that a thread is active (`recovery.note`)."""
        await note(thread)

    async def end(self) -> None:
        """Delete this server's notes (`end_notes`)."""
        await end_notes()


GUARD = Hardening()
