"""LangGraph's blocking savers, called in a thread, one call for all that wait.

Its asynchronous savers switch threads or tasks several times for each write: with that of SQLite a
hundred negotiations at once took 1.2 times as long as a plain graph's with it (`make bench`).
"""

from abc import abstractmethod
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import partial
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver, CheckpointTuple, DeltaChannelHistory

from shapley_coop.state.storage.batcher import ThreadBatcher
from shapley_coop.state.storage.statements import Statements

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
"""The first is for the checkpoint at which the run began, unless another run follows it too: with
its writes the run's first tasks would count as done."""
_THREADS = "SELECT DISTINCT thread_id FROM checkpoints WHERE {run} = :run"

Call = Callable[[], Any]


class InThread(BaseCheckpointSaver[Any]):
    """Mixed into a blocking saver, which can then delete a run of a thread, as a rollback does.

    Attributes:
        writes: the table of what tasks wrote.
        run_of: a checkpoint's run, in SQL.
    """

    writes: str
    run_of: str

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.batcher = ThreadBatcher[Call, Any](self._call_each)

    @abstractmethod
    def transaction(self) -> AbstractContextManager[Statements]:
        """Return one transaction: all of it, or nothing."""

    def connect(self) -> None:
        """Make sure that there is a connection."""

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """Read a checkpoint."""
        found: CheckpointTuple | None = await self.batcher.do(partial(self.get_tuple, config))
        return found

    async def alist(
        self, config: RunnableConfig | None, **options: Any
    ) -> AsyncIterator[CheckpointTuple]:
        """List checkpoints, newest first."""
        listed = partial(self.list, config, **options)
        for found in await self.batcher.do(lambda: list(listed())):
            yield found

    async def aget_delta_channel_history(
        self, *, config: RunnableConfig, channels: Sequence[str]
    ) -> Mapping[str, DeltaChannelHistory]:
        """Read what was written to some channels."""
        read = partial(self.get_delta_channel_history, config=config, channels=channels)
        found: Mapping[str, DeltaChannelHistory] = await self.batcher.do(read)
        return found

    async def aput(self, *given: Any) -> RunnableConfig:
        """Keep a checkpoint."""
        kept: RunnableConfig = await self.batcher.do(partial(self.put, *given))
        return kept

    async def aput_writes(self, *given: Any) -> None:
        """Keep the writes of a task."""
        await self.batcher.do(partial(self.put_writes, *given))

    async def adelete_thread(self, thread_id: str) -> None:
        """Delete a thread."""
        await self.batcher.do(partial(self.delete_thread, thread_id))

    async def threads_of(self, run: str) -> list[str]:
        """Find the threads that have checkpoints of a run; it scans those of all."""
        found = await self.batcher.do(partial(self._execute, [_THREADS], run=run))
        return [thread for (thread,) in found]

    async def delete_run(self, thread: str, run: str) -> None:
        """Delete the checkpoints and writes of a run in a thread."""
        await self.batcher.do(partial(self._execute, _DELETE, thread=thread, run=run))

    def _execute(self, statements: Sequence[str], **given: str) -> list[Any]:
        """Make statements in one transaction; the rows of the last."""
        with self.transaction() as session:
            names = {"writes": self.writes, "run": self.run_of}
            return [session.execute(x.format(**names), **given) for x in statements][-1]

    def _call_each(self, calls: Sequence[Call]) -> list[Any]:
        """Return the result or error of each call; an error does not stop the others."""
        self.connect()
        results: list[Any] = []
        for call in calls:
            try:
                results.append(call())
            except Exception as error:
                results.append(error)
        return results
