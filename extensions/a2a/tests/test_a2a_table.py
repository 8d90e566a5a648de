"""An agent of somebody else sits down at our table over A2A: the guest of the docs, and others."""

import asyncio
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml
from a2a.client import Client, ClientConfig, ClientFactory
from a2a.helpers import get_data_parts, new_data_part, new_message, new_text_part
from a2a.types import (
    GetTaskRequest,
    ListTasksRequest,
    Part,
    Role,
    SendMessageRequest,
    Task,
    TaskState,
)
from a2a.utils.errors import TaskNotFoundError, UnsupportedOperationError
from langgraph_sdk import get_sync_client

from shapley_coop.extensions.server.serving.tenancy import TOKENS
from shapley_coop.seats.embedded import EmbeddedChatModel
from shapley_coop.seats.letters import FACTS
from tests.brought import brought_by
from tests.root import ROOT
from tests.server_process import Server
from tests.waiting import HANGS

pytest.importorskip("shapley_coop.extensions.tenants", reason="the extension tenants is not here")
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("a2a_table")]

ANN, BOB, CEM = "token-of-ann-0123456789", "token-of-bob-0123456789", "token-of-cem-0123456789"


class Place:
    """A server with tenants, on which Ann plays and gives her guests seats."""

    def __init__(self, folder: Path) -> None:
        self._tokens = folder / "tokens.yaml"
        self._lines: list[dict[str, str]] = [{"token": ANN, "identity": "ann", "role": "operator"}]
        self._write()
        self.server = Server(folder, **{TOKENS: str(self._tokens)})

    def begun(self, *guests: str, graph: str = "shapley_coop") -> str:
        """A run of Ann's in which these agents are guests; its episode."""
        ann = get_sync_client(url=self.server.url, headers={"authorization": f"Bearer {ANN}"})
        self.thread = ann.threads.create()["thread_id"]
        seats = {"*": "embedded:rational", **dict.fromkeys(guests, "human")}
        room: Any = {"room": {"game": "escape_room", "seed": 3, "seats": seats}}
        ann.runs.wait(self.thread, graph, input=room)
        state: Any = ann.threads.get_state(self.thread)
        return str(state["values"]["episode"])

    def ended(self) -> Any:
        """The run's settlement, once it is there."""
        ann = get_sync_client(url=self.server.url, headers={"authorization": f"Bearer {ANN}"})
        return ann.threads.get_state(self.thread)["values"]["settlement"]

    def invite(self, token: str, episode: str, agent: str) -> None:
        """Give a guest a token for a seat."""
        known = [line for line in self._lines if line["token"] != token]
        seat = {"role": "party", "episode": episode, "agent": agent}
        self._lines = [*known, {"token": token, "identity": agent.lower(), **seat}]
        self._write()

    def _write(self) -> None:
        self._tokens.write_text(yaml.safe_dump(self._lines), encoding="utf-8")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    found = Place(tmp_path_factory.mktemp("table"))
    with found.server:
        yield found


class Guest:
    """A rational embedded agent, behind an A2A client of its own."""

    def __init__(self, url: str, token: str, streaming: bool = False) -> None:
        self._url, self._streaming = url, streaming
        self._http = httpx.AsyncClient(headers={"authorization": f"Bearer {token}"}, timeout=300)
        self._table: Client | None = None
        self.letters: list[str] = []

    async def table(self) -> Client:
        """The client, once the card was read."""
        if self._table is None:
            config = ClientConfig(streaming=self._streaming, httpx_client=self._http)
            self._table = await ClientFactory(config).create_from_url(f"{self._url}/table")
        return self._table

    async def send(self, parts: list[Part], task: str = "") -> Task:
        """Send a message, and give the task as it stands after it."""
        message = new_message(parts, task_id=task, role=Role.ROLE_USER)
        found = Task()
        async for event in (await self.table()).send_message(SendMessageRequest(message=message)):
            if event.HasField("task"):
                found = event.task
            elif event.HasField("status_update"):
                found.status.CopyFrom(event.status_update.status)
            elif event.HasField("artifact_update"):
                found.artifacts.append(event.artifact_update.artifact)
        return found

    async def sit(self) -> Task:
        """Sit down."""
        return await self.send([new_text_part("Here I am.")])

    async def get(self, task: str) -> Task:
        """The task as it stands."""
        return await (await self.table()).get_task(GetTaskRequest(id=task))

    async def answer(self, task: Task) -> Task:
        """Answer the letter that a task holds."""
        letter = letter_in(task)
        self.letters.append(letter["id"])
        words = new_text_part(reply_to(letter))
        return await self.send([words, new_data_part({"letter": letter["id"]})], task.id)

    async def play(self) -> Task:
        """Sit down and answer until the play is over."""
        task = await self.sit()
        while task.status.state != TaskState.TASK_STATE_COMPLETED:
            if task.status.state == TaskState.TASK_STATE_INPUT_REQUIRED:
                task = await self.answer(task)
            else:
                task = await self.get(task.id)
        return task


def letter_in(task: Task) -> dict[str, Any]:
    found: dict[str, Any] = get_data_parts(task.status.message.parts)[0]["letter"]
    return found


def reply_to(letter: dict[str, Any]) -> str:
    """What a rational embedded agent answers."""
    from langchain_core.messages import HumanMessage

    asked = HumanMessage("A letter.")
    asked.additional_kwargs[FACTS] = json.loads(letter["facts_json"])
    agent = EmbeddedChatModel(character="rational", agent=letter["agent"], seed=3)
    return str(agent.invoke([asked]).text)


def payoffs(task: Task) -> dict[str, str]:
    (artifact,) = task.artifacts
    assert artifact.name == "settlement"
    found: dict[str, str] = get_data_parts(artifact.parts)[0]["payoffs"]
    return found


