"""Blocking calls of one event loop, batched in one thread."""

import asyncio
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.base import BaseCheckpointSaver

from shapley_coop.graphs.running import play
from shapley_coop.graphs.threads import open_workflow
from shapley_coop.seats.records import Answer, Entry, JournalKey, nonce
from shapley_coop.state.run_config import RunConfig
from shapley_coop.state.storage.batcher import ThreadBatcher
from shapley_coop.state.storage.checkpoints.savers import shared_saver
from shapley_coop.state.storage.home import Home, home
from shapley_coop.state.storage.journal import Journal
from tests.books import kept


def entry(agent: str, text: str = "yes") -> Entry:
    return Entry(agent, "act", "m", f"letter to {agent}", "Choose.", 1, Answer(text), nonce())


async def test_one_call_that_fails_fails_alone() -> None:
    def halve(numbers: Sequence[int]) -> list[int | Exception]:
        return [ValueError(f"{n} is odd") if n % 2 else n // 2 for n in numbers]

    lane = ThreadBatcher[int, int](halve)
    came = await asyncio.gather(lane.do(4), lane.do(3), lane.do(2), return_exceptions=True)
    assert [str(one) for one in came] == ["2", "3 is odd", "1"]


async def test_work_that_breaks_is_told_to_all_and_the_lane_goes_on() -> None:
    def fragile(words: Sequence[str]) -> list[str | Exception]:
        if "break" in words:
            raise OSError("disk full")
        return list(words)

    lane = ThreadBatcher[str, str](fragile)
    came = await asyncio.gather(lane.do("break"), lane.do("a"), return_exceptions=True)
    assert [str(one) for one in came] == ["disk full", "disk full"]
    assert await lane.do("b") == "b"


async def test_who_is_cancelled_keeps_nobody_else_waiting() -> None:
    lane = ThreadBatcher[int, int](list)
    first, second = (asyncio.create_task(lane.do(number)) for number in (1, 2))
    await asyncio.sleep(0)
    first.cancel()
    assert await second == 2
    await lane.drained()


async def test_what_is_being_written_when_a_program_ends_is_waited_for() -> None:
    begun, may_end, went = threading.Event(), threading.Event(), list[int]()

    def slow(numbers: Sequence[int]) -> list[int | Exception]:
        begun.set()
        may_end.wait()
        went.extend(numbers)
        return list(numbers)

    lane, others = ThreadBatcher[int, int](slow), asyncio.all_tasks()
    call = asyncio.create_task(lane.do(1))
    await asyncio.to_thread(begun.wait)
    for task in asyncio.all_tasks() - others:  # as `asyncio.run` does at its end
        task.cancel()
    await asyncio.sleep(0)
    may_end.set()
    await lane.drained()
    assert went == [1]
    with pytest.raises(asyncio.CancelledError):
        await call
    assert await lane.do(2) == 2


async def test_answers_are_written_together_and_the_first_counts(tmp_path: Path) -> None:
    journal = Journal(f"sqlite:///{tmp_path / 'books.sqlite'}")
    ann, bob, late = entry("Ann"), entry("Bob"), entry("Ann", "no")
    assert await kept(journal, [("e", ann), ("f", ann)]) == [ann, ann]
    assert await kept(journal, [("e", late), ("e", bob)]) == [ann, bob]
    asked = [JournalKey(one.agent, one.letter, one.attempt) for one in (bob, entry("Cid"), ann)]
    assert journal.found("e", asked) == [bob, None, ann]
    assert journal.found("f", asked) == [None, None, ann]


async def test_runs_of_one_loop_share_a_saver_which_the_last_of_them_closes() -> None:
    here = home()
    async with open_workflow("negotiation") as first, open_workflow("contracts") as second:
        assert first.checkpointer is second.checkpointer
        await play("negotiation", RunConfig(), "inside")
        async with shared_saver(here) as kept:
            assert kept is first.checkpointer
            assert await _head(kept, "inside") is not None
    async with shared_saver(here) as another:
        assert another is not kept
        assert await _head(another, "inside") is not None


async def test_a_saver_that_cannot_be_opened_is_tried_again_by_the_next(tmp_path: Path) -> None:
    (tmp_path / "place").write_text("no folder")
    place = Home(tmp_path / "place")
    with pytest.raises(OSError, match="place"):
        async with shared_saver(place):
            pass
    (tmp_path / "place").unlink()
    async with shared_saver(place) as kept:
        assert await _head(kept, "nothing") is None


async def test_minds_of_models_leave_no_checkpoint() -> None:
    await play("shapley_coop", RunConfig(), "r")
    async with shared_saver(home()) as kept:
        places = [one.config["configurable"]["checkpoint_ns"] async for one in kept.alist(None)]
    assert set(places) == {""}


async def _head(kept: BaseCheckpointSaver[Any], thread: str) -> Any:
    return await kept.aget_tuple({"configurable": {"thread_id": thread}})
