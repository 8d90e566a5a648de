"""A real server with tenants: two operators, a party at a seat, and what they might try."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import yaml

from shapley_coop.extensions.server.serving.tenancy import TOKENS
from tests.server_process import BareServer, Server

CANARY = "canary-3141592653"
EPISODE = "5c1f0e"
ANN, BOB, CEM = "token-of-ann-0123456789", "token-of-bob-0123456789", "token-of-cem-0123456789"
PARTY = "token-of-alices-owner-0123456789"
DAN = "token-of-dan-0123456789"
EVE = "token-of-eve-that-expired-012345"


def write_tokens(path: Path, operators: dict[str, str]) -> None:
    lines: list[dict[str, str]] = [
        {"token": token, "identity": name, "role": "operator"} for name, token in operators.items()
    ]
    seat = {"role": "party", "episode": EPISODE, "agent": "Alice"}
    lines.append({"token": PARTY, "identity": "alices-owner", **seat})
    ended = {"role": "operator", "expires": "2020-01-01T00:00:00Z"}
    lines.append({"token": EVE, "identity": "ann", **ended})
    path.write_text(yaml.safe_dump(lines))


_APP = '''"""The server's own app, with an inbox in which one letter waits."""

from shapley_coop.extensions.people import inbox
from shapley_coop.extensions.people.inbox import NothingAsked


class Inbox:
    async def letter(self, episode, agent):
        if (episode, agent) not in {("EPISODE", "Alice"), ("EPISODE", "Bob")}:
            raise NothingAsked
        return {"id": "1", "agent": agent, "act": "act", "letter": f"CANARY for {agent}"}

    async def standing(self, episode, agent):
        return {"detail": "No letter waits at this seat now"}

    async def answer(self, episode, agent, reply):
        if reply.get("type") != "response":
            raise ValueError("answer in words")
        return {"accepted": agent}


inbox.ThreadInbox = Inbox  # before the app is made, with its routes

