"""A judge agent assesses agents of others over A2A, as AgentBeats asks for it; ours is assessed."""

import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from typing import Any

import httpx
import pytest
import uvicorn
from a2a.client import ClientConfig, ClientFactory
from a2a.helpers import get_data_parts, get_message_text, new_message, new_text_part
from a2a.server.agent_execution import AgentExecutor
from a2a.types import AgentSkill, Role, SendMessageRequest, Task, TaskState
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from extensions.a2a.tests.a2a_agents import a2a_agent, failing
from shapley_coop.extensions.a2a.asking.card import token_of
from shapley_coop.extensions.a2a.serving.agents import (
    ASSESSMENT,
    LETTERS,
    Judge,
    Subject,
    application,
)
from shapley_coop.extensions.a2a.serving.assessment import Assessment
from shapley_coop.extensions.server.serving.body_limit import most_bytes
from shapley_coop.games import names
from shapley_coop.graphs.running import play
from shapley_coop.seats.seat import Seat
from shapley_coop.state.run_config import RunConfig
from shapley_coop.state.storage.home import home
from tests.brought import brought_by
from tests.coop_command import USAGE, Coop, one_line
from tests.waiting import HANGS


@contextmanager
def served(app: Callable[[str], Starlette]) -> Iterator[str]:
    """Run what is made for an address on the loopback interface until the block ends; yields it."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()  # who connects before the server accepts waits, and is not refused
        url = f"http://127.0.0.1:{listening.getsockname()[1]}/"
        config = uvicorn.Config(app(url), log_level="critical")
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        try:
            yield url
        finally:
            server.should_exit = True
            thread.join()


def agent(executor: AgentExecutor, skill: AgentSkill) -> AbstractContextManager[str]:
    """Run an agent of ours on the loopback interface until the block ends; yields its address."""
    return served(lambda url: application(executor, skill, url))


async def asked(url: str, request: Any, streaming: bool = True) -> tuple[Task, list[str]]:
    """Send a text, as AgentBeats sends its request; the task in the end, and what was said."""
    text = request if isinstance(request, str) else json.dumps(request)
    http = httpx.AsyncClient(timeout=HANGS)
    config = ClientConfig(streaming=streaming, httpx_client=http)
    client = await ClientFactory(config).create_from_url(url)
    message = new_message([new_text_part(text)], role=Role.ROLE_USER)
    task, said = Task(), []
    async for event in client.send_message(SendMessageRequest(message=message)):
        if event.HasField("task"):
            task = event.task
        elif event.HasField("status_update"):
            task.status.CopyFrom(event.status_update.status)
            said.append(get_message_text(event.status_update.status.message))
        elif event.HasField("artifact_update"):
            task.artifacts.append(event.artifact_update.artifact)
    return task, [words for words in said if words]


def results(task: Task) -> dict[str, Any]:
    """The artifact's data."""
    assert task.status.state == TaskState.TASK_STATE_COMPLETED
    (artifact,) = task.artifacts
    (data,) = get_data_parts(artifact.parts)
    return dict(data)


@pytest.mark.slow
@pytest.mark.parametrize("streaming", [True, False])
async def test_a_judge_plays_two_subjects_and_tells_what_the_record_shows(streaming: bool) -> None:
    with ExitStack() as stack:
        subject = Subject(Seat(model="embedded:rational"), seed=3)
        urls = [stack.enter_context(agent(subject, LETTERS)) for _ in range(2)]
        judge = stack.enter_context(agent(Judge(), ASSESSMENT))
        request = {
            "participants": dict(zip(("Alice", "Bob"), urls, strict=True)),
            "config": {"game": "escape_room", "workflow": "shapley_coop", "seeds": [3]},
        }
        task, said = await asked(judge, request, streaming)
    found = results(task)
    local = await play("shapley_coop", RunConfig(game="escape_room", seed=3))
    (run,) = found["runs"]
    assert run["payoffs"] == local["payoffs"], "as embedded agents play here"
    assert found["simulated"] == []
    assert found["verified"] is True
    claimed = local["credit"]["claims"]["Alice"]["over_claim"]
    assert found["agents"]["Alice"] == {"payoff": 4.5, "breaches": 0, "over_claim": claimed}
    assert (found["welfare"], found["agreement"]) == (9, 1)
    assert home().runs.get(run["run"]).room["seats"]["Bob"]["model"] == f"a2a:{urls[1]}"
    assert not streaming or "1 of 1, seed 3: agreed. Alice 4.5, Bob 4.5" in said


