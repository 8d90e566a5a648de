"""A thread's play has one episode, whatever is forked, lost or requested again; it is paid once."""

from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from shapley_coop.graphs import builder
from shapley_coop.graphs.preparing import prepare
from shapley_coop.graphs.running import follow, play
from shapley_coop.graphs.threads import configure, open_workflow
from shapley_coop.seats.records import Answer, Entry, JournalKey, nonce
from shapley_coop.state.run_config import RunConfig
from shapley_coop.state.storage.home import home
from shapley_coop.state.storage.owners import acting_for
from tests.coop_command import USAGE, Coop, one_line
from tests.embedded_reply import reply
from tests.stub_openai import StubOpenAI
from tests.trials import transfers_of

ROOM = RunConfig(game="escape_room", seed=3)


async def checkpoints(app: Any, config: Any) -> list[Any]:
    """A thread's states, the oldest first."""
    return [state async for state in app.aget_state_history(config)][::-1]


async def test_a_fork_from_before_open_plays_the_same_episode_and_pays_nothing() -> None:
    whole = await play("shapley_coop", ROOM, "r")
    run = home().runs.get("r")
    paid = transfers_of(home())
    async with open_workflow(run.graph) as app:
        first, *later = await checkpoints(app, configure(run))
        assert first.next == ("__start__",)
        assert later[0].next == ("open",)
        for begin in (first, later[0]):
            table = await app.ainvoke(None, begin.config, context=RunConfig())
            assert table["episode"] == whole["episode"]
            assert table["settlement"]["payoffs"]
    assert transfers_of(home()) == paid


async def test_a_fork_from_before_open_with_other_settings_is_counterfactual() -> None:
    await play("negotiation", ROOM, "r")
    run, other = home().runs.get("r"), RunConfig(game="stag_hunt", seed=4)
    paid = transfers_of(home())
    async with open_workflow(run.graph) as app:
        _, second, *_ = await checkpoints(app, configure(run))
        forked = await app.aupdate_state(second.config, {"room": other.model_dump(mode="json")})
        table = await app.ainvoke(None, forked, context=RunConfig())
    assert table["settlement"]["ledger"] == "counterfactual"
    assert transfers_of(home()) == paid


async def test_new_input_on_a_thread_is_a_play_of_its_own_each_time() -> None:
    whole = await play("negotiation", ROOM, "r")
    run = home().runs.get("r")
    async with open_workflow(run.graph) as app:
        again = [
            await app.ainvoke({"room": run.room}, configure(run), context=RunConfig())
            for _ in range(2)
        ]
    assert len({whole["episode"], *(table["episode"] for table in again)}) == 3


async def test_threads_that_end_with_their_process_share_no_episode(tmp_path: Path) -> None:
    async def episode(saver: Any, **place: str) -> str:
        app = builder("llm_only").compile(checkpointer=saver)
        config: Any = {"configurable": place}
        table = await app.ainvoke({}, config, context=ROOM)
        return str(table["episode"])

    memory = [await episode(InMemorySaver(), thread_id="1") for _ in range(2)]
    without = [await episode(None, thread_id="1") for _ in range(2)]
    async with AsyncSqliteSaver.from_conn_string(str(tmp_path / "own.sqlite")) as kept:
        durable = await episode(kept, thread_id="1")
    assert len({*memory, *without, durable}) == 5