@pytest.mark.parametrize("streaming", [False, True])
async def test_a_guest_plays_a_whole_game(place: Place, streaming: bool) -> None:
    episode = await asyncio.to_thread(place.begun, "Bob")
    place.invite(BOB, episode, "Bob")
    guest = Guest(place.server.url, BOB, streaming)
    task = await guest.play()
    assert {agent: float(x) for agent, x in payoffs(task).items()} == {"Alice": 4.5, "Bob": 4.5}
    assert len(guest.letters) == len(set(guest.letters))
    with pytest.raises(UnsupportedOperationError, match="The play is over"):
        await guest.send([new_text_part("<ACCEPT>")], task.id)


def test_the_guest_of_the_docs_plays(place: Place, tmp_path: Path) -> None:
    program = (ROOT / "docs/guest.py").read_text(encoding="utf-8")
    assert "[`guest.py`](guest.py)" in (ROOT / "docs/a2a.md").read_text(encoding="utf-8")
    assert len(program.strip().splitlines()) <= 55
    (tmp_path / "guest.py").write_text(program, encoding="utf-8")
    place.invite(BOB, place.begun("Bob", graph="negotiation_priced"), "Bob")
    argv = [sys.executable, "guest.py", place.server.url, BOB]
    told = subprocess.run(
        argv, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=HANGS
    )
    assert told.returncode == 0, told.stderr
    paid = json.loads(told.stdout)
    assert sum(map(float, paid.values())) == 9, "they did what they signed"


async def test_a_guest_sees_its_own_seat_and_no_other(place: Place) -> None:
    episode = await asyncio.to_thread(place.begun, "Alice", "Bob")
    place.invite(BOB, episode, "Bob")
    place.invite(CEM, episode, "Alice")
    bob, alice = Guest(place.server.url, BOB), Guest(place.server.url, CEM)
    hers = await alice.sit()
    for wrong in (hers.id, f"{episode}.Nobody", "x", "", f"{'0' * 32}.Bob"):
        if wrong:
            with pytest.raises(TaskNotFoundError):
                await bob.get(wrong)
            with pytest.raises(TaskNotFoundError):
                await bob.send([new_text_part("<REJECT>")], wrong)
    listed = await (await bob.table()).list_tasks(ListTasksRequest())
    assert [task.id for task in listed.tasks] == [f"{episode}.Bob"]
    words = hers.status.message.parts[0].text
    assert "You are **Alice**" in words
    assert words not in str(listed)


async def test_whoever_shows_no_token_is_shown_the_card_alone(place: Place) -> None:
    async with httpx.AsyncClient(base_url=place.server.url) as anybody:
        card = (await anybody.get("/table/.well-known/agent-card.json")).json()
        assert {one["protocolVersion"] for one in card["supportedInterfaces"]} == {"1.0", "0.3"}
        asked = {"jsonrpc": "2.0", "id": 1, "method": "GetTask", "params": {"id": "x"}}
        assert (await anybody.post("/table", json=asked)).status_code == 401
        operator = {"authorization": f"Bearer {ANN}"}
        assert (await anybody.post("/table", json=asked, headers=operator)).status_code == 403


async def test_an_answer_that_is_sent_again_counts_once(place: Place) -> None:
    episode = await asyncio.to_thread(place.begun, "Bob")
    place.invite(BOB, episode, "Bob")
    guest = Guest(place.server.url, BOB)
    first = await guest.sit()
    while first.status.state != TaskState.TASK_STATE_INPUT_REQUIRED:
        first = await guest.get(first.id)
    after = await guest.answer(first)
    again = await guest.answer(first)
    assert letter_in(again)["id"] == letter_in(after)["id"] != letter_in(first)["id"]


async def test_an_unreadable_answer_is_sent_back_with_the_reason(place: Place) -> None:
    episode = await asyncio.to_thread(place.begun, "Bob", graph="negotiation")
    place.invite(BOB, episode, "Bob")
    guest = Guest(place.server.url, BOB)
    first = await guest.sit()
    back = await guest.send([new_text_part("Hm, what should I say?")], first.id)
    assert back.status.state == TaskState.TASK_STATE_INPUT_REQUIRED
    assert letter_in(back)["id"] != letter_in(first)["id"]
    assert "Hm, what should I say?" in back.status.message.parts[0].text


@brought_by("server")
async def test_a_server_that_is_killed_between_two_letters_goes_on_with_the_same_task(
    tmp_path: Path,
) -> None:
    place = Place(tmp_path)
    await asyncio.to_thread(place.server.start)
    try:
        episode = await asyncio.to_thread(place.begun, "Bob")
        place.invite(BOB, episode, "Bob")
        task = await Guest(place.server.url, BOB).sit()
        answered: list[str] = []
        while task.status.state != TaskState.TASK_STATE_COMPLETED:
            before = task
            await asyncio.to_thread(place.server.kill)
            await asyncio.to_thread(place.server.start)
            guest = Guest(place.server.url, BOB)
            task = await guest.sit()
            assert task.id == before.id
            if before.status.state == TaskState.TASK_STATE_INPUT_REQUIRED:
                assert letter_in(task)["id"] == letter_in(before)["id"]
            if task.status.state == TaskState.TASK_STATE_INPUT_REQUIRED:
                task = await guest.answer(task)
            answered += guest.letters
        paid = {agent: float(amount) for agent, amount in payoffs(task).items()}
        assert paid == {"Alice": 4.5, "Bob": 4.5}
        assert len(answered) == len(set(answered))
        final = [x for x in place.server.facts("posting", episode) if "final" in x.key]
        assert len(final) == 1
    finally:
        await asyncio.to_thread(place.server.stop)
