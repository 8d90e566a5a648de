"""The MCP tools for the runs of this machine's home, served to a client by `coop mcp`."""

import asyncio
from contextlib import nullcontext
from typing import Any

from shapley_coop.evals.verifying import Check, verify_run
from shapley_coop.extensions.mcp.place import Standing
from shapley_coop.extensions.mcp.serving import server
from shapley_coop.extensions.mcp.tools import TOOLS
from shapley_coop.extras import require_extra
from shapley_coop.graphs.finding import every_run, run_of
from shapley_coop.graphs.preparing import prepare
from shapley_coop.graphs.running import Waiting, follow
from shapley_coop.graphs.threads import table_of
from shapley_coop.state.listing import RunFilter, list_line
from shapley_coop.state.resuming import command_for
from shapley_coop.state.storage.home import home
from shapley_coop.state.storage.register import Run

with require_extra("mcp", "an MCP server"):
    from mcp import stdio_server


class HomeRuns:
    """The `Place` that finds runs in this machine's home and plays new runs in this process."""

    def __init__(self) -> None:
        self._playing: dict[str, asyncio.Task[None]] = {}

    async def begin(self, workflow: str, room: dict[str, Any]) -> str:
        """Start a run in the background and return its name."""
        run = await asyncio.to_thread(prepare, workflow, room)
        self._playing[run.run] = asyncio.create_task(_play(run))
        return run.run

    async def wait(self, run: str, seconds: float) -> None:
        """Wait at most `seconds` until a run of this process stops or waits for people."""
        if playing := self._playing.get(run):
            await asyncio.wait([playing], timeout=seconds)

    async def standing(self, run: str) -> Standing:
        """Return the current state of a run."""
        known = await run_of(run)
        failed_ = known.why if known.state == "failed" else ""
        waits = {}
        if known.state == "waiting":
            table = await table_of(known)
            waiting = [a for a in table["agents"] if home().journal.mail(table["episode"], a)]
            waits = {
                agent: known.why if known.served else command_for(known, "answer", agent)
                for agent in waiting
            }
        return Standing(list_line(known), known.result, await table_of(known), failed_, waits)

    async def listed(self, game: str, limit: int) -> list[dict[str, Any]]:
        """Return the newest runs, one line each."""
        return [list_line(run) for run in RunFilter(game=game)(await every_run())][:limit]

    async def verified(self, run: str) -> list[Check]:
        """Recompute an ended run's results, and compare its database rows with their seal."""
        return await verify_run(run)

    async def finish(self) -> None:
        """Cancel the unfinished runs of this process; `coop resume` can resume these runs."""
        for playing in self._playing.values():
            playing.cancel()
        await asyncio.gather(*self._playing.values(), return_exceptions=True)


async def _play(run: Run) -> None:
    try:
        await follow(run)
    except Waiting:
        pass  # the register already names the people who must reply
    except Exception as error:
        why = f"{type(error).__name__}: go on with {command_for(run, 'resume')}"
        await asyncio.to_thread(home().runs.finish, run.run, "failed", None, why)


async def serve_stdio() -> None:
    """Serve the tools on standard input and output until the input ends."""
    place = HomeRuns()
    offered = server(TOOLS, lambda _: nullcontext(place))
    try:
        async with stdio_server() as (asked, answered):
            await offered.run(asked, answered, offered.create_initialization_options())
    finally:
        await place.finish()
