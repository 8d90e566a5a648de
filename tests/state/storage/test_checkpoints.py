"""The savers: LangGraph's own conformance suite, and what the server needs besides."""

import asyncio
import shutil
import sqlite3
import threading
import time
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import closing
from itertools import chain
from pathlib import Path
from typing import Annotated, Any

import pytest
from langchain_core.runnables import RunnableConfig
from langgraph.channels import DeltaChannel
from langgraph.checkpoint.base import BaseCheckpointSaver, empty_checkpoint
from langgraph.checkpoint.base import id as checkpoint_ids
from langgraph.checkpoint.conformance import checkpointer_test, validate
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.graph import StateGraph
from typing_extensions import TypedDict

from shapley_coop.deals.language.clauses import Pay
from shapley_coop.state.run_config import RunConfig
from shapley_coop.state.storage.checkpoints.savers import saver
from shapley_coop.state.storage.checkpoints.serializer import StrictSerializer, Unreadable
from shapley_coop.state.storage.home import Home, home
from shapley_coop.state.storage.versions import CHECKPOINTS

LOCKED = Path(__file__).parent / "locked"
SQLITE = "sqlite"
POSTGRES = pytest.param("postgres", marks=[pytest.mark.slow, pytest.mark.xdist_group("postgres")])


@pytest.fixture(params=[SQLITE, POSTGRES])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Home:
    """A home of either kind."""
    database = "" if request.param == SQLITE else request.getfixturevalue("postgres_url")
    return Home(tmp_path, database)


async def test_a_saver_keeps_langgraphs_contract_and_takes_back_runs(place: Home) -> None:
    @checkpointer_test(name="a home")
    async def kept() -> AsyncIterator[BaseCheckpointSaver[Any]]:
        async with saver(place) as opened:
            yield opened

    # It begins to forget a thread and does not wait; the suite looks at once.
    parts = {"put", "put_writes", "get_tuple", "list", "delete_for_runs"}
    report = await validate(kept, capabilities=parts)
    assert {name: part.failures for name, part in report.results.items() if part.failures} == {}
    assert {name for name, part in report.results.items() if part.passed} == parts


async def test_each_step_is_kept_before_the_next_begins(place: Home) -> None:
    class Talk(TypedDict):
        turn: int

    thread: Any = {"configurable": {"thread_id": "each"}}
    before: list[int] = []
    async with saver(place) as kept, saver(place) as elsewhere:

        async def speak(table: Talk) -> dict[str, Any]:
            before.append(len([x async for x in elsewhere.alist(thread)]))
            return {"turn": table["turn"] + 1}

        page = StateGraph(Talk).add_node("one", speak).add_node("two", speak)
        page.set_entry_point("one").add_edge("one", "two")
        app = page.compile(checkpointer=kept)
        for turn in (0, 5):
            await app.ainvoke({"turn": turn}, thread, durability="sync")
        steps = [x.metadata["step"] async for x in elsewhere.alist(thread)]
    assert (before, steps) == ([2, 3, 6, 7], [6, 5, 4, 3, 2, 1, 0, -1])


async def test_a_step_that_is_taken_back_is_done_again_and_added_once(place: Home) -> None:
    thread: Any = {"configurable": {"thread_id": "t"}}
    async with saver(place) as kept:
        app = two_turns().compile(checkpointer=kept, interrupt_before=["two"])
        await app.ainvoke({"said": ["hello"], "turn": 0}, thread, durability="sync")
        for run in ("second", "third"):
            again: Any = {"configurable": {"thread_id": "t", "run_id": run}}
            ended = await app.ainvoke(None, again, durability="sync")
            assert ended == {"said": ["hello", "turn 0", "turn 1"], "turn": 2}
            assert (await app.aget_state(thread)).values == ended
            await kept.adelete_for_runs([run])
            before = await app.aget_state(thread)
            assert (before.next, before.values["said"]) == (("two",), ["hello", "turn 0"])


def added(said: list[str], more: Sequence[list[str]]) -> list[str]:
    """A fold that would show what is added twice."""
    return [*said, *chain.from_iterable(more)]


