"""The checkpoint saver of a home: a blocking LangGraph saver that runs in a worker thread.

LangGraph's asynchronous saver for SQLite switches threads three to six times for each call. This
saver switches once for all calls that wait (`batcher`): with one switch for each, a hundred
negotiations at once took a quarter longer (`python -m benchmarks concurrent`).

On a server with tenants, a LangGraph thread belongs to the owner who wrote its first checkpoint.
Other owners may not read, write or delete its checkpoints. The server, when it acts for no owner,
may do everything. On a private machine there are no owners, and nothing is checked.
"""

import asyncio
from abc import abstractmethod
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import partial
from typing import Any, TypeVar

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    BaseCheckpointSaver,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
    DeltaChannelHistory,
    get_checkpoint_id,
)

from shapley_coop.state.storage.batcher import ThreadBatcher, call_each
from shapley_coop.state.storage.checkpoints.serializer import Unreadable
from shapley_coop.state.storage.databases import Statements
from shapley_coop.state.storage.owned import Owners
from shapley_coop.state.storage.owners import OWNER_KEY, SERVER, request_holder

Listener = Callable[[str, Mapping[str, Any], Iterable[str]], Awaitable[None]]
"""A function called after each new checkpoint with (thread, the table, the written keys)."""

Starting = Callable[[str, str, Mapping[str, Any]], Awaitable[None]]
"""A function called before this process first plays a run; if it raises, the run does not start.

Its arguments are (run, id of the thread's latest checkpoint, configurable). `configurable` is part
of the run's configuration; it is empty if the run has already written that checkpoint."""

Result = TypeVar("Result")

_MOST_RUNS = 10_000

_NEWEST = """
    SELECT checkpoint_id FROM checkpoints WHERE thread_id = :thread AND checkpoint_ns = :within
    ORDER BY {number} DESC LIMIT 1
"""
_PLACE = "thread_id, checkpoint_ns, checkpoint_id"
_OF_RUN = "FROM checkpoints WHERE thread_id = :thread AND {run} = :run"
_BEGAN_AT = "SELECT thread_id, checkpoint_ns, parent_checkpoint_id"
_OF_ANOTHER = "FROM checkpoints WHERE thread_id = :thread AND COALESCE({run}, '') <> :run"
_BEGAN = f"{_BEGAN_AT} {_OF_RUN} EXCEPT {_BEGAN_AT} {_OF_ANOTHER}"
_DELETE = (
    f"DELETE FROM {{writes}} WHERE idx >= 0 AND ({_PLACE}) IN ({_BEGAN})",  # noqa: S608
    f"DELETE FROM {{writes}} WHERE ({_PLACE}) IN (SELECT {_PLACE} {_OF_RUN})",  # noqa: S608
    f"DELETE {_OF_RUN}",
)
"""The statements that delete a run. The first deletes the tasks' writes at the checkpoint where the
run began, if no other run began there, so that a repeated run repeats these tasks."""
_THREADS = "SELECT DISTINCT thread_id FROM checkpoints WHERE {run} = :run"


