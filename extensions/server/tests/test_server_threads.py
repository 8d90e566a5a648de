"""A thread on a real server: runs that meet on it, its labels, its end, and the people it asks."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from langgraph_sdk.client import SyncLangGraphClient
from langgraph_sdk.errors import ConflictError, NotFoundError

from extensions.server.tests.server_client import WORKFLOWS, play, seats, together, values
from tests.embedded_reply import reply
from tests.server_process import Server
from tests.stub_faults import Fault
from tests.stub_openai import StubOpenAI
from tests.waiting import wait_for

pytest.importorskip("langgraph_api", reason="the server is in the dev extra")
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("server_threads")]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with Server(tmp_path_factory.mktemp("threads"), OPENAI_API_KEY="sk-canary") as running:
        yield running


# Double-texting


class Texting:
    """A thread on which one run is in flight, and a second comes in."""

    def __init__(self, client: SyncLangGraphClient, stub: StubOpenAI) -> None:
        self.client = client
        self.thread = client.threads.create()["thread_id"]
        self.first = self._run({"seed": 1, **seats(stub)})["run_id"]
        stub.wait_for_calls(2)

    def second(self, strategy: str) -> dict[str, Any]:
        """What the thread holds after a second run, and all before it, has ended."""
        later = self._run({"seed": 2}, multitask_strategy=strategy)
        self.client.runs.join(self.thread, later["run_id"])
        assert self.client.runs.get(self.thread, later["run_id"])["status"] == "success"
        return values(self.client, self.thread)

    def status(self) -> str:
        return str(self.client.runs.get(self.thread, self.first)["status"])

    def runs(self) -> set[Any]:
        """The runs that made the thread's checkpoints."""
        history = self.client.threads.get_history(self.thread, limit=100)
        return {(state["metadata"] or {}).get("run_id") for state in history}

    def _run(self, context: dict[str, Any], **more: Any) -> Any:
        options = {"input": {}, "context": context, "durability": "sync", **more}
        return self.client.runs.create(self.thread, "llm_only", **options)


Held = Callable[[Fault | None], Texting]


@pytest.fixture
def held(client: SyncLangGraphClient) -> Iterator[Held]:
    """Makes a thread whose first run waits for its models: some time, or for ever."""
    stubs: list[StubOpenAI] = []

    def begin(fault: Fault | None) -> Texting:
        stub = StubOpenAI(reply, latency=0.3, faults=[fault, fault])
        stubs.append(stub.__enter__())
        return Texting(client, stub)

    yield begin
    for stub in stubs:
        stub.__exit__(None, None, None)


def test_a_second_run_is_rejected_while_the_first_is_in_flight(held: Held) -> None:
    texting = held(None)
    with pytest.raises(ConflictError):
        texting.second("reject")
    texting.client.runs.join(texting.thread, texting.first)
    assert (texting.status(), texting.runs()) == ("success", {texting.first})


def test_a_second_run_is_put_in_line(held: Held) -> None:
    texting = held(None)
    table = texting.second("enqueue")
    assert table["settings"]["seed"] == 2
    assert texting.status() == "success"
    assert len(texting.runs()) == 2


def test_a_second_run_interrupts_the_first_and_leaves_what_it_did(held: Held) -> None:
    texting = held(Fault.hang())
    table = texting.second("interrupt")
    assert (table["settings"]["seed"], table["status"]) == (2, "no_deal")
    assert texting.status() == "interrupted"
    assert texting.first in texting.runs()


def test_a_second_run_rolls_the_first_back_without_a_trace(held: Held) -> None:
    texting = held(Fault.hang())
    table = texting.second("rollback")
    assert table["settings"]["seed"] == 2
    with pytest.raises(NotFoundError):
        texting.status()
    assert len(texting.runs()) == 1
    assert texting.first not in texting.runs()


def test_a_cancelled_run_goes_on_where_it_stopped_and_is_paid_once(
    held: Held, server: Server
) -> None:
    texting = held(Fault.hang())
    texting.client.runs.cancel(texting.thread, texting.first, wait=True)
    assert texting.status() == "interrupted"
    stopped = texting.client.threads.get_state(texting.thread)
    assert stopped["next"] == ["act"]
    play(texting.client, "llm_only", texting.thread, input=None)
    table = values(texting.client, texting.thread)
    assert (table["episode"], table["status"]) == (stopped["values"]["episode"], "no_deal")
    assert len(server.facts("posting", table["episode"])) == 1


# Deleting


def test_deleting_threads_side_by_side_takes_away_those_and_no_others(
    client: SyncLangGraphClient,
) -> None:
    threads = [client.threads.create()["thread_id"] for _ in range(40)]
    together([partial(client.threads.delete, thread) for thread in threads[::2]])
    left = client.threads.search(ids=threads, limit=100)
    assert {thread["thread_id"] for thread in left} == {*threads[1::2]}


