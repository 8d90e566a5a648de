"""What both savers add to LangGraph's: checked reads, a listener, and what its server needs."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    BaseCheckpointSaver,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
)
from langgraph.checkpoint.base import id as checkpoint_ids

from shapley_coop.state.storage.checkpoints.serializer import Unreadable

Listener = Callable[[str, Mapping[str, Any], Iterable[str]], Awaitable[None]]
"""Called after each new checkpoint with (thread, the table, the keys that were written)."""

_LABELS = {"run", "graph", "game", "seed", "protocol", "prompt_hash", "simulated"}
"""A run's labels, from `graphs.threads.configured`: only its first checkpoint keeps them."""


class ServerSaverMixin(BaseCheckpointSaver[Any]):
    """Mixed into a saver of LangGraph's.

    Attributes:
        listener: called for each checkpoint of a table, not for those of nested graphs.
    """

    listener: Listener | None = None

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._deleting: set[asyncio.Task[None]] = set()

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """Read a checkpoint; whatever this process writes from now on is newer than the thread.

        Raises:
            Unreadable: it was damaged, or another program wrote it.
        """
        try:
            found = await super().aget_tuple(config)
            readable = found is None or _is_checkpoint(found.checkpoint)
        except (LookupError, NotImplementedError, TypeError, ValueError):
            # The strict serializer raises these for bytes that it did not write.
            readable = False
        if not readable:
            thread = config["configurable"]["thread_id"]
            raise Unreadable(
                f"the checkpoint of {thread} cannot be read: it was damaged, or is none of ours"
            )
        if found is not None:
            _write_after(await self._latest(config, found))
        return found

    async def _latest(self, config: RunnableConfig, found: CheckpointTuple) -> str:
        """The id of the newest checkpoint of the thread that one was found of."""
        place = {**config["configurable"]}
        if place.pop("checkpoint_id", None):  # a fork: it begins at an older one
            async for newest in self.alist({"configurable": place}, limit=1):
                found = newest
        return str(found.checkpoint["id"])

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Keep a checkpoint, then call the listener."""
        place = config["configurable"]
        if place.get("checkpoint_id"):  # its parent's: this is not the first checkpoint
            about = {k: v for k, v in config.get("metadata", {}).items() if k not in _LABELS}
            config = {**config, "metadata": about}
        kept = await super().aput(config, checkpoint, metadata, new_versions)
        if self.listener and not place.get("checkpoint_ns"):
            await self.listener(place["thread_id"], checkpoint["channel_values"], new_versions)
        return kept

    async def adelete_thread(self, thread_id: str) -> None:
        """Start to delete a thread, without waiting for the end.

        The development server keeps a position in its list of threads across this call
        (langgraph-runtime-inmem 0.36): if another task ran meanwhile, it would remove the wrong
        thread from the list.
        """
        task = asyncio.create_task(super().adelete_thread(thread_id))
        self._deleting.add(task)
        task.add_done_callback(self._deleting.discard)

    async def deleted(self) -> None:
        """Wait until every deletion has ended."""
        await asyncio.gather(*self._deleting)


def _write_after(latest: str) -> None:
    """Give new checkpoints ids after the latest one's, whatever the clock says.

    LangGraph takes ids from the clock and the newest checkpoint to be that of the greatest id: on
    a machine whose clock is behind the last worker's, a resumed run would not see its own steps.
    """
    try:
        taken = checkpoint_ids.UUID(latest).time
    except ValueError:
        return  # no id of LangGraph's, so that no clock is in it
    before = checkpoint_ids._last_v6_timestamp
    checkpoint_ids._last_v6_timestamp = taken if before is None else max(before, taken)  # type: ignore[assignment]


def _is_checkpoint(value: Any) -> bool:
    """Whether a value has the shape of a checkpoint."""
    return isinstance(value, dict) and all(
        isinstance(value.get(key), dict)
        for key in ("channel_values", "channel_versions", "versions_seen")
    )
