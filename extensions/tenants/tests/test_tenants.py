"""On a real server, no tenant reaches what belongs to another."""

import base64
import json
from collections.abc import Iterator
from itertools import count
from typing import Any

import httpx
import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from extensions.tenants.tests.tenants import (
    ANN,
    BOB,
    CANARY,
    CEM,
    DAN,
    EPISODE,
    MORE,
    PARTY,
    READS,
    Person,
    tenants_server,
)
from tests.brought import brought_by
from tests.server_process import Server
from tests.waiting import wait_for

pytest.importorskip("langgraph_api", reason="the server is in the dev extra")
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("tenants")]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("tenants")
    with tenants_server(folder, COOP_MAX_STEPS="77", COOP_MAX_BUSY="3") as running:
        yield running


@pytest.fixture(scope="module")
def ann(server: Server) -> Person:
    return Person(server, ANN)


@pytest.fixture(scope="module")
def anns(ann: Person) -> dict[str, str]:
    """Ids of Ann's things, each with the canary in it."""
    note = {"note": CANARY}
    thread = ann("POST /threads", {"metadata": note}).json()["thread_id"]
    room = {"game": "escape_room", "secrets": "ann__whisper"}
    run = {"assistant_id": "shapley_coop", "input": {"room": room}, "metadata": note}
    ended = ann(f"POST /threads/{thread}/runs/wait", run)
    assert ended.json()["status"] == "agreed", ended.text
    assert ann(f"POST /threads/{thread}/state", {"values": {"verdict": CANARY}}).is_success
    made = {"graph_id": "llm_only", "name": f"Ann's {CANARY}", "metadata": note}
    assistant = ann("POST /assistants", made).json()["assistant_id"]
    yearly = {"schedule": "0 0 1 1 *", "assistant_id": assistant, "input": {}, "metadata": note}
    cron = ann("POST /runs/crons", yearly).json()["cron_id"]
    item = {"namespace": ["ann", "private"], "key": "k", "value": note}
    assert ann("PUT /store/items", item).is_success
    return {
        "thread": thread,
        "run": ann(f"GET /threads/{thread}/runs").json()[0]["run_id"],
        "checkpoint": ann(f"GET /threads/{thread}/state").json()["checkpoint"]["checkpoint_id"],
        "assistant": assistant,
        "cron": cron,
    }


EMPTY = {"", "0", "[]", "null", '{"items":[]}', '{"namespaces":[]}'}


def filled(template: Any, ids: dict[str, str]) -> Any:
    text = json.dumps(template)
    for name, value in ids.items():
        text = text.replace(f"{{{name}}}", value)
    return json.loads(text)


def shown(response: httpx.Response, ids: dict[str, str]) -> set[str]:
    """What of Ann's stands in an answer, but for what the caller named itself."""
    asked = str(response.request.url) + response.request.content.decode()
    marks = {CANARY, *ids.values()}
    return {mark for mark in marks if mark in response.text and mark not in asked}


@pytest.mark.parametrize(("call", "body"), READS, ids=lambda one: str(one)[:60])
def test_ann_sees_what_is_hers(ann: Person, anns: dict[str, str], call: str, body: Any) -> None:
    """The control: each of these would show the canary if it leaked."""
    seen = ann(filled(call, anns), filled(body, anns))
    assert seen.is_success, seen.text
    assert CANARY in seen.text


def test_in_two_hundred_calls_nobody_else_sees_or_changes_anything(
    server: Server, ann: Person, anns: dict[str, str]
) -> None:
    before = everything(ann, anns)
    calls = [(filled(call, anns), filled(body, anns)) for call, body in READS + MORE]
    leaks, numbers = [], count()
    for token in (BOB, PARTY, None):
        person = Person(server, token)
        for call, body in calls:
            next(numbers)
            got = person(call, body)
            refused = token == BOB or got.status_code in (401, 403)
            if shown(got, anns) or not refused or (got.is_success and not harmless(call, got)):
                leaks.append((token, call, body, got.status_code, got.text[:200]))
    assert not leaks, "\n".join(map(str, leaks))
    assert next(numbers) >= 200
    assert everything(ann, anns) == before


@brought_by("mcp")
@pytest.mark.parametrize("era", ["legacy", "2026-07-28"])
async def test_a_tool_finds_its_callers_runs_alone(
    server: Server, anns: dict[str, str], era: str
) -> None:
    for token, own in ((ANN, True), (BOB, False)):
        headers = {"authorization": f"Bearer {token}"}
        async with httpx2.AsyncClient(headers=headers, timeout=300) as http:
            transport = streamable_http_client(f"{server.url}/mcp", http_client=http)
            async with Client(transport, mode=era) as mcp:
                run = {"run": anns["thread"]}
                told = [await mcp.call_tool(one, run) for one in ("runs", "verify", "credit")]
                told.append(await mcp.call_tool("runs", {}))
        assert [one.is_error for one in told] == [not own] * 3 + [False]
        assert (anns["thread"] in str(told[-1])) is own