@pytest.mark.slow
async def test_one_participant_meets_embedded_agents_and_the_result_says_so() -> None:
    with a2a_agent() as other, agent(Judge(), ASSESSMENT) as judge:
        config = {
            "game": "stag_hunt",
            "params": {"rounds": 1},
            "workflow": "llm_only",
            "seeds": "0-1",
        }
        task, said = await asked(judge, {"participants": {"Bob": other.url}, "config": config})
    found = results(task)
    assert found["simulated"] == ["Alice"]
    assert [run["seed"] for run in found["runs"]] == [0, 1]
    assert len([words for words in said if "of 2" in words]) == 2


@brought_by("exchange")
@pytest.mark.slow
async def test_a_participant_meets_others_in_pairs_as_often_as_the_workflow_has_them() -> None:
    with ExitStack() as stack:
        url = stack.enter_context(agent(Subject(Seat(model="embedded:rational")), LETTERS))
        judge = stack.enter_context(agent(Judge(), ASSESSMENT))
        params = {"scenario": "generated", "additive": True, "agents": 4, "atoms": 8, "talk": 4}
        config = {"game": "task_exchange", "params": params, "workflow": "pairwise_exchange"}
        task, _ = await asked(judge, {"participants": {"Agent1": url}, "config": config})
    found = results(task)
    assert found["simulated"] == ["Agent2", "Agent3", "Agent4"]
    assert (found["agreement"], found["verified"]) == (1, True)
    (run,) = found["runs"]
    assert home().runs.get(run["run"]).room["params"]["meetings"] == 3


@pytest.mark.slow
async def test_an_agent_that_does_not_answer_fails_the_assessment_without_its_words() -> None:
    with a2a_agent(failing) as other, agent(Judge(), ASSESSMENT) as judge:
        task, _ = await asked(judge, {"participants": {"Bob": other.url}})
    assert task.status.state == TaskState.TASK_STATE_FAILED
    why = get_message_text(task.status.message)
    assert "Bob's seat" in why
    assert "secret reason" not in why


def gateway(address: str, route: str, upstream: str) -> Starlette:
    """As AgentBeats' gateway: an agent below a path, the address in its card rewritten."""

    async def passed(request: Request) -> Response:
        async with httpx.AsyncClient(timeout=HANGS) as http:
            path, body = request.path_params.get("path", ""), await request.body()
            headers = {**request.headers, "host": "gateway:8080"}
            url = f"{upstream}{path}"
            told = await http.request(request.method, url, content=body, headers=headers)
        content, own = told.content, everywhere(upstream).encode()
        if request.method == "GET":
            content = content.replace(own, f"{address}{route}/".encode())
        return Response(content, told.status_code, media_type=told.headers["content-type"])

    paths = (f"/{route}/{{path:path}}", f"/{route}")
    return Starlette(routes=[Route(path, passed, methods=["GET", "POST"]) for path in paths])


def everywhere(url: str) -> str:
    """An address as `--host 0.0.0.0` puts it into the card."""
    return url.replace("127.0.0.1", "0.0.0.0")


@pytest.mark.slow
async def test_agentbeats_runner_is_told_the_results_of_agents_behind_its_gateway() -> None:
    """Over A2A 0.3 as its runner speaks it: the card, a stream, and data in the artifacts."""
    with ExitStack() as stack:
        rational = Subject(Seat(model="embedded:rational"))
        shown = served(lambda at: application(rational, LETTERS, everywhere(at)))
        subject = stack.enter_context(shown)
        behind = stack.enter_context(served(lambda at: gateway(at, "bob", subject)))
        judge = stack.enter_context(agent(Judge(), ASSESSMENT))
        config = {"game": "stag_hunt", "params": {"rounds": 1}, "workflow": "llm_only"}
        asked_for = {"participants": {"Bob": f"{behind}bob"}, "config": config}
        part = {"kind": "text", "text": json.dumps(asked_for)}
        message = {"kind": "message", "role": "user", "messageId": "m1", "parts": [part]}
        call = {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "message/stream",
            "params": {"message": message},
        }
        async with httpx.AsyncClient(timeout=HANGS) as http:
            card = (await http.get(f"{judge}.well-known/agent-card.json")).json()
            streamed = (await http.post(card["url"], json=call)).text
    assert card["protocolVersion"].startswith("0.3")
    assert card["capabilities"]["streaming"] is True
    data = [
        line.removeprefix("data:") for line in streamed.splitlines() if line.startswith("data:")
    ]
    events = [json.loads(line)["result"] for line in data]
    (artifact,) = [event["artifact"] for event in events if event["kind"] == "artifact-update"]
    (found,) = [part["data"] for part in artifact["parts"]]
    assert found["agents"]["Bob"]["payoff"] > 0
    assert found["simulated"] == ["Alice"]
    assert events[-1]["status"]["state"] == "completed"