def two_turns() -> "StateGraph[Any, Any, Any, Any]":
    """A page of two nodes, each of which adds a line to a list."""

    class Talk(TypedDict):
        said: Annotated[list[str], DeltaChannel(added, list, snapshot_frequency=99)]
        turn: int

    def speak(table: Talk) -> dict[str, Any]:
        return {"turn": table["turn"] + 1, "said": [f"turn {table['turn']}"]}

    page = StateGraph(Talk).add_node("one", speak).add_node("two", speak)
    return page.set_entry_point("one").add_edge("one", "two")


async def test_a_run_that_is_taken_back_takes_nothing_from_another_of_the_same_step(
    place: Home,
) -> None:
    async with saver(place) as kept:
        app = two_turns().compile(checkpointer=kept, interrupt_before=["two"])
        thread: Any = {"configurable": {"thread_id": "forked"}}
        await app.ainvoke({"said": ["hello"], "turn": 0}, thread, durability="sync")
        fork = (await app.aget_state(thread)).config["configurable"]
        ends = []
        for run in ("second", "third"):
            again: Any = {"configurable": {**fork, "run_id": run}}
            await app.ainvoke(None, again, durability="sync")
            ends.append((await app.aget_state(thread)).config)
        await kept.adelete_for_runs(["third"])
        left = await app.aget_state(ends[0])
    assert left.values == {"said": ["hello", "turn 0", "turn 1"], "turn": 2}


async def test_what_cannot_be_kept_is_told_and_leaves_what_was_kept(place: Home) -> None:
    there: Any = {"configurable": {"thread_id": "t"}}
    async with saver(place) as kept:
        at = await put(kept, "", {"status": "here"})
        with pytest.raises(TypeError):
            await kept.aput_writes(at, [("status", object())], "task")
        with pytest.raises(TypeError):
            await put(kept, "", {"status": object()})
    async with saver(place) as elsewhere:
        found = await elsewhere.aget_tuple(there)
    assert found is not None
    assert found.checkpoint["channel_values"] == {"status": "here"}


async def test_a_forgotten_thread_is_gone_when_the_saver_closes(place: Home) -> None:
    async with saver(place) as kept:
        await put(kept, "", {})
        await kept.adelete_thread("t")
    async with saver(place) as kept:
        assert await kept.aget_tuple({"configurable": {"thread_id": "t"}}) is None


async def test_a_saver_closes_after_the_write_of_a_caller_that_was_cancelled(
    tmp_path: Path,
) -> None:
    begun, may_end = threading.Event(), threading.Event()

    def wait(_: str) -> None:
        begun.set()
        may_end.wait()

    async def end() -> None:
        for _ in range(20):  # by then, another thread has begun to close
            await asyncio.to_thread(str)
        may_end.set()

    async with saver(Home(tmp_path)) as kept:
        kept.conn.set_trace_callback(wait)  # type: ignore[attr-defined]
        writing = asyncio.create_task(put(kept, "", {"status": "here"}))
        await asyncio.to_thread(begun.wait)
        writing.cancel()
        ending = asyncio.create_task(end())
    await ending
    async with saver(Home(tmp_path)) as kept:
        assert await kept.aget_tuple({"configurable": {"thread_id": "t"}})


async def test_a_listener_hears_of_a_thread_and_not_of_graphs_within_it() -> None:
    heard: list[tuple[str, dict[str, Any], set[str]]] = []

    async def listen(thread: str, table: Mapping[str, Any], written: Iterable[str]) -> None:
        heard.append((thread, dict(table), {*written}))

    async with saver(home(), listener=listen) as kept:
        await put(kept, "", {"status": "open"})
        await put(kept, "speak:1", {"nested": "state"})
    assert heard == [("t", {"status": "open"}, {"status"})]


async def put(
    kept: BaseCheckpointSaver[Any],
    namespace: str,
    state: dict[str, Any],
    thread: str = "t",
) -> RunnableConfig:
    place: Any = {"configurable": {"thread_id": thread, "checkpoint_ns": namespace}}
    versions = dict.fromkeys(state, "1")
    checkpoint = {**empty_checkpoint(), "channel_values": state, "channel_versions": versions}
    return await kept.aput(place, checkpoint, {"source": "loop", "step": 1}, versions)  # type: ignore[arg-type]


