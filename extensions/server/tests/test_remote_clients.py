"""A real server and graphs of others that call it."""

from functools import partial
from typing import Any

import httpx
import pytest
from langgraph.graph import END, START, StateGraph
from langgraph.pregel.remote import RemoteGraph
from langgraph_sdk.client import SyncLangGraphClient
from typing_extensions import TypedDict

from extensions.server.tests.server_client import WORKFLOWS, together
from tests.server_process import Server

pytest.importorskip("langgraph_api", reason="the server is in the dev extra")
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("remote_clients")]

ENDED = ("agreed", "no_deal")


# RemoteGraph


def remote(server: Server, graph: str) -> RemoteGraph:
    return RemoteGraph(graph, url=server.url)


def test_every_workflow_is_invoked_as_a_remote_graph(server: Server) -> None:
    tables = together([partial(remote(server, name).invoke, {}) for name in WORKFLOWS])
    for name, table in zip(WORKFLOWS, tables, strict=True):
        assert table["status"] in ENDED, name
        assert table["settlement"]["ledger"] == "paid"


def test_a_remote_graph_streams_and_tells_where_it_stands(
    server: Server, client: SyncLangGraphClient
) -> None:
    graph = remote(server, "shapley_coop")
    config: Any = {"configurable": {"thread_id": client.threads.create()["thread_id"]}}
    room = {"room": {"seed": 2}}
    updates = [*graph.stream(room, config, stream_mode="updates", interrupt_before=["settle"])]
    nodes = [node for update in updates for node in update if node != "__interrupt__"]
    state = graph.get_state(config)
    assert (nodes[0], nodes[-1], state.next) == ("open", "attribute", ("settle",))
    assert state.values["settings"]["seed"] == 2
    table = graph.invoke(None, config)
    state = graph.get_state(config)
    assert state.next == ()
    assert {key: state.values[key] for key in table} == table
    ran = [one.next[0] for one in graph.get_state_history(config, limit=100) if one.next]
    assert ran[::-1] == ["__start__", *nodes, "settle"]
    assert {"open", "settle"} <= graph.get_graph().nodes.keys()


class Outer(TypedDict):
    """The state of a graph in which a workflow on a server is a node."""

    room: dict[str, Any]
    status: str


def test_a_workflow_is_a_node_of_somebody_elses_graph(server: Server) -> None:
    outer = StateGraph(Outer)
    outer.add_node("negotiate", remote(server, "shapley_coop"))
    outer.add_edge(START, "negotiate")
    outer.add_edge("negotiate", END)
    ended = outer.compile().invoke({"room": {"game": "escape_room", "seed": 1}, "status": ""})
    assert ended["status"] == "agreed"


# Health and metrics


def test_health_and_metrics_are_where_an_operator_looks(server: Server) -> None:
    assert httpx.get(f"{server.url}/ok").json()["ok"] is True
    told = httpx.get(f"{server.url}/metrics")
    assert told.headers["content-type"].startswith("text/plain; version=")
    assert "# TYPE process_resident_memory_bytes gauge" in told.text
    as_json = httpx.get(f"{server.url}/metrics", params={"format": "json"}).json()
    assert as_json["queue"]["n_pending"] == 0
    assert as_json["workers"]["max"] == 10