def test_each_owner_has_episodes_of_its_own_on_threads_of_one_name(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("shapley_coop.state.storage.episodes._outlives_its_process", lambda: True)
    found = {}
    for owner in ("ann", "bob"):
        with acting_for(owner, "t"):
            found[owner] = home().episodes.after("")
            assert home().episodes.after("") == found[owner]
            assert home().episodes.after(found[owner]) != found[owner]
    assert found["ann"] != found["bob"]


@pytest.mark.usefixtures("openai_key")
async def test_a_fork_that_puts_another_model_at_a_seat_asks_that_model() -> None:
    with StubOpenAI(reply) as stub:
        seats: Any = {"model": "openai:Alice-1", "base_url": stub.base_url}
        others: Any = {"model": "embedded:rational"}
        room = RunConfig(game="escape_room", seats={"Alice": seats, "*": others})
        await play("llm_only", room, "r")
        run = home().runs.get("r")
        asked = stub.calls
        async with open_workflow(run.graph) as app:
            begun = next(s for s in await checkpoints(app, configure(run)) if s.next == ("act",))
            settings = begun.values["settings"]
            for model, calls in (
                ("openai:Alice-1", 0),
                ("openai:Alice-2", 1),
                ("openai:Alice-2", 1),
            ):
                settings["seats"]["Alice"]["model"] = model
                fork = await app.aupdate_state(begun.config, {"settings": settings}, as_node="open")
                await app.ainvoke(None, fork, context=RunConfig())
                assert stub.calls == asked + calls
        assert {r.body["model"] for r in stub.requests} == {"Alice-1", "Alice-2"}


def test_the_journal_keeps_one_answer_of_each_model_to_a_letter() -> None:
    entries = [
        Entry("Ann", "act", model, "l", "Choose.", 1, Answer(model), nonce()) for model in "ab"
    ]
    for entry in entries:
        assert home().journal.write("e", entry) == entry
    for entry in entries:
        assert home().journal.found("e", [JournalKey("Ann", "l", 1, entry.model)]) == [entry]
        assert home().journal.open_all("e", {"Ann": entry.pointer()}) == {"Ann": entry}
    assert home().journal.find("e", "Ann", "l", 1, "c") is None


def test_the_same_request_under_a_key_is_the_same_run(coop: Coop) -> None:
    request = ("run", "escape_room", "--graph", "negotiation", "--idempotency-key", "k1", "--json")
    first, second = coop(*request).result, coop(*request).result
    assert (first["run"], first["episode"]) == (second["run"], second["episode"])
    assert len(home().runs.list()) == 1
    said = one_line(coop(*request, "--seed", "9"), USAGE)
    assert "idempotency key 'k1' is that of another request" in said
    assert first["run"] in said
    assert len(home().runs.list()) == 1


async def test_a_run_that_was_killed_goes_on_when_it_is_requested_again() -> None:
    before = prepare("negotiation", ROOM, idempotency_key="k")
    again = prepare("negotiation", ROOM, idempotency_key="k")
    assert again == before
    outcome = await follow(again)
    assert len(transfers_of(home())) == 1
    assert prepare("negotiation", ROOM, idempotency_key="k").result == outcome


async def test_a_key_in_a_graphs_input_plays_and_pays_once_on_its_thread() -> None:
    given = {"room": ROOM.model_dump(mode="json"), "idempotency_key": "k"}

    async def sent(request: dict[str, Any], thread: str) -> Any:
        config: Any = {"configurable": {"thread_id": thread}}
        async with open_workflow("negotiation") as app:
            return await app.ainvoke(request, config, context=RunConfig())

    first = await sent(given, "t")
    paid = transfers_of(home())
    assert (await sent(given, "t"))["episode"] == first["episode"]
    assert transfers_of(home()) == paid
    with pytest.raises(ValueError, match="that of another request"):
        await sent(given | {"room": {"game": "stag_hunt"}}, "t")
    with pytest.raises(ValueError, match="used on another thread"):
        await sent(given, "u")
    without = await sent({"room": given["room"]}, "t")
    assert without["episode"] != first["episode"]


async def test_lost_checkpoints_change_nothing_that_was_paid() -> None:
    whole = await play("shapley_coop", ROOM, "r")
    run = home().runs.get("r")
    paid, letters = transfers_of(home()), list(home().journal.entries(whole["episode"]))
    async with open_workflow(run.graph) as app:
        await app.checkpointer.adelete_thread("r")  # type: ignore[union-attr]
    outcome = await follow(run)
    assert outcome["episode"] == whole["episode"]
    assert transfers_of(home()) == paid
    assert list(home().journal.entries(whole["episode"])) == letters
