"""Threads that LangGraph's server has played are runs, as their checkpoints have them."""

import sqlite3
from contextlib import closing
from typing import Any

import pytest
from langgraph.errors import GraphRecursionError

from shapley_coop.graphs.finding import every_run, run_of
from shapley_coop.graphs.running import play
from shapley_coop.graphs.threads import open_workflow
from shapley_coop.state.run_config import RunConfig
from shapley_coop.state.storage.home import home
from tests.brought import brought_by
from tests.played_by_server import on_server


async def test_a_thread_is_found_by_its_name_and_listed_before_older_ones() -> None:
    await play("llm_only", RunConfig(), "entered")
    await on_server("first")
    await on_server("second")
    listed = await every_run()
    assert [(run.run, run.graph, run.state, run.served) for run in listed] == [
        ("second", "llm_only", "ended", True),
        ("first", "llm_only", "ended", True),
        ("entered", "llm_only", "ended", False),
    ]
    assert [run.run for run in home().runs.list()] == ["entered"]
    found = await run_of("first")
    assert found == listed[1]
    assert found.result
    assert found.result["episode"]
    assert not (await run_of("entered")).served


async def test_of_a_removed_run_and_a_foreign_thread_nothing_is_listed() -> None:
    await play("llm_only", RunConfig(), "gone")
    home().runs.remove("gone")
    await on_server("foreign", graph_id="somebodys_own")
    assert await every_run() == []
    with pytest.raises(ValueError, match="there is no run 'gone'"):
        await run_of("gone")
    with pytest.raises(ValueError, match="thread of LangGraph's server"):
        await run_of("foreign")


async def test_a_damaged_thread_hides_no_other() -> None:
    await on_server("damaged")
    await on_server("sound")
    with closing(sqlite3.connect(home().checkpoints)) as kept, kept:
        kept.execute("update checkpoints set checkpoint = x'00' where thread_id = 'damaged'")
    sound, damaged = await every_run()
    assert (sound.run, sound.state) == ("sound", "ended")
    assert (damaged.run, damaged.state) == ("damaged", "failed")
    assert damaged.why.startswith("cannot be read: the checkpoint of damaged")


@brought_by("exchange")
async def test_events_are_streamed_within_the_limit_that_holds_for_every_mode() -> None:
    """LangChain would set 25 steps, as soon as somebody asks for events."""
    place: Any = {"configurable": {"thread_id": "long"}, "metadata": {"graph_id": "task_exchange"}}
    async with open_workflow("task_exchange") as app:
        nodes = [e["name"] async for e in app.astream_events({}, place, version="v2")]
        given = {**place, "recursion_limit": 3}
        with pytest.raises(GraphRecursionError, match="limit of 3"):
            [e async for e in app.astream_events({}, given, version="v2")]
        bound = app.with_config(recursion_limit=4)
        with pytest.raises(GraphRecursionError, match="limit of 4"):
            [e async for e in bound.astream_events({}, place, version="v2")]
    assert "settle" in nodes


async def test_a_thread_that_exceeded_its_limit_of_steps_is_failed_and_can_go_on() -> None:
    place: Any = {"configurable": {"thread_id": "long"}, "metadata": {"graph_id": "shapley_coop"}}
    async with open_workflow("shapley_coop") as app:
        with pytest.raises(GraphRecursionError):
            await app.ainvoke({}, {**place, "recursion_limit": 3})
        (run,) = await every_run()
        assert (run.state, run.why) == (
            "failed",
            "failed on LangGraph's server, which can go on with it",
        )
        await app.ainvoke(None, place)
    assert (await run_of("long")).state == "ended"
