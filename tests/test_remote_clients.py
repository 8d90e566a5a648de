"""A real server and those who call it from elsewhere: MCP clients, and graphs of others."""

import ast
from collections.abc import Iterator
from functools import partial
from itertools import count
from typing import Any

import httpx
import pytest
from jsonschema import Draft202012Validator
from langgraph.graph import END, START, StateGraph
from langgraph.pregel.remote import RemoteGraph
from langgraph_sdk.client import SyncLangGraphClient
from typing_extensions import TypedDict

from tests.server_client import WORKFLOWS, together
from tests.server_process import Server

pytest.importorskip("langgraph_api", reason="the server is in the dev extra")
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("remote_clients")]

ENDED = ("agreed", "no_deal")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    running = Server(tmp_path_factory.mktemp("clients"))
    try:
        yield running.start()
    finally:
        running.stop()


@pytest.fixture(scope="module")
def client(server: Server) -> SyncLangGraphClient:
    return server.client()


# The Model Context Protocol


class McpError(Exception):
    """The server's error, as JSON-RPC has it."""


class McpSession:
    """A client of the streamable HTTP transport, by the letter of the protocol, without a library.

    Args:
        server: whose tools.
        version: of the protocol that is asked for.
    """

    def __init__(self, server: Server, version: str = "2025-06-18") -> None:
        accept = {"accept": "application/json, text/event-stream"}
        self._http = httpx.Client(base_url=server.url, headers=accept, timeout=300)
        self._ids = count(1)
        client = {"name": "tests", "version": "1"}
        self.told = self("initialize", protocolVersion=version, capabilities={}, clientInfo=client)
        self._http.headers["mcp-protocol-version"] = self.told["protocolVersion"]
        assert self._send({"method": "notifications/initialized"}).status_code == 202

    def __call__(self, method: str, **params: Any) -> Any:
        number = next(self._ids)
        answered = self._send({"id": number, "method": method, "params": params})
        assert answered.headers["content-type"] == "application/json"
        message = answered.raise_for_status().json()
        assert (message["jsonrpc"], message["id"]) == ("2.0", number)
        if "error" in message:
            raise McpError(message["error"]["message"])
        return message["result"]

    def tools(self) -> dict[str, dict[str, Any]]:
        return {tool["name"]: tool for tool in self("tools/list")["tools"]}

    def call(self, tool: str, arguments: dict[str, Any]) -> tuple[str, bool]:
        """The text of what a tool gave, and whether it is an error."""
        result = self("tools/call", name=tool, arguments=arguments)
        (content,) = result["content"]
        assert content["type"] == "text"
        return content["text"], result.get("isError", False)

    def _send(self, message: dict[str, Any]) -> httpx.Response:
        return self._http.post("/mcp", json={"jsonrpc": "2.0", **message})


@pytest.fixture(scope="module")
def mcp(server: Server) -> McpSession:
    return McpSession(server)


def test_a_session_begins_with_a_version_that_both_know(server: Server, mcp: McpSession) -> None:
    assert mcp.told["protocolVersion"] == "2025-06-18"
    assert "tools" in mcp.told["capabilities"]
    assert mcp("ping") == {}
    assert McpSession(server, version="1999-01-01").told["protocolVersion"] != "1999-01-01"
    with pytest.raises(McpError, match="Method not found"):
        mcp("prompts/list")


def test_every_workflow_is_a_tool_with_its_description_and_form(mcp: McpSession) -> None:
    tools = mcp.tools()
    assert WORKFLOWS.keys() <= tools.keys()
    for name, registered in WORKFLOWS.items():
        assert tools[name]["description"] == registered["description"]
        form = Draft202012Validator(tools[name]["inputSchema"])
        for arguments in ({}, {"room": {"seed": 3, "rounds": 1}}):
            form.validate(arguments)
        assert not form.is_valid({"room": {"sed": 3}})


def test_every_workflow_is_called_as_a_tool(mcp: McpSession) -> None:
    calls = [partial(mcp.call, name, {}) for name in WORKFLOWS]
    for name, (text, failed) in zip(WORKFLOWS, together(calls), strict=True):
        assert not failed, (name, text)
        assert ast.literal_eval(text)["status"] in ENDED


def test_a_tool_plays_the_room_it_is_given(mcp: McpSession) -> None:
    room = {"game": "escape_room", "params": {"prize": 20}, "seed": 5}
    text, failed = mcp.call("shapley_coop", {"room": room})
    table = ast.literal_eval(text)
    assert not failed
    assert (table["settings"]["seed"], table["reckoning"]["total"]) == (5, "19")


def test_what_is_wrong_with_a_call_is_an_error_and_no_crash(mcp: McpSession) -> None:
    assert mcp.call("llm_only", {"room": {"game": "nope"}}) == ("GameError", True)
    with pytest.raises(McpError, match="Unknown tool: nobody"):
        mcp.call("nobody", {})


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
