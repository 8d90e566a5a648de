"""What a killed server had not written down is found in the checkpoints."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
from langgraph.checkpoint.base import empty_checkpoint
from langgraph_sdk.errors import NotFoundError

from shapley_coop.extensions.server import recovery
from shapley_coop.extensions.server.serving import in_process
from shapley_coop.state.storage.checkpoints.savers import saver
from shapley_coop.state.storage.home import home

NOW = datetime.now(UTC)


class Server:
    """The list of a server that came up again, and what is done to it."""

    def __init__(self, **state: Any) -> None:
        self.threads = self.runs = self
        self.known: set[tuple[str, str]] = set()
        self.pending: list[dict[str, Any]] = []
        self.state = {"values": {}, "next": [], "interrupts": [], **state}
        self.done: list[tuple[Any, ...]] = []

    async def get(self, thread: str, run: str) -> None:
        if (thread, run) not in self.known:
            refused = httpx.Response(404, request=httpx.Request("GET", "http://inside"))
            raise NotFoundError("no such run", response=refused, body=None)

    async def create(self, thread: str = "", assistant: str = "", **given: Any) -> None:
        if assistant:
            self.done.append(("go on", thread, assistant, given["command"], given["metadata"]))
        else:
            self.done.append(("thread", given["thread_id"], given["metadata"], given["if_exists"]))

    async def list(self, thread: str, status: str) -> list[dict[str, Any]]:
        assert status == "pending"
        return self.pending

    async def cancel(self, thread: str, run: str) -> None:
        self.done.append(("cancel", thread, run))

    async def get_state(self, thread: str) -> dict[str, Any]:
        return self.state

    async def update(self, thread: str, metadata: Any) -> None:
        self.done.append(("labels", thread, metadata))


async def recovered(server: Server, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What is done on a server at its start."""
    for module in (recovery, in_process):
        monkeypatch.setattr(module, "inside", lambda: server)
    await recovery.recover()
    return server.done


async def kept(thread: str, run: str, ago: float = 0, **about: Any) -> None:
    """A checkpoint of a run, so many seconds old, and the note that its thread was at work."""
    moment = NOW - timedelta(seconds=ago)
    place: Any = {"configurable": {"thread_id": thread, "checkpoint_ns": ""}}
    checkpoint = {**empty_checkpoint(), "ts": moment.isoformat()}
    metadata: Any = {"assistant_id": "a", "graph_id": "g", "run_id": run, "owner": "ann", **about}
    async with saver(home()) as opened:
        await opened.aput(place, checkpoint, metadata, {})
    with recovery.NOTES.open("a") as notes:
        notes.write(f"{moment.timestamp()} {thread}\n")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where a development server runs."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(recovery, "_noted", {})
    recovery.NOTES.parent.mkdir()
    return tmp_path


LOST = ("thread", "t", {"owner": "ann", "assistant_id": "a"}, "do_nothing")
NO_LABELS = ("labels", "t", {})


async def test_a_run_that_is_listed_is_left_to_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    await kept("t", "r")
    server = Server(next=["act"], interrupts=[{"id": "i"}])
    server.known = {("t", "r")}
    assert await recovered(server, monkeypatch) == []


async def test_people_are_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    await kept("t", "r")
    done = await recovered(Server(next=["act"], interrupts=[{"id": "i"}]), monkeypatch)
    assert done == [LOST, NO_LABELS, ("go on", "t", "a", None, {"goes_on": True})]


async def test_what_a_person_had_answered_is_acted_on(monkeypatch: pytest.MonkeyPatch) -> None:
    await kept("t", "r", goes_on=True)
    done = await recovered(Server(next=["step"]), monkeypatch)
    assert done[-1] == ("go on", "t", "a", None, {"goes_on": True})


@pytest.mark.parametrize("after", [[], ["step"]], ids=["it had ended", "it may have been stopped"])
async def test_anything_else_stands_where_it_stood(
    after: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    await kept("t", "r")
    assert await recovered(Server(next=after), monkeypatch) == [LOST, NO_LABELS]


async def test_a_listed_run_that_had_ended_before_the_lost_one_does_not_begin_anew(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    await kept("t", "r", ago=5)
    server = Server()
    before, after = (NOW - timedelta(seconds=ago) for ago in (8, 2))
    server.pending = [{"run_id": "old", "created_at": before.isoformat()}]
    server.pending += [{"run_id": "new", "created_at": after.isoformat()}]
    assert await recovered(server, monkeypatch) == [LOST, ("cancel", "t", "old"), NO_LABELS]


async def test_labels_are_written_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    await kept("t", "r")
    settings = {"game": {"name": "tug"}, "seed": 7}
    table = {"settings": settings, "episode": "e", "agents": ["Ann", "Ben"], "status": "open"}
    done = await recovered(Server(values=table), monkeypatch)
    labels = {"episode": "e", "game": "tug", "agents": ["Ann", "Ben"], "seed": 7}
    assert done[-1] == ("labels", "t", {**labels, "status": "open", "contract": None})


async def test_only_the_last_run_of_a_thread_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    await kept("t", "lost", ago=9)
    await kept("t", "known")
    server = Server()
    server.known = {("t", "known")}
    assert await recovered(server, monkeypatch) == []


async def test_nobody_elses_thread_can_be_named_in_metadata(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    await kept("t", "r", thread_id="victim")
    assert {one[1] for one in await recovered(Server(), monkeypatch)} == {"t"}


async def test_what_was_at_work_well_before_the_end_is_on_the_list(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    await kept("long ago", "r", ago=3600 + 61)
    await kept("t", "r", ago=3600)
    assert {one[1] for one in await recovered(Server(), monkeypatch)} == {"t"}


async def test_a_life_that_is_cut_short_at_once_loses_nothing_either(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    await kept("t", "r")
    first = await recovered(Server(), monkeypatch)
    assert first == await recovered(Server(), monkeypatch)


async def test_threads_at_work_are_noted_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    for _ in range(3):
        await recovery.note("t")
    await recovery.note("u")
    assert [line.split()[1] for line in recovery.NOTES.read_text().splitlines()] == ["t", "u"]


async def test_a_note_that_was_cut_short_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    await kept("t", "r")
    with recovery.NOTES.open("a") as notes:
        notes.write("17")
    assert {one[1] for one in await recovered(Server(), monkeypatch)} == {"t"}


async def test_other_servers_take_no_notes(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    recovery.NOTES.parent.rmdir()
    await recovery.note("t")
    assert await recovered(Server(), monkeypatch) == []
    assert not recovery.NOTES.parent.exists()


async def test_one_thread_that_cannot_be_brought_back_does_not_stop_the_others(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    await kept("gone", "r", ago=1)
    await kept("t", "r")
    server = Server()

    async def get_state(thread: str) -> dict[str, Any]:
        if thread == "gone":
            await server.get(thread, "workflow")
        return server.state

    monkeypatch.setattr(server, "get_state", get_state)
    done = await recovered(server, monkeypatch)
    assert NO_LABELS in done
    assert "Thread gone is not restored" in caplog.text