def test_a_deleted_thread_leaves_nothing_behind(
    client: SyncLangGraphClient, server: Server
) -> None:
    thread = play(client, "llm_only")
    client.threads.delete(thread)
    # A thread of the same name would show what had been left.
    client.threads.create(thread_id=thread, graph_id="llm_only")
    state = client.threads.get_state(thread)
    assert (state["values"], state["next"]) == ({}, [])


# Searching


def test_threads_are_found_by_game_agents_status_and_contract(
    client: SyncLangGraphClient,
) -> None:
    thread = play(client, "shapley_coop", context={"seed": 77})
    table = values(client, thread)
    labels = {
        "episode": table["episode"],
        "game": "escape_room",
        "agents": ["Alice", "Bob"],
        "seed": 77,
        "status": "agreed",
        "contract": table["contract"]["hash"],
        "graph_id": "shapley_coop",
    }
    for searched in (labels, {"seed": 77}, {"contract": labels["contract"], "seed": 77}):
        assert [one["thread_id"] for one in client.threads.search(metadata=searched)] == [thread]
    assert client.threads.count(metadata=labels) == 1
    for name in labels:
        assert client.threads.search(metadata={**labels, name: "another"}) == []


def test_a_search_tells_what_has_begun_from_what_has_ended(client: SyncLangGraphClient) -> None:
    def found(how: str, state: Any) -> list[str]:
        threads = client.threads.search(metadata={"seed": 78, "status": how}, status=state)
        return [thread["thread_id"] for thread in threads]

    thread = play(client, "shapley_coop", context={"seed": 78}, interrupt_before=["settle"])
    assert (found("open", "interrupted"), found("agreed", "idle")) == ([thread], [])
    play(client, "shapley_coop", thread, input=None)
    assert (found("open", "interrupted"), found("agreed", "idle")) == ([], [thread])


# People at the table


def asked(client: SyncLangGraphClient, thread: str) -> dict[str, Any]:
    """Who is waited for: agent → its interrupt."""
    waiting = client.threads.get_state(thread)["interrupts"]
    return {one["value"]["pointer"]["agent"]: one for one in waiting}


def test_two_people_are_asked_at_once_and_answer_in_any_order(client: SyncLangGraphClient) -> None:
    thread = play(client, "llm_only", context={"seats": {"*": "human"}})
    first = asked(client, thread)
    assert first.keys() == {"Alice", "Bob"}
    for one in first.values():
        Draft202012Validator(one["response_schema"]).validate({"action": "lever"})
        assert one["value"]["pointer"].keys() == {"episode", "agent", "attempt"}
    by = {agent: one["id"] for agent, one in first.items()}
    resumes = [{by["Bob"]: "<ACTION>lever</ACTION>"}, {by["Alice"]: {"action": "door"}}]
    play(client, "llm_only", thread, input=None, command={"resume": resumes[0]})
    assert asked(client, thread).keys() == {"Alice"}
    play(client, "llm_only", thread, input=None, command={"resume": resumes[1]})
    (turn,) = values(client, thread)["record"]
    assert turn["actions"] == {"Alice": "door", "Bob": "lever"}


def test_a_person_who_does_not_reply_in_time_passes(client: SyncLangGraphClient) -> None:
    late = {"seats": {"Alice": "human", "*": "embedded:rational"}, "deadline": 0.001}
    thread = play(client, "llm_only", context=late)
    wait_for("the settlement", lambda: values(client, thread).get("settlement"))
    table = values(client, thread)
    assert table["record"][0]["actions"].keys() == {"Bob"}
    assert table["settlement"]["ledger"] == "paid"


SHORT = {"params": {"talk": 4, "rounds": 6}}
"""A task exchange of few turns: a person is asked in each of them."""


def passing(client: SyncLangGraphClient, graph: str) -> tuple[int, dict[str, Any]]:
    """How often a person is asked who passes every time, and what comes of it."""
    person = "CEO" if graph in ("settlement", "consent") else "Alice"
    room = SHORT if graph.startswith("task_exchange") else {}
    seated = {"seats": {person: "human", "*": "embedded:rational"}}
    thread = play(client, graph, context={"rounds": 1, **seated, **room})
    told = 0
    while waiting := asked(client, thread):
        assert waiting.keys() == {person}
        told += 1
        resume = {waiting[person]["id"]: {"type": "ignore"}}
        play(client, graph, thread, input=None, command={"resume": resume})
    return told, values(client, thread)


def test_a_person_sits_at_the_table_of_every_workflow(client: SyncLangGraphClient) -> None:
    plays = together([partial(passing, client, graph) for graph in WORKFLOWS])
    for graph, (told, table) in zip(WORKFLOWS, plays, strict=True):
        assert told >= 1, graph
        assert table["status"] in ("agreed", "no_deal")
        assert table["settlement"]["ledger"] == "paid"