def test_nobody_gets_at_anothers_books_through_a_thread_of_its_own(
    server: Server, ann: Person, anns: dict[str, str]
) -> None:
    bob = Person(server, BOB)
    hers = ann(f"GET /threads/{anns['thread']}/state").json()["values"]
    mine = bob("POST /threads", {}).json()["thread_id"]
    stolen = {"values": {"settings": hers["settings"], "episode": hers["episode"]}}
    run = {"assistant_id": "llm_only", "command": {"update": {"episode": hers["episode"]}}}
    elsewhere = {"assistant_id": "llm_only", "input": {}, "checkpoint": {"thread_id": mine}}
    elsewhere["config"] = {"configurable": {"thread_id": anns["thread"]}}
    before = everything(ann, anns)
    assert bob(f"POST /threads/{mine}/state", stolen).status_code == 422
    assert bob(f"POST /threads/{mine}/runs/wait", run).status_code == 422
    assert bob(f"POST /threads/{mine}/runs/wait", elsewhere).is_success
    assert CANARY not in bob(f"GET /view/runs/{mine}.json?private=1").text
    assert everything(ann, anns) == before


def test_what_a_room_hides_behind_a_name_or_an_escape_is_seen(server: Server, ann: Person) -> None:
    bob = Person(server, BOB)
    seats = {"metadata": {"model": "openai:m", "base_url": "http://127.0.0.1:9/v1"}}
    pair = {"agents": ["metadata", "Ben"]}
    device = {"game": "escape_room", "params": {"door": "/dev/zero"}, "digests": {"door": "0:0"}}
    for room in ({"seats": seats, "params": pair}, device):
        run = {"assistant_id": "llm_only", "input": {"room": room}}
        assert bob("POST /runs/wait", run).status_code == 422
    for key in ("context", "\\u0063ontext"):
        body = (
            f'{{"assistant_id": "llm_only", "input": {{}}, "{key}": {{"__coop_owner__": "bob"}}}}'
        )
        headers = {"authorization": f"Bearer {BOB}", "content-type": "application/json"}
        answer = httpx.post(f"{server.url}/runs/wait", content=body, headers=headers)
        assert (answer.status_code, "__coop_owner__" in answer.text) == (422, True)


def test_a_persona_is_its_owners_and_reaches_its_agent(server: Server, ann: Person) -> None:
    persona = {"room": {"game": "escape_room", "personas": {"Alice": "You are a miser."}}}
    names = {}
    for token in (ANN, BOB):
        person = Person(server, token)
        run = {"assistant_id": "llm_only", "input": persona}
        told = person("POST /runs/wait", run).json()
        assert told["status"] in ("agreed", "no_deal"), told
        names[token] = told["settings"]["personas"]["Alice"]
    assert names[ANN] != names[BOB], "who has the same words cannot tell"
    stolen = {"room": {"game": "escape_room", "personas": {"Alice": names[ANN]}}}
    refused = Person(server, BOB)("POST /runs/wait", {"assistant_id": "llm_only", "input": stolen})
    assert refused.status_code == 422
    folders = {path.name for path in (server.home / "personas").iterdir()}
    assert {"ann", "bob"} <= folders


def test_anybody_may_ask_whether_it_is_well_and_nothing_else(server: Server) -> None:
    nobody = Person(server, None)
    assert nobody("GET /ok").json()["ok"] is True
    for door in ("/info", "/docs", "/openapi.json", "/metrics", "/view/", "/page/page.css"):
        assert nobody(f"GET {door}").status_code == 401
    assert nobody("POST /ok").status_code == 401
    assert "Basic" in nobody("GET /view/").headers["www-authenticate"]


def test_studios_own_scheme_lets_nobody_in(server: Server, anns: dict[str, str]) -> None:
    nobody = Person(server, None)
    sly = {"x-auth-scheme": "langsmith", "x-api-key": "anything"}
    assert nobody(f"GET /threads/{anns['thread']}", **sly).status_code == 401


def test_a_web_socket_is_not_opened(server: Server, anns: dict[str, str]) -> None:
    upgrade = {
        "connection": "Upgrade",
        "upgrade": "websocket",
        "sec-websocket-key": base64.b64encode(b"0" * 16).decode(),
        "sec-websocket-version": "13",
    }
    path = f"GET /threads/{anns['thread']}/stream/events"
    for token in (None, PARTY, BOB):
        assert Person(server, token)(path, **upgrade).status_code == 403


