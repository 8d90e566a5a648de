"""The savers: LangGraph's own conformance suite, and what the server needs besides."""

import asyncio
import shutil
import sqlite3
import time
import zlib
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
from shapley_coop.graphs.running import play
from shapley_coop.graphs.threads import configured
from shapley_coop.state.run_config import RunConfig
from shapley_coop.state.storage.checkpoints.owed import Owed
from shapley_coop.state.storage.checkpoints.savers import saver
from shapley_coop.state.storage.checkpoints.serializer import (
    StrictSerializer,
    Unreadable,
    example,
)
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


async def test_steps_are_kept_together_once_their_thread_is_read_or_a_moment_later(
    place: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Talk(TypedDict):
        turn: int

    def speak(table: Talk) -> dict[str, Any]:
        return {"turn": table["turn"] + 1}

    page = StateGraph(Talk).add_node("one", speak).add_node("two", speak)
    page.set_entry_point("one").add_edge("one", "two")
    thread: Any = {"configurable": {"thread_id": "t"}}
    happened = when_kept(monkeypatch)
    async with saver(place) as elsewhere, saver(place) as kept:

        async def steps() -> list[int]:
            return [one.metadata["step"] async for one in elsewhere.alist(thread)]

        app = page.compile(checkpointer=kept)
        monkeypatch.setattr("shapley_coop.state.storage.checkpoints.owed.LINGER", 60)
        await app.ainvoke({"turn": 0}, thread, durability="sync")
        assert await steps() == []
        assert (await app.aget_state(thread)).values == {"turn": 2}
        assert await steps() == [2, 1, 0, -1]
        monkeypatch.setattr("shapley_coop.state.storage.checkpoints.owed.LINGER", 0)
        await app.ainvoke({"turn": 5}, thread, durability="sync")
        while len(await steps()) < 8:
            await happened.wait()
            happened.clear()


async def test_what_a_task_wrote_is_kept_by_itself_where_no_checkpoint_follows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Others of its step are still asked."""
    here, happened = Home(tmp_path), when_kept(monkeypatch)
    async with saver(here) as kept:
        at = await put(kept, "", {"status": "open"})
        await kept.aput_writes(at, [("status", "one")], "task")
        assert written(here) == []
        await happened.wait()
        assert written(here) == ["status"]


def when_kept(monkeypatch: pytest.MonkeyPatch) -> asyncio.Event:
    """Happens whenever a saver has kept what was owed."""
    happened, keep = asyncio.Event(), Owed._keep_now

    async def keeping(owed: Owed, thread: str) -> None:
        await keep(owed, thread)
        happened.set()

    monkeypatch.setattr(Owed, "_keep_now", keeping)
    return happened


@pytest.mark.parametrize(("at_once", "kept_before"), [(True, [0, 5]), (False, [0, 4])])
async def test_new_input_on_an_old_thread_is_kept_before_its_first_node(
    place: Home, monkeypatch: pytest.MonkeyPatch, at_once: bool, kept_before: list[int]
) -> None:
    """Nothing else tells of it; of the first input its run does. A server keeps each step."""
    monkeypatch.setattr("shapley_coop.state.storage.checkpoints.owed.LINGER", 60)

    class Asked(TypedDict):
        status: str

    before: list[int] = []
    page = StateGraph(Asked).set_entry_point("one")
    name = f"at once {at_once}"
    thread: Any = {"configurable": {"thread_id": name}}
    async with saver(place, at_once=at_once) as kept, saver(place) as elsewhere:

        async def one(_: Asked) -> dict[str, Any]:
            before.append(len([x async for x in elsewhere.alist(thread)]))
            return {"status": "done"}

        app = page.add_node("one", one).compile(checkpointer=kept)
        for status in ("first", "second"):
            await app.ainvoke({"status": status}, thread, durability="sync")
        await kept.keep(name)
        steps = [x.metadata["step"] async for x in elsewhere.alist(thread)]
    assert (before, steps) == (kept_before, [4, 3, 2, 1, 0, -1])


async def test_a_step_that_is_taken_back_is_done_again_and_added_once(
    place: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Beside a checkpoint is kept what the next one does not hold: additions to a list."""
    monkeypatch.setattr("shapley_coop.state.storage.checkpoints.owed.LINGER", 60)

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
    assert place.database or {*written(place)} == {"said"}


async def test_a_thread_of_many_runs_is_kept_whole_again_in_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file does not say how many steps ago that was; whoever reads it takes them all."""
    most = "langgraph.pregel._checkpoint.DELTA_MAX_SUPERSTEPS_SINCE_SNAPSHOT"
    monkeypatch.setattr(most, 6)

    class Talk(TypedDict):
        said: Annotated[list[str], DeltaChannel(added, list, snapshot_frequency=99)]

    page = StateGraph(Talk).add_node("one", lambda _: {"said": ["Yes."]}).set_entry_point("one")
    thread: Any = {"configurable": {"thread_id": "t"}}
    whole = []
    for run in range(1, 4):
        async with saver(Home(tmp_path)) as kept:
            ended = await page.compile(checkpointer=kept).ainvoke({"said": [f"{run}?"]}, thread)
            assert ended["said"] == [*(x for n in range(1, run + 1) for x in (f"{n}?", "Yes."))]
            all_kept = [one.checkpoint["channel_values"] async for one in kept.alist(thread)]
            whole.append(sum("said" in values for values in all_kept))
    assert whole == [0, 0, 1]
    with closing(sqlite3.connect(Home(tmp_path).checkpoints)) as file:
        rows = file.execute("SELECT metadata FROM checkpoints").fetchall()
    assert not any(b"delta" in told for (told,) in rows)


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


async def test_what_cannot_be_kept_is_told_to_its_own_thread_and_kept_with_nothing_else(
    place: Home,
) -> None:
    there: Any = {"configurable": {"thread_id": "another"}}
    async with saver(place) as kept:
        at = await put(kept, "", {})
        await kept.keep("t")
        await kept.aput_writes(at, [("status", object())], "task")
        await put(kept, "", {"status": "late"})
        await put(kept, "", {"status": "here"}, thread="another")
        with pytest.raises(TypeError):
            await kept.keep("t")
        with pytest.raises(TypeError):
            await put(kept, "", {"status": "later"})
        found = await kept.aget_tuple(there)
        assert found is not None
        assert found.checkpoint["channel_values"] == {"status": "here"}
        async with saver(place) as elsewhere:
            told = await elsewhere.aget_tuple({"configurable": {"thread_id": "t"}})
        assert told is not None
        assert told.checkpoint["channel_values"] == {}
        await kept.adelete_thread("t")


async def test_a_saver_that_closes_keeps_what_it_can(place: Home) -> None:
    there: Any = {"configurable": {"thread_id": "another"}}
    closing_it = saver(place)
    kept = await closing_it.__aenter__()
    await put(kept, "", {"status": object()})
    await put(kept, "", {"status": "here"}, thread="another")
    with pytest.raises(TypeError):
        await closing_it.__aexit__(None, None, None)
    async with saver(place) as kept:
        assert await kept.aget_tuple(there)


async def test_steps_are_tried_again_after_a_reader_failed_or_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are the run's: whoever reads meanwhile takes none of them away."""
    here, thread = Home(tmp_path), {"configurable": {"thread_id": "t"}}
    full = [sqlite3.OperationalError("database or disk is full")]
    async with saver(here) as kept:
        put_it = kept.put  # type: ignore[attr-defined]

        def once_full(*given: Any) -> Any:
            if full:
                raise full.pop()
            return put_it(*given)

        monkeypatch.setattr(kept, "put", once_full)
        await put(kept, "", {"status": "one"})
        with pytest.raises(sqlite3.OperationalError):
            await kept.aget_tuple(thread)  # type: ignore[arg-type]
        reading = asyncio.create_task(kept.aget_tuple(thread))  # type: ignore[arg-type]
        await asyncio.sleep(0)
        reading.cancel()
        await put(kept, "", {"status": "two"})
        await kept.keep("t")
        async with saver(here) as elsewhere:
            states = [x.checkpoint["channel_values"] async for x in elsewhere.alist(thread)]  # type: ignore[arg-type]
    assert states == [{"status": "two"}, {"status": "one"}]


def written(here: Home) -> list[str]:
    """The channels of all writes in the file of a home."""
    with closing(sqlite3.connect(here.checkpoints)) as connection:
        return [name for (name,) in connection.execute("SELECT channel FROM writes")]


async def test_a_forgotten_thread_is_gone_when_the_saver_closes(place: Home) -> None:
    async with saver(place) as kept:
        await put(kept, "", {})
        await kept.adelete_thread("t")
    async with saver(place) as kept:
        assert await kept.aget_tuple({"configurable": {"thread_id": "t"}}) is None


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


def test_another_example_makes_another_version_of_checkpoints() -> None:
    """Who changes the example can read nothing that was packed with it, and counts one on."""
    assert (CHECKPOINTS, zlib.adler32(example())) == (2, 447470241)


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


async def test_what_labels_a_run_is_in_the_first_checkpoint_alone() -> None:
    await play("llm_only", RunConfig(), "first")
    labels = configured(home().runs.get("first"))["metadata"].keys()
    async with saver(home()) as kept:
        place: Any = {"configurable": {"thread_id": "first", "checkpoint_ns": ""}}
        *later, first = [one.metadata async for one in kept.alist(place)]
    assert first.items() >= {"run": "first", "graph": "llm_only", "game": "escape_room"}.items()
    assert later
    assert not any(labels & one.keys() for one in later)


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
    graph = StateGraph(dict).add_node("next", lambda table: {"at": table["at"] + 1})
    page, at = graph.set_entry_point("next").set_finish_point("next"), {}
    thread: RunnableConfig = {"configurable": {"thread_id": "t"}}
    for turn in range(3):
        # Each worker begins with a clock that is a minute behind the one before.
        early = time.time_ns() - (turn * 60 * 10**9)
        monkeypatch.setattr(checkpoint_ids, "_last_v6_timestamp", None)
        monkeypatch.setattr(checkpoint_ids.time, "time_ns", lambda early=early: early)
        async with saver(place) as kept:
            app = page.compile(checkpointer=kept)
            await app.aget_state(thread)
            await app.ainvoke({"at": turn}, thread)
            at = (await app.aget_state(thread)).values
        assert at == {"at": turn + 1}
