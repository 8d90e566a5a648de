"""A run that ended its server twice at one step is not started a third time."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.base import empty_checkpoint

from shapley_coop.extensions.server.quarantine import Quarantined, Starts, note_start
from shapley_coop.state.storage.checkpoints.savers import saver
from shapley_coop.state.storage.home import home


@pytest.fixture
def starts(tmp_path: Path) -> Starts:
    return Starts(f"sqlite:///{tmp_path / 'books.sqlite'}")


def test_it_is_quarantined_where_it_gets_no_further(starts: Starts) -> None:
    starts.note("r", "c1", "first")
    starts.note("r", "c2", "second")  # it froze the first server at c2
    with pytest.raises(Quarantined, match="create a new run on its thread"):
        starts.note("r", "c2", "third")
    with pytest.raises(Quarantined):
        starts.note("r", "c2", "fourth")
    starts.note("another", "c2", "third")


def test_a_run_that_goes_on_between_kills_is_not(starts: Starts) -> None:
    for number in range(5):
        starts.note("r", f"c{number}", f"server {number}")
    assert starts.count() == 5


def test_a_server_that_ends_in_order_does_not_count(starts: Starts) -> None:
    for server in ("first", "second", "third"):
        starts.note("r", "c1", server)
        starts.forget(server)
    assert starts.count() == 0


async def test_the_saver_reports_the_start_of_a_run_once() -> None:
    started = []

    async def note(run: str, head: str, place: Mapping[str, Any]) -> None:
        started.append((run, head, place.get("run_id", "")))
        await note_start(run, head)

    place = {"thread_id": "t", "checkpoint_ns": ""}
    async with saver(home(), starting=note) as kept:
        await kept.aget_tuple({"configurable": {**place, "run_id": "r1"}})
        first = {**empty_checkpoint()}
        await kept.aput({"configurable": place}, first, {}, {})
        await kept.aget_tuple({"configurable": {**place, "run_id": "r1"}})
        await kept.aget_tuple({"configurable": {**place, "run_id": "r2"}})
        await kept.aget_tuple({"configurable": place})
    assert started == [("r1", "", "r1"), ("r2", first["id"], "r2")]


async def test_a_run_that_has_a_checkpoint_is_no_new_one() -> None:
    started = []

    async def note(run: str, head: str, place: Mapping[str, Any]) -> None:
        started.append((run, head, dict(place)))

    place = {"thread_id": "t", "checkpoint_ns": ""}
    async with saver(home(), starting=note) as kept:
        first = empty_checkpoint()
        await kept.aput({"configurable": place}, first, {"run_id": "r1"}, {})
        await kept.aget_tuple({"configurable": {**place, "run_id": "r1"}})
    assert started == [("r1", first["id"], {})]
