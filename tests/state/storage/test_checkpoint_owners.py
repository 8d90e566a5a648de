"""Checkpoints are read, written and deleted for the owner of their thread alone."""

from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.base import BaseCheckpointSaver, empty_checkpoint

from shapley_coop.state.storage.checkpoints.savers import saver
from shapley_coop.state.storage.home import Home
from shapley_coop.state.storage.owners import OWNER_KEY, NotYours, acting_for


async def heard(thread: str, table: Mapping[str, Any], written: Any) -> None:
    """A server's saver has a listener."""


@pytest.fixture(params=["sqlite", "postgres"])
async def kept(
    request: pytest.FixtureRequest, tmp_path: Path
) -> AsyncIterator[BaseCheckpointSaver[Any]]:
    url = request.getfixturevalue("postgres_url") if request.param == "postgres" else ""
    async with saver(Home(tmp_path, database=url), listener=heard) as opened:
        yield opened


def place(thread: str, **more: str) -> Any:
    return {"configurable": {"thread_id": thread, "checkpoint_ns": "", **more}}


async def put(kept: BaseCheckpointSaver[Any], thread: str, run: str, owner: str = "") -> Any:
    at = await kept.aput(
        place(thread, **{OWNER_KEY: owner}), empty_checkpoint(), {"run_id": run}, {}
    )
    await kept.aput_writes(at, [("talk", "words")], "task")
    return at


async def found(kept: BaseCheckpointSaver[Any], thread: str) -> int:
    return len([one async for one in kept.alist(place(thread))])


async def test_a_run_of_another_thread_is_not_deleted(kept: BaseCheckpointSaver[Any]) -> None:
    """As `DELETE /threads/{own}/runs/{another's}` asks for, with tenants and without."""
    await put(kept, "d-ann", "run-of-ann", "ann")
    await put(kept, "d-bob", "run-of-bob", "bob")
    for owner in ("bob", ""):
        with acting_for(owner, "d-bob"):
            await kept.adelete_for_runs(["run-of-ann"])
    with acting_for("bob"):
        await kept.adelete_for_runs(["run-of-ann"])  # a request that names no thread
    assert await found(kept, "d-ann") == 1
    with acting_for("bob", "d-ann"), pytest.raises(NotYours):
        await kept.adelete_for_runs(["run-of-ann"])
    assert await found(kept, "d-ann") == 1
    with acting_for("ann", "d-ann"):
        await kept.adelete_for_runs(["run-of-ann"])
    assert await found(kept, "d-ann") == 0
    assert await found(kept, "d-bob") == 1


async def test_the_server_takes_back_a_run_that_it_has_played(
    kept: BaseCheckpointSaver[Any],
) -> None:
    await kept.aget_tuple(place("b-1", run_id="b-r"))
    await put(kept, "b-1", "b-r")
    await put(kept, "b-2", "b-other")
    await kept.adelete_for_runs(["b-r"])
    assert [await found(kept, thread) for thread in ("b-1", "b-2")] == [0, 1]


async def test_another_owner_neither_reads_nor_writes(kept: BaseCheckpointSaver[Any]) -> None:
    at = await put(kept, "r-ann", "r-r", "ann")
    with acting_for("bob", "r-ann"):
        with pytest.raises(NotYours):
            await kept.aget_tuple(place("r-ann"))
        with pytest.raises(NotYours):
            await found(kept, "r-ann")
        with pytest.raises(NotYours):
            await kept.aput(at, empty_checkpoint(), {}, {})
        with pytest.raises(NotYours):
            await kept.aput_writes(at, [("talk", "other words")], "task")
        with pytest.raises(NotYours):
            await kept.adelete_thread("r-ann")
    with pytest.raises(NotYours):
        await kept.aget_tuple(place("r-ann", **{OWNER_KEY: "bob"}))
    with acting_for("ann", "r-ann"):
        assert await found(kept, "r-ann") == 1
        assert await kept.aget_tuple(place("r-ann"))
    assert await kept.aget_tuple(place("r-ann"))  # the server itself, as when it recovers
