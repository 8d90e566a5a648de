"""The server's checkpointer, which is that of the home. `langgraph.json` names `checkpoints`."""

from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from typing import Any

from langgraph.checkpoint.base import BaseCheckpointSaver

from shapley_coop.extensions.server.serving.guards import guards
from shapley_coop.extensions.server.serving.labels import label
from shapley_coop.extensions.server.serving.operator_only import restrict
from shapley_coop.extensions.server.serving.scoring import score_when_ended
from shapley_coop.extensions.server.serving.tenancy import tenancy
from shapley_coop.state.storage.checkpoints.savers import saver
from shapley_coop.state.storage.home import home


@asynccontextmanager
async def checkpoints() -> AsyncIterator[BaseCheckpointSaver[Any]]:
    """Open the home's checkpointer. The server calls this once in each of its event loops."""
    restrict()
    async with saver(home(), listener=_on_checkpoint, starting=_note_start) as kept:
        yield kept


async def _note_start(run: str, head: str, place: Mapping[str, Any]) -> None:
    if tenants := tenancy():
        await tenants.check_new(place)
    for guard in guards():
        await guard.starting(run, head)


async def _on_checkpoint(thread: str, table: Mapping[str, Any], written: Iterable[str]) -> None:
    for guard in guards():
        await guard.saved(thread)
    await label(thread, table, written)
    score_when_ended(thread, table, written)
