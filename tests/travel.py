"""For `tests.warm_coop`: fork from a checkpoint, and give a thread new input."""

import asyncio
import json
import sys
from typing import Any

from shapley_coop.cli import main as coop
from shapley_coop.graphs.threads import configure, open_workflow
from shapley_coop.state.run_config import RunConfig
from shapley_coop.state.storage.home import home

CHECKPOINTS, FORK, AGAIN = (f"tests.travel:{name}" for name in ("checkpoints", "fork", "again"))


def checkpoints() -> None:
    """RUN: print the ids of its checkpoints, the oldest first."""

    async def listed() -> list[str]:
        run = home().runs.get(sys.argv[1])
        async with open_workflow(run.graph) as app:
            states = [state async for state in app.aget_state_history(configure(run))]
        return [state.config["configurable"]["checkpoint_id"] for state in reversed(states)]

    print(json.dumps(asyncio.run(listed())))


def fork() -> None:
    """RUN CHECKPOINT: go on from there once more, then `coop resume RUN --json`."""
    asyncio.run(_play(None, checkpoint_id=sys.argv[2]))
    _resume()


def again() -> None:
    """RUN: play what it was given again, on the same thread, then `coop resume RUN --json`."""
    asyncio.run(_play({"room": home().runs.get(sys.argv[1]).room}))
    _resume()


async def _play(given: Any, **place: str) -> None:
    run = home().runs.get(sys.argv[1])
    config = configure(run)
    config["configurable"].update(place)
    async with open_workflow(run.graph) as app:
        async for _ in app.astream(given, config, context=RunConfig(), durability="sync"):
            pass


def _resume() -> None:
    sys.argv = ["coop", "resume", sys.argv[1], "--json"]
    coop()