BOB = {"Bob": "http://127.0.0.1:9"}
FILES = [
    *(("task_exchange", key) for key in ("scenario", "records", "tools")),
    ("software_company", "task"),
    ("trade", "market"),
]
"""Games' parameters that name files."""


@pytest.mark.parametrize(
    ("request_", "told"),
    [
        ("What can you do?", "the message has no readable JSON .*: write JSON: .*participants"),
        ("```json\n{'participants': 2\n```", "the message has no readable JSON"),
        ({"config": {}}, "participants"),
        (
            {"participants": {"Carol": "http://127.0.0.1:9"}},
            "'Carol' is not an agent of the game: give Alice, Bob",
        ),
        ({"participants": {"Bob": "file:///etc/passwd"}}, "participants.Bob"),
        ({"participants": BOB, "config": {"game": "../own.py"}}, "'../own.py' is not a game"),
        ({"participants": BOB, "config": {"settings": {"prompts": "/etc"}}}, "settings"),
        *(
            (
                {"participants": BOB, "config": {"game": game, "params": {key: "/etc/x.yaml"}}},
                f"{key}: the judge opens",
            )
            for game, key in FILES
            if game in names()
        ),
        ({"participants": BOB, "config": {"settings": {"rounds": 0}}}, "rounds"),
        ({"participants": BOB, "config": {"seeds": "0-100"}}, "seeds"),
        ({"participants": BOB, "config": {"workflow": "consent"}}, "workflow: it has to be 'llm_o"),
        pytest.param(
            {"participants": BOB, "config": {"workflow": "call_market"}},
            "call_market plays trade, not escape_room",
            marks=brought_by("markets"),
        ),
    ],
)
def test_a_request_that_is_none_is_refused_in_one_line(request_: Any, told: str) -> None:
    text = request_ if isinstance(request_, str) else json.dumps(request_)
    with pytest.raises(ValueError, match=told) as refused:
        Assessment.read(text)
    assert "\n" not in str(refused.value)


def test_a_request_may_stand_in_a_fence_with_words_around() -> None:
    told = json.dumps({"participants": BOB, "config": {"seeds": "0-1"}})
    found = Assessment.read(f"Please assess Bob:\n```json\n{told}\n```\nThank you.")
    assert found.config.seeds == [0, 1]


async def test_a_request_that_is_none_is_a_rejected_task() -> None:
    with agent(Judge(), ASSESSMENT) as judge:
        task, said = await asked(judge, "What can you do?")
    assert task.status.state == TaskState.TASK_STATE_REJECTED
    assert "no readable JSON" in said[-1]
    assert home().runs.list() == []


async def test_nobody_is_told_of_others_tasks() -> None:
    """A letter is private, and a task's id is all that shows it."""
    with agent(Judge(), ASSESSMENT) as judge:
        await asked(judge, "What can you do?")
        call = {"jsonrpc": "2.0", "id": 1, "method": "ListTasks", "params": {}}
        headers = {"A2A-Version": "1.0"}
        async with httpx.AsyncClient(timeout=HANGS) as http:
            told = (await http.post(judge, json=call, headers=headers)).json()
    assert not told["result"].get("tasks")


async def test_no_web_page_and_no_endless_body_reaches_an_agent() -> None:
    foreign = {"origin": "https://evil.example", "content-type": "application/json"}
    refused = [
        (foreign, b"{}", 403),
        ({"host": "evil.example"}, b"{}", 403),
        ({"content-type": "text/plain"}, b"{}", 415),
        ({"content-type": "application/json"}, b" " * (most_bytes() + 1), 413),
    ]
    subject = Subject(Seat(model="embedded:rational"))
    with agent(subject, LETTERS) as url:
        async with httpx.AsyncClient(timeout=HANGS) as http:
            for headers, body, status in refused:
                told = await http.post(url, content=body, headers=headers)
                assert told.status_code == status


def test_a_judge_sends_no_token_to_addresses_that_a_request_names(
    coop: Coop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COOP_A2A_TOKEN_BOB", "a-token-of-this-machine")
    bob, sent = Seat(model="a2a:https://evil.example"), list[str]()
    monkeypatch.setattr(uvicorn, "run", lambda *_, **__: sent.append(token_of(bob, "Bob")))
    monkeypatch.setattr("shapley_coop.seats.keys._bound", False)
    assert token_of(bob, "Bob") == "a-token-of-this-machine"
    assert not coop("a2a", "judge").code
    assert sent == [""]


@pytest.mark.parametrize(
    ("what", "told"),
    [("human", "serves no person"), ("embedded:nobody", "is not an embedded character")],
)
def test_what_cannot_be_an_agent_is_refused(coop: Coop, what: str, told: str) -> None:
    assert told in one_line(coop("a2a", what), USAGE)