class HomeSaver(BaseCheckpointSaver[Any]):
    """The mixin that turns a blocking LangGraph saver into a home's asynchronous saver.

    Attributes:
        writes: the name of LangGraph's SQL table with the writes of tasks.
        run_of: the SQL expression for the id of a checkpoint's run.
        number: the column that counts checkpoints in the order of writing.
        listener: called after each checkpoint of a workflow, but not of its nested graphs.
        starting: see `Starting`.
        owners: the store of the threads' owners; None if there are no owners.
        fences: run → a check that raises if another worker has taken over this process's run.
    """

    writes: str
    run_of: str
    number: str
    listener: Listener | None = None
    starting: Starting | None = None
    owners: Owners | None = None

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fences: dict[str, Callable[[], Awaitable[None]]] = {}
        self._deleting: set[asyncio.Task[None]] = set()
        self._batcher = ThreadBatcher[Callable[[], Any], Any](self._call_each)
        self._played: dict[str, None] = {}  # the ids of runs, in the order of their start

    @abstractmethod
    def transaction(self) -> AbstractContextManager[Statements]:
        """Open one transaction."""

    @abstractmethod
    def close(self) -> None:
        """Close the connection."""

    def connect(self) -> None:
        """Connect again if the connection is lost; by default, do nothing."""

    def get_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """Return a checkpoint: the one that the configuration names, or else the last one written.

        LangGraph takes the checkpoint with the greatest id, made from the clock, for the last. So a
        run resumed by a worker whose clock is late would lose its latest steps.
        """
        place = config["configurable"]
        if not get_checkpoint_id(config):
            within = place.get("checkpoint_ns", "")
            newest = self._execute([_NEWEST], thread=str(place["thread_id"]), within=within)
            if not newest:
                return None
            named = {"thread_id": place["thread_id"], "checkpoint_ns": within}
            config = {"configurable": {**named, "checkpoint_id": newest[0][0]}}
        found: CheckpointTuple | None = super().get_tuple(config)
        return found

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """Return a checkpoint; if a run begins there, call `starting`.

        Raises:
            NotYours: the thread belongs to another owner.
            Unreadable: the checkpoint was damaged, or another program wrote it.
        """
        await self._check(config)
        try:
            found = await self._apart(self.get_tuple, config)
            readable = found is None or _is_checkpoint(found.checkpoint)
        except (AttributeError, LookupError, NotImplementedError, TypeError, ValueError):
            # LangGraph raises these errors for damaged checkpoints and those of other programs.
            readable = False
        if not readable:
            raise Unreadable(
                f"the checkpoint of {config['configurable']['thread_id']} cannot be read: it is "
                "damaged, or another program wrote it"
            )
        await self._begins(config, found)
        return found

    async def alist(
        self, config: RunnableConfig | None, **options: Any
    ) -> AsyncIterator[CheckpointTuple]:
        """List a thread's checkpoints, newest first by the clock.

        Raises:
            NotYours: the thread belongs to another owner.
        """
        await self._check(config or {})
        for found in await self._apart(lambda: list(self.list(config, **options))):
            yield found

    async def aget_delta_channel_history(
        self, *, config: RunnableConfig, channels: Sequence[str]
    ) -> Mapping[str, DeltaChannelHistory]:
        """Return the history of writes to the given channels."""
        read = self.get_delta_channel_history
        return await self._apart(lambda: read(config=config, channels=channels))

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Store a checkpoint, then call the listener.

        Raises:
            LeaseLost: another worker has taken the run over.
            NotYours: the thread belongs to another owner.
        """
        await self._check(config, claim=True)
        place = config["configurable"]
        if fence := self.fences.get(place["thread_id"]):
            await fence()
        kept = await self._apart(self.put, config, checkpoint, metadata, new_versions)
        if self.listener and not place.get("checkpoint_ns"):
            await self.listener(place["thread_id"], checkpoint["channel_values"], new_versions)
        return kept

    async def aput_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        """Store the writes of a task.

        Raises:
            NotYours: the thread belongs to another owner.
        """
        await self._check(config, claim=True)
        await self._apart(self.put_writes, config, writes, task_id, task_path)

    async def adelete_thread(self, thread_id: str) -> None:
        """Start to delete a thread, and return at once.

        The development server remembers a position in its list of threads during this call
        (langgraph-runtime-inmem 0.36). If another task ran meanwhile, the server would remove the
        wrong thread from the list.

        Raises:
            NotYours: the thread belongs to another owner.
        """
        await self._check({"configurable": {"thread_id": thread_id}})
        task = asyncio.create_task(self._apart(self.delete_thread, thread_id))
        self._deleting.add(task)
        task.add_done_callback(self._deleting.discard)

    async def adelete_for_runs(self, run_ids: Sequence[str]) -> None:
        """Delete the checkpoints of some runs.

        LangGraph's server passes no thread, and calls this method before checking that the run
        belongs to the request's thread. So a request deletes from the request's thread only.
        Outside of requests, the server rolls back runs that it has played, in all threads.

        Raises:
            NotYours: the thread belongs to another owner.
        """
        request = request_holder()
        for run in map(str, run_ids):
            if request:
                threads = [request.thread] if request.thread else []
            else:
                threads = [x for (x,) in await self._apart(self._execute, [_THREADS], run=run)]
            for thread in threads:
                await self._check({"configurable": {"thread_id": thread}})
                await self._apart(self._execute, _DELETE, thread=thread, run=run)

    async def end(self) -> None:
        """Close the connection once no call uses it any more; else SQLite could crash."""
        await self._batcher.drained()
        await asyncio.to_thread(self.close)

    async def deleted(self) -> None:
        """Wait until every deletion has ended."""
        await asyncio.gather(*self._deleting)

    async def _check(self, config: RunnableConfig, *, claim: bool = False) -> None:
        """Make sure that a thread belongs to the run's or the request's owner, if there is one.

        Raises:
            NotYours: the thread belongs to another owner.
        """
        place = config.get("configurable") or {}
        request = request_holder()
        owner = str(place.get(OWNER_KEY) or "") or (request.owner if request else "")
        thread = str(place.get("thread_id") or "")
        if self.owners is None or not thread or owner in ("", SERVER):
            return
        if not self.owners.knows(thread, owner):  # saves a thread switch for each write
            await asyncio.to_thread(self.owners.check_thread, thread, owner, claim=claim)

    async def _begins(self, config: RunnableConfig, head: CheckpointTuple | None) -> None:
        """Call `starting` if this process begins to play a run that it has not played yet."""
        place = config.get("configurable") or {}
        run = str(place.get("run_id") or "")
        if not run or place.get("checkpoint_ns") or run in self._played:
            return
        if self.starting:
            begun = head is not None and head.metadata.get("run_id") == run
            await self.starting(run, head.checkpoint["id"] if head else "", {} if begun else place)
        self._played[run] = None
        if len(self._played) > _MOST_RUNS:
            del self._played[next(iter(self._played))]

    def _execute(self, statements: Sequence[str], **given: str) -> list[Any]:
        """Execute statements in one transaction, and return the rows of the last."""
        names = {"writes": self.writes, "run": self.run_of, "number": self.number}
        with self.transaction() as session:
            return [session.execute(x.format(**names), **given) for x in statements][-1]

    async def _apart(self, call: Callable[..., Result], *given: Any, **named: Any) -> Result:
        """Make a blocking call in a worker thread, in one batch with other waiting calls."""
        found: Result = await self._batcher.do(partial(call, *given, **named))
        return found

    def _call_each(self, calls: Sequence[Callable[[], Any]]) -> list[Any]:
        """Make calls on a connection that works; an error of one does not stop the others."""
        self.connect()
        return call_each(calls)


def _is_checkpoint(value: Any) -> bool:
    """Return whether a value has the shape of a checkpoint."""
    return isinstance(value, dict) and all(
        isinstance(value.get(key), dict)
        for key in ("channel_values", "channel_versions", "versions_seen")
    )
