"""What both savers add to LangGraph's: owners, checked reads, a listener, what its server needs.

A thread belongs to the owner whose run or request wrote its first checkpoint. Whoever reads,
writes or deletes its checkpoints for another owner is refused; the server itself, which acts for
nobody, may do all. On one's own machine there are no owners and nothing is looked up.
"""

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
)
from langgraph.checkpoint.base import id as checkpoint_ids

from shapley_coop.state.storage.checkpoints.in_thread import InThread
from shapley_coop.state.storage.checkpoints.serializer import Unreadable
from shapley_coop.state.storage.owned import Owners
from shapley_coop.state.storage.owners import OWNER_KEY, SERVER, requested

Listener = Callable[[str, Mapping[str, Any], Iterable[str]], Awaitable[None]]
"""Called after each new checkpoint with (thread, the table, the keys that were written)."""

Starting = Callable[[str, str, Mapping[str, Any]], Awaitable[None]]
"""Called before this process first plays a run; may raise.

With (run, its thread's latest checkpoint, the run's configurable if no checkpoint is its own yet).
"""

_MOST_RUNS = 10_000

_LABELS = {"run", "graph", "game", "seed", "protocol", "prompt_hash", "simulated"}
"""A run's labels, from `graphs.threads.configured`: only its first checkpoint keeps them."""


class ServerSaverMixin(InThread):
    """Mixed into a saver of LangGraph's.

    Attributes:
        listener: called for each checkpoint of a table, not for those of nested graphs.
        starting: called before this process first plays a run.
        owners: whose the threads are; None where nobody has any.
        fences: a run that is played here → what raises where another worker has taken it over.
    """

    listener: Listener | None = None
    starting: Starting | None = None
    owners: Owners | None = None

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._deleting: set[asyncio.Task[None]] = set()
        self._played: OrderedDict[str, str] = OrderedDict()  # run → its thread
        self.fences: dict[str, Callable[[], Awaitable[None]]] = {}

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """Read a checkpoint; whatever this process writes from now on is newer than the thread.

        Raises:
            NotYours: the thread belongs to another owner.
            Unreadable: it was damaged, or another program wrote it.
        """
        await self._check(config)
        place = config["configurable"]
        try:
            found = await super().aget_tuple(config)
            readable = found is None or _is_checkpoint(found.checkpoint)
        except (AttributeError, LookupError, NotImplementedError, TypeError, ValueError):
            # What reads them raises these for bytes that it did not write.
            readable = False
        if not readable:
            raise Unreadable(
                f"the checkpoint of {place['thread_id']} cannot be read: "
                "it was damaged, or is none of ours"
            )
        if found is not None:
            _write_after(await self._latest(config, found))
        await self._begins(config, found)
        return found

    async def alist(
        self, config: RunnableConfig | None, **options: Any
    ) -> AsyncIterator[CheckpointTuple]:
        """List a thread's checkpoints, newest first.

        Raises:
            NotYours: the thread belongs to another owner.
        """
        await self._check(config or {})
        async for checkpoint in super().alist(config, **options):
            yield checkpoint

    async def aput_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        """Keep the writes of a task.

        Raises:
            NotYours: the thread belongs to another owner.
        """
        await self._check(config, claim=True)
        await super().aput_writes(config, writes, task_id, task_path)

    async def _latest(self, config: RunnableConfig, found: CheckpointTuple) -> str:
        """Return the id of the newest checkpoint of the thread that one was found of."""
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
        """Keep a checkpoint, then call the listener.

        Raises:
            LeaseLost: another worker has taken the run over.
            NotYours: the thread belongs to another owner.
        """
        await self._check(config, claim=True)
        place = config["configurable"]
        if fence := self.fences.get(place["thread_id"]):
            await fence()
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

        Raises:
            NotYours: the thread belongs to another owner.
        """
        await self._check({"configurable": {"thread_id": thread_id}})
        task = asyncio.create_task(super().adelete_thread(thread_id))
        self._deleting.add(task)
        task.add_done_callback(self._deleting.discard)

    async def adelete_for_runs(self, run_ids: Sequence[str]) -> None:
        """Delete the checkpoints of some runs, each of one thread and of its owner.

        LangGraph's server passes no thread, and calls this before it knows that the run is of the
        thread that a request names. So in a request the thread is the request's; outside of one,
        where the server takes a run back that it has played, it is the thread that the run was
        played in.

        Raises:
            NotYours: the thread belongs to another owner.
        """
        request = requested()
        for run in map(str, run_ids):
            if request:
                threads = [request.thread] if request.thread else []
            elif run in self._played:
                threads = [self._played[run]]
            else:
                threads = await self.threads_of(run)
            for thread in threads:
                await self._check({"configurable": {"thread_id": thread}})
                await self.delete_run(thread, run)

    async def _check(self, config: RunnableConfig, *, claim: bool = False) -> None:
        """Make sure that a thread belongs to the owner for whom this is called, if there is one.

        Raises:
            NotYours: it belongs to another owner.
        """
        place = config.get("configurable") or {}
        request = requested()
        owner = str(place.get(OWNER_KEY) or "") or (request.owner if request else "")
        thread = str(place.get("thread_id") or "")
        if self.owners is None or not thread or owner in ("", SERVER):
            return
        if not self.owners.knows(thread, owner):  # no switch of threads for every write of a step
            await asyncio.to_thread(self.owners.check_thread, thread, owner, claim=claim)

    async def _begins(self, config: RunnableConfig, head: CheckpointTuple | None) -> None:
        """Note which thread a run is played in, and report its start once in this process."""
        place = config.get("configurable") or {}
        run, thread = str(place.get("run_id") or ""), str(place.get("thread_id") or "")
        if not run or place.get("checkpoint_ns") or run in self._played:
            return
        if self.starting:
            begun = head is not None and head.metadata.get("run_id") == run
            await self.starting(run, head.checkpoint["id"] if head else "", {} if begun else place)
        self._played[run] = thread
        if len(self._played) > _MOST_RUNS:
            self._played.popitem(last=False)

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
    """Return whether a value has the shape of a checkpoint."""
    return isinstance(value, dict) and all(
        isinstance(value.get(key), dict)
        for key in ("channel_values", "channel_versions", "versions_seen")
    )
