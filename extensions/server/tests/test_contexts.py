"""Contexts and inputs on a real server: a key that no workflow has is refused by its name."""

from collections.abc import Callable
from typing import Any

import httpx
import pytest
from langgraph_sdk.client import SyncLangGraphClient

from extensions.server.tests.server_client import play, values
from tests.brought import brought_by
from tests.server_process import BLOCKING

pytestmark = pytest.mark.slow

MISSPELT = {"sed": 7}


def requests(client: SyncLangGraphClient) -> dict[str, Callable[[], Any]]:
    """Every way to give a context."""
    thread = client.threads.create()["thread_id"]
    (built_in,) = client.assistants.search(graph_id="llm_only")
    own = client.assistants.create("llm_only", context={"seed": 3})["assistant_id"]
    return {
        "a run": lambda: client.runs.create(thread, "llm_only", input={}, context=MISSPELT),
        "by id": lambda: client.runs.wait(
            None, built_in["assistant_id"], input={}, context=MISSPELT
        ),
        "of an assistant": lambda: client.runs.wait(None, own, input={}, context=MISSPELT),
        "a batch": lambda: client.runs.create_batch(
            [{"assistant_id": "llm_only", "input": {}, "context": MISSPELT}]
        ),
        "a new assistant": lambda: client.assistants.create("llm_only", context=MISSPELT),
        "an assistant's update": lambda: client.assistants.update(own, context=MISSPELT),
    }


def test_a_misspelt_key_is_refused_by_name_wherever_it_is_given(
    client: SyncLangGraphClient,
) -> None:
    for name, request in requests(client).items():
        with pytest.raises(httpx.HTTPStatusError) as refused:
            request()
        assert refused.value.response.status_code == 422, name
        told = refused.value.response.text
        assert "no key 'sed': there are game" in told, name
        assert "did you mean 'seed'?" in told, name


def test_other_graphs_take_any_context(client: SyncLangGraphClient) -> None:
    client.runs.wait(None, BLOCKING, input={}, context=MISSPELT, raise_error=False)


def test_context_and_room_are_both_played(client: SyncLangGraphClient) -> None:
    thread = play(client, "llm_only", input={"room": {"seed": 8}}, context={"rounds": 5})
    settings = values(client, thread)["settings"]
    assert (settings["seed"], settings["rounds"]) == (8, 5)


@brought_by("exchange")
def test_what_a_form_is_filled_in_with_is_played_on_the_server(client: SyncLangGraphClient) -> None:
    for graph in ("task_exchange", "task_exchange_unguided"):
        (assistant,) = client.assistants.search(graph_id=graph)
        form: Any = client.assistants.get_schemas(assistant["assistant_id"])["context_schema"]
        defaults = {name: field["default"] for name, field in form["properties"].items()}
        table = values(client, play(client, graph, context=defaults))
        assert table["settings"]["game"] == defaults["game"]
        assert table["outcome"]["payoffs"]


MISPLACED: dict[str, Any] = {
    "no key 'game': it belongs under room": {"game": "stag_hunt", "seed": 7},
    "no key 'ROOM': there are room": {"ROOM": {"game": "stag_hunt"}},
    "no key 'gaem'": {"gaem": "x"},
    "no key 'messages'": {"messages": [{"role": "user", "content": "hi"}]},
    "input: give one object": [["game", "stag_hunt"]],
}


def inputs(client: SyncLangGraphClient, given: Any) -> dict[str, Callable[[], Any]]:
    """Every way to give an input to a workflow."""
    thread = client.threads.create()["thread_id"]
    (built_in,) = client.assistants.search(graph_id="shapley_coop")
    cron = client.crons.create("shapley_coop", schedule="0 0 1 1 *", input={"room": {}})
    run = {"assistant_id": "shapley_coop", "input": given}
    started = {"id": 1, "method": "run.start", "params": run}
    part = {"kind": "data", "data": given}
    message = {"role": "user", "messageId": "m", "parts": [part]}
    sent = {"jsonrpc": "2.0", "id": 1, "method": "message/send", "params": {"message": message}}
    by_id = str(built_in["assistant_id"])

    def post(path: str, body: Any) -> Callable[[], Any]:
        return lambda: client.http.post(path, json=body)

    return {
        "a run": post("/runs/wait", run),
        "by id": post("/runs/stream", {**run, "assistant_id": by_id}),
        "on a thread": post(f"/threads/{thread}/runs", run),
        "a batch": post("/runs/batch", [run]),
        "a command": post(f"/threads/{thread}/commands", started),
        "a cron": post("/runs/crons", {**run, "schedule": "0 0 1 1 *"}),
        "a cron's update": lambda: client.http.patch(
            f"/runs/crons/{cron['cron_id']}", json={"input": given}
        ),
        "a message": post(f"/a2a/{by_id}", sent),
    }


@pytest.mark.parametrize("said", MISPLACED)
def test_no_game_is_played_for_an_input_that_no_workflow_knows(
    client: SyncLangGraphClient, said: str
) -> None:
    for name, request in inputs(client, MISPLACED[said]).items():
        with pytest.raises(httpx.HTTPStatusError) as refused:
            request()
        assert refused.value.response.status_code == 422, name
        assert said in refused.value.response.text, name


def test_a_key_that_is_written_with_escapes_is_the_same_key(client: SyncLangGraphClient) -> None:
    at = str(client.http.client.base_url)
    for body in (b'"\\u0069nput": {"gaem": 1}', b'"input": {}, "\\u0063ontext": {"gaem": 1}'):
        sent = b'{"assistant_id": "llm_only", ' + body + b"}"
        headers = {"content-type": "application/json"}
        answer = httpx.post(f"{at}/runs/wait", content=sent, headers=headers)
        assert answer.status_code == 422
        assert "no key 'gaem'" in answer.text