from shapley_coop.extensions.server.app import app
'''


_QUIET = {
    "LANGGRAPH_CLI_NO_ANALYTICS": "1",
    "LANGGRAPH_NO_VERSION_CHECK": "true",
    "LANGGRAPH_STRICT_MSGPACK": "true",
}


@contextmanager
def tenants_server(folder: Path, before: str = "", **environment: str) -> Iterator[Server]:
    """A server with callers configured and an inbox in which a letter waits, as long as a block.

    Args:
        folder: where it runs.
        before: code that it runs before it makes its app.
        environment: variables it is given.
    """
    tokens = folder / "tokens.yaml"
    write_tokens(tokens, {"ann": ANN, "bob": BOB, "cem": CEM, "dan": DAN})
    # By LangGraph's own command: coop dev starts our own app alone.
    options = ("--n-jobs-per-worker", "10")
    server = BareServer(folder, options, **_QUIET, **{TOKENS: str(tokens)}, **environment)
    source = _APP.replace("EPISODE", EPISODE).replace("CANARY", CANARY)
    (folder / "inbox_app.py").write_text(before + source)
    config = json.loads((folder / "langgraph.json").read_text())
    config["http"]["app"] = "./inbox_app.py:app"
    (folder / "langgraph.json").write_text(json.dumps(config))
    secrets = folder / "home" / "secrets"
    secrets.mkdir(parents=True)
    (secrets / "ann__whisper.yaml").write_text(f"Alice: {CANARY}\n")
    with server:
        assert Person(server, None)("GET /ok").is_success
        yield server


class Person:
    """Somebody with a token, or without one."""

    def __init__(self, server: Server, token: str | None, timeout: float = 300) -> None:
        headers = {"authorization": f"Bearer {token}"} if token else {}
        # A server that says it has started may not listen yet.
        patient = httpx.HTTPTransport(retries=5)
        self._http = httpx.Client(
            base_url=server.url, headers=headers, timeout=timeout, transport=patient
        )

    def __call__(self, call: str, body: Any = None, **headers: str) -> httpx.Response:
        method, _, path = call.partition(" ")
        accept = {"accept": "application/json, text/event-stream", **headers}
        return self._http.request(method, path, json=body, headers=accept)


READS: list[tuple[str, Any]] = [
    ("GET /threads/{thread}", None),
    ("GET /threads/{thread}/state", None),
    ("GET /threads/{thread}/state/{checkpoint}", None),
    ("POST /threads/{thread}/state/checkpoint", {"checkpoint": {"checkpoint_id": "{checkpoint}"}}),
    ("GET /threads/{thread}/history", None),
    ("POST /threads/{thread}/history", {"limit": 5}),
    ("POST /threads/search", {}),
    ("POST /threads/search", {"metadata": {"owner": "ann"}}),
    ("POST /threads/search", {"metadata": {"note": CANARY}}),
    ("POST /threads/search", {"ids": ["{thread}"]}),
    ("POST /threads/search", {"values": {"verdict": CANARY}}),
    ("GET /threads/{thread}/runs", None),
    ("GET /threads/{thread}/runs/{run}", None),
    ("GET /threads/{thread}/runs/{run}/join", None),
    ("GET /assistants/{assistant}", None),
    ("POST /assistants/search", {}),
    ("POST /assistants/search", {"name": CANARY}),
    ("POST /assistants/search", {"metadata": {"owner": "ann"}}),
    ("POST /assistants/{assistant}/versions", {}),
    ("GET /runs/crons/{cron}", None),
    ("POST /runs/crons/search", {}),
    ("POST /runs/crons/search", {"assistant_id": "{assistant}"}),
    ("GET /store/items?namespace=ann.private&key=k", None),
    ("POST /store/items/search", {"namespace_prefix": ["ann"]}),
    ("POST /store/items/search", {"namespace_prefix": []}),
    ("GET /view/runs/{thread}.json?private=1", None),
    ("GET /view/runs/{thread}/events?private=1", None),
]
"""What shows the canary to Ann, so that it would be seen if it were shown to somebody else."""

HELLO = {"role": "user", "messageId": "m1", "parts": [{"kind": "text", "text": "Hello."}]}
SEND = {"jsonrpc": "2.0", "id": 1, "method": "message/send", "params": {"message": HELLO}}

MORE: list[tuple[str, Any]] = [
    ("GET /threads/{thread}/stream", None),
    ("GET /threads/{thread}/runs/{run}/stream", None),
    ("POST /threads/{thread}/stream/events", {"channels": ["values"]}),
    ("POST /threads/count", {"metadata": {"owner": "ann"}}),
    ("POST /threads/{thread}/copy", None),
    ("PATCH /threads/{thread}", {"metadata": {"owner": "bob", "note": "taken"}}),
    ("POST /threads/{thread}/state", {"values": {"verdict": "taken"}}),
    ("POST /threads", {"thread_id": "{thread}", "if_exists": "do_nothing"}),
    ("POST /threads", {"thread_id": "{thread}", "metadata": {"owner": "ann"}}),
    ("POST /threads/{thread}/runs", {"assistant_id": "llm_only", "input": {}}),
    ("POST /threads/{thread}/runs/wait", {"assistant_id": "llm_only", "input": {}}),
    ("POST /threads/{thread}/runs/stream", {"assistant_id": "llm_only", "input": {}}),
    ("POST /threads/{thread}/runs/wait", {"assistant_id": "llm_only", "command": {"resume": 1}}),
    ("POST /threads/{thread}/runs/crons", {"assistant_id": "llm_only", "schedule": "0 0 1 1 *"}),
    ("POST /threads/{thread}/runs/{run}/cancel", None),
    ("POST /runs/cancel", {"status": "all"}),
    ("POST /runs/cancel", {"thread_id": "{thread}", "run_ids": ["{run}"]}),
    ("DELETE /threads/{thread}/runs/{run}", None),
    ("POST /threads/prune", {"thread_ids": ["{thread}"]}),
    ("DELETE /threads/{thread}", None),
    ("POST /runs/wait", {"assistant_id": "{assistant}", "input": {}}),
    ("POST /runs/batch", [{"assistant_id": "{assistant}", "input": {}}]),
    ("POST /runs/crons", {"assistant_id": "{assistant}", "schedule": "0 0 1 1 *"}),
    ("GET /assistants/{assistant}/graph", None),
    ("GET /assistants/{assistant}/schemas", None),
    ("GET /assistants/{assistant}/subgraphs", None),
    ("POST /assistants/count", {"metadata": {"owner": "ann"}}),
    ("POST /assistants", {"assistant_id": "{assistant}", "graph_id": "llm_only", "name": "x"}),
    (
        "POST /assistants",
        {"assistant_id": "{assistant}", "graph_id": "llm_only", "if_exists": "do_nothing"},
    ),
    ("POST /assistants/{assistant}/latest", {"version": 1}),
    ("PATCH /assistants/{assistant}", {"name": "taken"}),
    ("DELETE /assistants/{assistant}", None),
    ("POST /runs/crons/count", {"assistant_id": "{assistant}"}),
    ("PATCH /runs/crons/{cron}", {"schedule": "* * * * *"}),
    ("DELETE /runs/crons/{cron}", None),
    ("PUT /store/items", {"namespace": ["ann", "private"], "key": "k", "value": {"note": "x"}}),
    ("DELETE /store/items", {"namespace": ["ann", "private"], "key": "k"}),
    ("POST /store/namespaces", {"prefix": ["ann"]}),
    ("POST /mcp", {}),
    ("POST /a2a/{assistant}", SEND),
    ("GET /.well-known/agent-card.json?assistant_id={assistant}", None),
    ("GET /seat/" + EPISODE + "/Bob", None),
    ("POST /seat/" + EPISODE + "/Bob", {"type": "response"}),
    ("GET /internal/debug/thread/{thread}", None),
    ("POST /internal/truncate", None),
    ("GET /deploy", None),
    ("POST /deploy", {}),
    ("POST /runs/wait", {"assistant_id": "llm_only", "context": {"secrets": "ann__whisper"}}),
    ("GET /view/runs.json", None),
]
