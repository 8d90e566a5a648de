"""The conversation on a real server: its keys, and what a client is streamed."""

from typing import Any

import httpx
import pytest
from langgraph_sdk.client import SyncLangGraphClient

from tests.brought import brought_by
from tests.server_process import Server

pytest.importorskip("langgraph_api", reason="the server is in the dev extra")
pytestmark = pytest.mark.slow


@brought_by("server")
def test_the_chat_has_keys_of_its_own(client: SyncLangGraphClient) -> None:
    for context in ({"modle": "embedded:rational"}, {"rounds": 3}):
        with pytest.raises(httpx.HTTPStatusError) as refused:
            client.runs.wait(None, "chat", input={"messages": []}, context=context)
        assert f"no key {next(iter(context))!r}" in refused.value.response.text
    with pytest.raises(httpx.HTTPStatusError) as refused:
        client.runs.wait(None, "chat", input={"messages": []}, context={"workflow": "nonsense"})
    assert "context: workflow: it has to be 'llm_only'" in refused.value.response.text
    said = {"messages": [{"role": "user", "content": "Hello"}], "context": {}}  # as Agent Chat UI
    context = {"workflow": "negotiation", "seed": 3}
    told: Any = client.runs.wait(None, "chat", input=said, context=context)
    assert "did not take over “Hello”" in told["messages"][-1]["content"]


def test_a_conversation_is_followed_word_by_word_and_told_what_came_of_it(
    server: Server, client: SyncLangGraphClient
) -> None:
    thread = client.threads.create()["thread_id"]

    def told(**given: Any) -> list[dict[str, Any]]:
        """The messages of a run, as a chat shows them, with what is streamed of graphs within."""
        options: Any = {"stream_mode": ["messages-tuple"], "stream_subgraphs": True, **given}
        parts = [*client.runs.stream(thread, "chat", **options)]
        return [part.data[0] for part in parts if part.event.partition("|")[0] == "messages"]

    (shown,) = told(input={"messages": [{"role": "user", "content": "escape_room, prize=20"}]})
    assert "20" in shown["content"]
    ((asked,),) = client.threads.get(thread)["interrupts"].values()
    value: Any = asked["value"]
    assert value["action_requests"][0]["args"] == {"game": "escape_room", "params": {"prize": 20}}
    said = told(command={"resume": {"decisions": [{"type": "approve"}]}})
    assert {"Alice", "Bob"} <= {one.get("name") for one in said}
    assert {one["type"] for one in said} == {"ai"}
    assert "In the end Alice has 9.5, Bob has 9.5." in said[-1]["content"]
    state: Any = client.threads.get_state(thread)["values"]
    assert [one["id"] for one in state["messages"][2:]] == [one["id"] for one in said]
    run = state["run"]
    labels: Any = client.threads.get(thread)["metadata"]
    assert (labels["run"], labels["game"]) == (run, "escape_room")
    assert labels["episode"] == state["outcome"]["episode"]
    listed = httpx.get(f"{server.url}/view/runs.json").json()["runs"]
    assert run in {one["run"] for one in listed}
    assert thread not in {one["run"] for one in listed}, "a conversation is no run"
    seen = httpx.get(f"{server.url}/view/runs/{run}.json").json()
    assert (seen["run"], seen["state"], seen["status"]) == (run, "ended", "agreed")
