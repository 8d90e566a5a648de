"""Threads that LangGraph's server has played are runs, as their checkpoints have them."""

import sqlite3
from contextlib import closing

import pytest

from shapley_coop.graphs.finding import every_run, run_of
from shapley_coop.graphs.running import play
from shapley_coop.state.run_config import RunConfig
from shapley_coop.state.storage.home import home
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