async def test_one_checkpoint_that_fails_in_a_batch_fails_alone(place: Home) -> None:
    def at(thread: str) -> RunnableConfig:
        return {"configurable": {"thread_id": thread, "checkpoint_ns": ""}}

    unwritable: Any = {"source": "loop", "step": {1}}  # a set is not JSON
    async with saver(place) as kept:
        came = await asyncio.gather(
            put(kept, "", {"status": "open"}, "first"),
            kept.aput(at("second"), empty_checkpoint(), unwritable, {}),
            put(kept, "", {"status": "open"}, "third"),
            return_exceptions=True,
        )
    assert [isinstance(one, TypeError) for one in came] == [False, True, False]
    async with saver(place) as kept:
        found = [await kept.aget_tuple(at(thread)) for thread in ("first", "second", "third")]
    assert [one is not None for one in found] == [True, False, True]


def test_what_is_long_is_packed_and_what_was_packed_to_do_harm_is_not_unpacked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    kept = {"said": "No, not yet. " * 1000}
    kind, content = StrictSerializer().dumps_typed(kept)
    assert len(content) < 500
    assert StrictSerializer().loads_typed((kind, content)) == kept
    monkeypatch.setattr("shapley_coop.state.storage.checkpoints.serializer._MOST", 10_000)
    for harmful in (content, content[:-5], content[5:], b""):
        with pytest.raises(Unreadable):
            StrictSerializer().loads_typed((kind, harmful))


@pytest.mark.parametrize("file", sorted(LOCKED.glob("*.sqlite")), ids=lambda file: file.stem)
async def test_what_the_libraries_of_a_lock_kept_is_played_on(tmp_path: Path, file: Path) -> None:
    """Each was written by the library that it is called after; every new lock adds one."""
    with closing(sqlite3.connect(shutil.copy(file, Home(tmp_path).checkpoints))) as kept:
        kept.execute(f"PRAGMA user_version = {CHECKPOINTS}")
    async with saver(Home(tmp_path)) as opened:
        app = two_turns().compile(checkpointer=opened, interrupt_before=["two"])
        thread: Any = {"configurable": {"thread_id": "t"}}
        before = await app.aget_state(thread)
        assert (before.next, before.values["said"]) == (("two",), ["hello", "turn 0"])
        ended = await app.ainvoke(None, thread, durability="sync")
        assert ended == {"said": ["hello", "turn 0", "turn 1"], "turn": 2}


def test_no_object_comes_out_of_a_checkpoint_whatever_a_graph_allows() -> None:
    allowed = [(kind.__module__, kind.__name__) for kind in (RunConfig, Pay)]
    usual = JsonPlusSerializer(allowed_msgpack_modules=None).with_msgpack_allowlist(allowed)
    ours = StrictSerializer().with_msgpack_allowlist(allowed)
    for kept in (RunConfig(), Pay(payer="Alice", payee="Bob", amount="1")):
        assert usual.loads_typed(usual.dumps_typed(kept)) == kept
        assert isinstance(ours.loads_typed(ours.dumps_typed(kept)), dict)


async def test_a_clock_that_is_behind_hides_no_step(
    place: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    thread: RunnableConfig = {"configurable": {"thread_id": "t"}}
    for turn in range(2):
        # Each worker begins with a clock that is a minute behind the one before.
        early = time.time_ns() - (turn * 60 * 10**9)
        monkeypatch.setattr(checkpoint_ids, "_last_v6_timestamp", None)
        monkeypatch.setattr(checkpoint_ids.time, "time_ns", lambda early=early: early)
        async with saver(place) as kept:
            app = two_turns().compile(checkpointer=kept, interrupt_before=["two"])
            await app.aget_state(thread)
            given = None if turn else {"said": ["hello"], "turn": 0}
            await app.ainvoke(given, thread, durability="sync")
            stands, head = (await app.aget_state(thread)).values, await kept.aget_tuple(thread)
        assert head is not None
        assert head.metadata["step"] == turn + 1
        assert stands == {"said": ["hello", "turn 0", "turn 1"][: turn + 2], "turn": turn + 1}
