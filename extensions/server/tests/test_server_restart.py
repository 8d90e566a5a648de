"""A server that ended, in order or killed, with its books in SQLite or in Postgres, comes back."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import pytest
from langgraph_sdk.client import SyncLangGraphClient

from extensions.server.tests.server_client import play, seats, together, values
from tests.books import facts_of
from tests.brought import brought_by
from tests.embedded_reply import reply
from tests.server_process import Server
from tests.stub_openai import StubOpenAI

pytest.importorskip("langgraph_api", reason="the server is in the dev extra")
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("postgres")]

STOPS = ("reason", "answer", "act", "step", "attribute", "settle")
PROPOSAL = {"clauses": [{"kind": "do", "agent": "Bob", "action": "lever"}]}


@dataclass
class Restart:
    """What went on when the server ended.

    Attributes:
        server: as it came up again.
        since: where the log of its second life begins.
        database: a Postgres URL, or empty.
        halves: threads that had stopped before `STOPS`, and what they held.
        flight: a thread whose run was in flight, and what it held.
        endpoint: who was asked in it.
        waiting: a thread that waits for a person, who has answered once.
    """

    server: Server
    since: int
    database: str
    halves: dict[str, dict[str, Any]]
    flight: tuple[str, dict[str, Any]]
    endpoint: StubOpenAI
    waiting: tuple[str, dict[str, Any]]

    @property
    def client(self) -> SyncLangGraphClient:
        return self.server.client()

    def postings(self, episode: str) -> int:
        """How many there are, wherever the books are."""
        return len(facts_of(self.database or self.server.home, "posting", episode))


KILLED = pytest.param("killed, Postgres", marks=brought_by("server"))


@pytest.fixture(scope="module", params=["told to end, SQLite", KILLED])
def restart(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Restart]:
    killed = request.param.startswith("killed")
    database = request.getfixturevalue("postgres_url") if killed else ""
    variables = {"OPENAI_API_KEY": "sk-canary", "COOP_DATABASE_URL": database}
    server = Server(tmp_path_factory.mktemp("restart"), **variables)
    try:
        with StubOpenAI(reply, latency=0.2) as endpoint:
            client = server.start().client()
            half = partial(play, client, "shapley_coop", context={"seed": 2})
            halves = together([partial(half, interrupt_before=[node]) for node in STOPS])
            waiting = negotiating(client)
            flight = client.threads.create()["thread_id"]
            given: Any = {"input": {}, "context": seats(endpoint), "durability": "sync"}
            client.runs.create(flight, "shapley_coop", **given)
            endpoint.wait_for_calls(5)
            held = {thread: values(client, thread) for thread in (*halves, flight, waiting)}
            # In this very moment: nothing waits for the server to have written its list down.
            server.kill() if killed else server.stop()
            since = len(server.log())
            server.start()
            yield Restart(
                server,
                since,
                database,
                {thread: held[thread] for thread in halves},
                (flight, held[flight]),
                endpoint,
                (waiting, held[waiting]),
            )
    finally:
        server.stop()


def negotiating(client: SyncLangGraphClient) -> str:
    """A thread on which two people negotiate, one of whom has put an offer."""
    thread = play(client, "negotiation", context={"seats": {"*": "human"}, "seed": 4})
    fields = {"speech": "Pull, please.", **PROPOSAL}
    answer(client, thread, "Alice", {"type": "edit", "args": {"action": "propose", "args": fields}})
    return thread


def answer(client: SyncLangGraphClient, thread: str, agent: str, reply: Any) -> None:
    """Answer for one person, as an inbox does: by the thread's interrupt."""
    (found,) = client.threads.search(ids=[thread], status="interrupted")
    waiting = [one for task in found["interrupts"].values() for one in task]
    (asked,) = [one["id"] for one in waiting if one["value"]["pointer"]["agent"] == agent]
    play(client, "negotiation", thread, input=None, command={"resume": {asked: reply}})


def test_threads_stand_where_they_stood_and_end_alike(restart: Restart) -> None:
    client, halves = restart.client, restart.halves
    assert [client.threads.get_state(thread)["next"] for thread in halves] == [[n] for n in STOPS]
    # The first goes on alone, so that nobody else has warmed anything up for it; and the context
    # is not what counts any more: the table knows its room.
    rest = [partial(play, client, "shapley_coop", t, input=None, context={}) for t in halves]
    rest[0]()
    together(rest[1:])
    ends = [values(client, thread) for thread in halves]
    assert [end["episode"] for end in ends] == [held["episode"] for held in halves.values()]
    for end in ends:
        assert end["settings"]["seed"] == 2
        assert restart.postings(end["episode"]) == 1
    assert [end["settlement"] for end in ends] == [ends[0]["settlement"]] * len(STOPS)


def test_they_are_found_again_by_their_labels(restart: Restart) -> None:
    for thread, held in restart.halves.items():
        labels = {"episode": held["episode"], "game": "escape_room", "graph_id": "shapley_coop"}
        (found,) = restart.client.threads.search(metadata=labels)
        assert found["thread_id"] == thread


def test_a_run_in_flight_is_taken_up_again_and_paid_once(restart: Restart) -> None:
    client, (thread, held) = restart.client, restart.flight
    runs = [run["run_id"] for run in client.runs.list(thread)]
    for run in runs:  # one that was brought back has an id of its own
        client.runs.join(thread, run)
    if not runs:
        # Killed before the server had written it down: somebody has to say that it goes on.
        play(client, "shapley_coop", thread, input=None)
    table = values(client, thread)
    assert (table["episode"], table["status"]) == (held["episode"], "agreed")
    assert restart.postings(held["episode"]) == 1
    # What was answered is not asked again; two were being asked, and a client retries once more.
    phases = [spent["agents"] for spent in table["spent"].values()]
    needed = sum(agents[a]["calls"] for agents in phases for a in agents if a != "summariser")
    assert needed <= restart.endpoint.calls <= needed + 4


def test_a_persons_negotiation_is_finished(restart: Restart) -> None:
    client, (thread, held) = restart.client, restart.waiting
    for run in client.runs.list(thread):
        client.runs.join(thread, run["run_id"])
    assert client.threads.get(thread)["metadata"]["status"] == "open"
    answer(client, thread, "Bob", {"type": "accept"})
    answer(client, thread, "Bob", "<ACTION>lever</ACTION>")
    answer(client, thread, "Alice", "<ACTION>door</ACTION>")
    table = values(client, thread)
    assert (table["episode"], table["status"]) == (held["episode"], "agreed")
    assert table["contract"]["signatures"].keys() == {"Alice", "Bob"}
    assert table["record"][0]["actions"] == {"Alice": "door", "Bob": "lever"}
    assert restart.postings(held["episode"]) == 1


def test_the_second_life_has_no_errors_in_its_log(restart: Restart) -> None:
    assert "Traceback" not in restart.server.log(restart.since)