def test_a_party_reads_and_answers_its_own_letter(server: Server) -> None:
    party = Person(server, PARTY)
    seat = f"/seat/{EPISODE}/Alice"
    assert party(f"GET {seat}").json()["letter"] == f"{CANARY} for Alice"
    assert "<title>Your seat</title>" in party(f"GET {seat}", accept="text/html").text
    assert party("GET /page/seat.js").is_success
    refused = party(f"POST {seat}", {"type": "accept"})
    assert (refused.status_code, refused.json()["detail"]) == (422, "answer in words")
    assert party(f"POST {seat}", {"type": "response"}).json() == {"accepted": "Alice"}


@pytest.mark.parametrize(
    "path", ["Bob", "Alice/../Bob", "Alice%2F..%2FBob", "Alice/", "alice", "Alice%00", ""]
)
def test_a_party_gets_no_other_seat(server: Server, path: str) -> None:
    got = Person(server, PARTY)(f"GET /seat/{EPISODE}/{path}")
    assert got.status_code in (403, 404)
    assert CANARY not in got.text


def test_a_form_of_another_page_cannot_answer(server: Server) -> None:
    sent = httpx.post(
        f"{server.url}/seat/{EPISODE}/Alice",
        content=b'{"type": "response"}',
        headers={"content-type": "text/plain"},
        auth=("alice", PARTY),
    )
    assert sent.status_code == 415


def test_only_studio_and_this_machine_are_let_through_a_browser(server: Server) -> None:
    def preflight(origin: str) -> httpx.Response:
        asks = {"origin": origin, "access-control-request-method": "POST"}
        return httpx.options(f"{server.url}/threads", headers=asks)

    for origin in ("https://smith.langchain.com", "http://localhost:3000"):
        assert preflight(origin).headers["access-control-allow-origin"] == origin
    for origin in ("https://evil.example", "http://localhost.evil.example", "null"):
        assert "access-control-allow-origin" not in preflight(origin).headers


def test_a_large_request_is_refused(ann: Person) -> None:
    assert ann("POST /threads", {"metadata": {"x": "x" * 3_000_000}}).status_code == 413


def test_a_run_gets_no_more_steps_than_the_server_gives(ann: Person, anns: dict[str, str]) -> None:
    greedy = {"assistant_id": "llm_only", "input": {}, "config": {"recursion_limit": 10**6}}
    made = ann(f"POST /threads/{anns['thread']}/runs", {**greedy, "after_seconds": 600}).json()
    try:
        assert made["kwargs"]["config"]["recursion_limit"] == 77
    finally:
        ann(f"POST /threads/{anns['thread']}/runs/{made['run_id']}/cancel?wait=true")


def test_one_operator_cannot_keep_the_server_busy_alone(server: Server) -> None:
    cem = Person(server, CEM)
    waiting = {"assistant_id": "llm_only", "input": {}, "after_seconds": 600}
    threads = [cem("POST /threads", {}).json()["thread_id"] for _ in range(4)]
    got = [cem(f"POST /threads/{thread}/runs", waiting).status_code for thread in threads]
    assert got == [200, 200, 200, 429]
    queued = {**waiting, "multitask_strategy": "enqueue"}
    more = [cem(f"POST /threads/{threads[0]}/runs", queued) for _ in range(3)]
    assert [one.status_code for one in more] == [200, 200, 429]
    assert more[-1].json()["detail"] == "3 runs may wait on one thread at once: wait for one"


def test_a_batch_starts_no_more_than_one_by_one(server: Server) -> None:
    dan = Person(server, DAN)
    waiting = {"assistant_id": "llm_only", "input": {}, "after_seconds": 600}
    assert dan("POST /runs/batch", [waiting] * 9).status_code == 429
    # What the batch began counts, whether or not its threads are called busy yet.
    more = [dan("POST /runs", waiting).status_code for _ in range(4)]
    assert more == sorted(more)
    assert more[-1] == 429

    def busy() -> int:
        return int(dan("POST /threads/count", {"status": "busy"}).json())

    wait_for("three runs", lambda: busy() >= 3)
    assert busy() == 3


def test_two_tokens_in_one_request_are_refused(server: Server) -> None:
    both = [("authorization", f"Bearer {ANN}"), ("authorization", f"Bearer {BOB}")]
    assert httpx.get(f"{server.url}/info", headers=both).status_code == 400


def harmless(call: str, got: httpx.Response) -> bool:
    """Whether a success found nothing, told so in its stream, or concerned the caller's own."""
    path = call.partition(" ")[2]
    own = path.startswith(("/store/", "/assistants/search", "/view/runs.json"))
    return own or got.text in EMPTY or '"error"' in got.text


def everything(ann: Person, ids: dict[str, str]) -> list[Any]:
    """All of Ann's things, as she finds them."""
    calls = [
        "GET /threads/{thread}",
        "GET /threads/{thread}/history",
        "GET /threads/{thread}/runs",
        "GET /assistants/{assistant}",
        "GET /runs/crons/{cron}",
        "GET /store/items?namespace=ann.private&key=k",
    ]
    return [ann(filled(call, ids)).json() for call in calls]
