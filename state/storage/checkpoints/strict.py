"""What our savers add to LangGraph's: strict about what they load, and fit for its server."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any, Self

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    BaseCheckpointSaver,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
)
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

from shapley_coop.state.storage.checkpoints.packing import Unreadable, pack, unpack

Listener = Callable[[str, Mapping[str, Any], Iterable[str]], Awaitable[None]]
"""Hears of a thread's new checkpoint: (thread, the table, which of its keys were written)."""

_PLAIN, _PACKED = "msgpack", "msgpack+zlib"

_SHORT = 64
"""Bytes that are not worth packing."""

_LABELS = {"run", "graph", "game", "seed", "protocol", "prompt_hash", "simulated"}
"""What `graphs.running.configured` says of a run: LangGraph would repeat it in every checkpoint."""


class ServerSaverMixin(BaseCheckpointSaver[Any]):
    """What the LangGraph server needs of a saver besides; mixed into one that keeps something.

    Attributes:
        listener: hears of every checkpoint of a table; what agents think is none.
    """

    listener: Listener | None = None

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._deleting: set[asyncio.Task[None]] = set()

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """Read a checkpoint.

        Raises:
            Unreadable: it is none.
        """
        try:
            found = await super().aget_tuple(config)
            sound = found is None or _is_one(found.checkpoint)
        except (LookupError, NotImplementedError, TypeError, ValueError):
            # What the strict serializer raises over bytes that are no checkpoint of ours.
            sound = False
        if not sound:
            thread = config["configurable"]["thread_id"]
            raise Unreadable(
                f"the checkpoint of {thread} cannot be read: it was damaged, or is none of ours"
            )
        return found

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Keep a checkpoint, then tell of it."""
        place = config["configurable"]
        if place.get("checkpoint_id"):  # its parent's: it is not the first
            about = {k: v for k, v in config.get("metadata", {}).items() if k not in _LABELS}
            config = {**config, "metadata": about}
        kept = await super().aput(config, checkpoint, metadata, new_versions)
        if self.listener and not place.get("checkpoint_ns"):
            await self.listener(place["thread_id"], checkpoint["channel_values"], new_versions)
        return kept

    async def adelete_thread(self, thread_id: str) -> None:
        """Begin to forget a thread, and do not wait for it.

        The development server remembers a position in its list of threads across this call
        (langgraph-runtime-inmem 0.36). Where something else runs meanwhile, it is somebody
        else's thread that is taken off the list.
        """
        task = asyncio.create_task(super().adelete_thread(thread_id))
        self._deleting.add(task)
        task.add_done_callback(self._deleting.discard)

    async def deleted(self) -> None:
        """Wait until all that was to be forgotten is."""
        await asyncio.gather(*self._deleting)


class StrictSerializer(JsonPlusSerializer):
    """Builds no object from a checkpoint: the state is plain JSON, packed where that pays."""

    def __init__(self) -> None:
        super().__init__(allowed_msgpack_modules=None)

    def dumps_typed(self, obj: Any) -> tuple[str, bytes]:
        """Write a value."""
        kind, data = super().dumps_typed(obj)
        if kind == _PLAIN and len(data) > _SHORT:
            return _PACKED, pack(data)
        return kind, data

    def loads_typed(self, data: tuple[str, bytes]) -> Any:
        """Read a value back.

        Raises:
            Unreadable: it is not written as ours are.
        """
        kind, content = data
        if kind == _PACKED:
            kind, content = _PLAIN, unpack(content)
        if kind not in (_PLAIN, "null"):
            raise Unreadable(f"a checkpoint is written as {kind!r}: only msgpack is read")
        return super().loads_typed((kind, content))

    def with_msgpack_allowlist(self, extra_allowlist: Iterable[tuple[str, ...] | type]) -> Self:
        """Itself: the types in a graph's annotations are for its forms, not for its checkpoints.

        A copy would not do on the server, whose adapter around a saver cannot be copied
        (langgraph-api 0.16: it recurses without end).
        """
        return self


def _is_one(checkpoint: Any) -> bool:
    """Whether what was read has the shape of a checkpoint."""
    return isinstance(checkpoint, dict) and all(
        isinstance(checkpoint.get(key), dict)
        for key in ("channel_values", "channel_versions", "versions_seen")
    )


def strict() -> JsonPlusSerializer:
    """The serializer of all savers."""
    return StrictSerializer()
