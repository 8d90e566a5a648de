"""The tools over the runs of this machine's home, for a client that starts `coop mcp`."""

import asyncio
import json
import sys
from typing import Any

from shapley_coop.evals.verifying import Check, verify_run
from shapley_coop.extensions.mcp.place import Standing
from shapley_coop.extensions.mcp.protocol import PARSE, Tool, answered, failed
from shapley_coop.extensions.mcp.tools import tools
from shapley_coop.graphs.finding import every_run, run_of
from shapley_coop.graphs.preparing import prepare
from shapley_coop.graphs.running import Waiting, follow
from shapley_coop.graphs.threads import table_of
from shapley_coop.state.listing import RunFilter, list_line
from shapley_coop.state.resuming import command_for
from shapley_coop.state.storage.home import home
from shapley_coop.state.storage.register import Run


class HomeRuns:
    """The home's runs; those that are begun here are played in this process."""

    def __init__(self) -> None:
        self._playing: dict[str, asyncio.Task[None]] = {}

    async def begin(self, workflow: str, room: dict[str, Any]) -> str:
        """Start a run beside what is played already."""
        run = await asyncio.to_thread(prepare, workflow, room)
        self._playing[run.run] = asyncio.create_task(_play(run))
        return run.run

    async def wait(self, run: str, seconds: float) -> None:
        """Return when a run that was begun here stands still, or after so many seconds."""
        if playing := self._playing.get(run):
            await asyncio.wait([playing], timeout=seconds)

    async def standing(self, run: str) -> Standing:
        """Return how a run stands."""
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
        """Recompute what an ended run states, and compare its rows with their seal."""
        return await verify_run(run)

    async def finish(self) -> None:
        """Leave runs that are still played: `coop resume` goes on with them."""
        for playing in self._playing.values():
            playing.cancel()
        await asyncio.gather(*self._playing.values(), return_exceptions=True)


async def _play(run: Run) -> None:
    try:
        await follow(run)
    except Waiting:
        pass  # the register says for whom
    except Exception as error:
        why = f"{type(error).__name__}: go on with {command_for(run, 'resume')}"
        await asyncio.to_thread(home().runs.finish, run.run, "failed", None, why)


async def serve_stdio() -> None:
    """Answer the messages of standard input, one a line, until it ends."""
    place = HomeRuns()
    offered = tools(place)
    try:
        while line := await asyncio.to_thread(sys.stdin.readline):
            if line.strip() and (answer := await _answer(line, offered)):
                sys.stdout.write(json.dumps(answer, ensure_ascii=False) + "\n")
                sys.stdout.flush()
    finally:
        await place.finish()


async def _answer(line: str, offered: list[Tool]) -> dict[str, Any] | None:
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        return failed(None, PARSE, "Send one JSON-RPC message a line")
    return await answered(message, offered)
