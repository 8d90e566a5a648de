"""The tools of the Model Context Protocol, on a real server and over standard input."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from extensions.mcp.tests.mcp_client import McpError, McpSession
from shapley_coop.extensions.mcp.at_home import HomeRuns
from shapley_coop.graphs.running import play
from shapley_coop.state.run_config import RunConfig
from tests.played_by_server import on_server
from tests.server_process import Server

TOOLS = ["negotiate", "check_contract", "credit", "verify", "runs"]
PAYS = {"kind": "pay", "payer": "Alice", "payee": "Bob", "amount": "5.5"}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    pytest.importorskip("langgraph_api", reason="the server is in the dev extra")
    running = Server(tmp_path_factory.mktemp("mcp"))
    try:
        yield running.start()
    finally:
        running.stop()


@pytest.fixture(scope="module")
def mcp(server: Server) -> McpSession:
    return McpSession(server.url)


@pytest.mark.slow
@pytest.mark.xdist_group("mcp")
class TestOnAServer:
    def test_a_session_begins_with_a_version_that_both_know(
        self, server: Server, mcp: McpSession
    ) -> None:
        assert mcp.told["protocolVersion"] == "2025-11-25"
        assert McpSession(server.url, "2025-03-26").told["protocolVersion"] == "2025-03-26"
        assert McpSession(server.url, "1999-01-01").told["protocolVersion"] == "2025-11-25"
        assert mcp("ping") == {}
        with pytest.raises(McpError, match="Method not found"):
            mcp("prompts/list")
        assert mcp.send({"id": 1}).status_code == 202
        assert mcp._http.get("/mcp").status_code == 405
        assert mcp._http.post("/mcp", content="{").status_code in (400, 415)

    def test_there_is_one_tool_for_each_thing_a_user_does_and_all_are_short(
        self, mcp: McpSession
    ) -> None:
        assert list(mcp.tools) == TOOLS
        for tool in mcp.tools.values():
            Draft202012Validator.check_schema(tool["inputSchema"])
            Draft202012Validator.check_schema(tool["outputSchema"])
            assert len(json.dumps(tool)) < 4_000, tool["name"]

    def test_a_negotiation_is_played_and_its_run_found_credited_and_verified(
        self, mcp: McpSession
    ) -> None:
        played = mcp.call("negotiate", game="escape_room", params={"prize": 20}, seed=5)
        assert (played["state"], played["status"], played["simulated"]) == (
            *("ended", "agreed"),
            True,
        )
        assert sum(played["payoffs"].values()) == 19
        assert {one["by"] for one in played["talk"]} == {"Alice", "Bob"}
        assert played["contract"].startswith("c1. ")
        run = played["run"]
        (line,) = mcp.call("runs", run=run)["runs"]
        assert (line["game"], line["seed"], line["status"]) == ("escape_room", 5, "agreed")
        assert run in {one["run"] for one in mcp.call("runs")["runs"]}
        credit = mcp.call("credit", run=run)
        assert credit["values"] == played["values"]
        assert credit["due"] == played["payoffs"]
        verified = mcp.call("verify", run=run)
        assert verified["sound"], verified
        assert {"play", "contract", "ledger", "payoffs"} <= {c["what"] for c in verified["checks"]}

    def test_a_table_of_payoffs_is_a_game(self, mcp: McpSession) -> None:
        plays = [("wash", "rest"), ("rest", "wash"), ("wash", "wash"), ("rest", "rest")]
        pays = [(1, 10), (10, 6), (1, 6), (0, 0)]
        game = {
            "name": "dishes",
            "agents": ["Ann", "Ben"],
            "actions": {"Ann": ["wash", "rest"], "Ben": ["wash", "rest"]},
            "payoffs": [
                {"play": list(p), "pays": list(x)} for p, x in zip(plays, pays, strict=True)
            ],
        }
        assert set(mcp.call("negotiate", game=game)["payoffs"]) == {"Ann", "Ben"}

    def test_a_run_that_takes_longer_goes_on_and_is_found_by_name(self, mcp: McpSession) -> None:
        begun = mcp.call("negotiate", wait=0)
        while (found := mcp.call("runs", run=begun["run"]))["runs"][0]["state"] == "started":
            pass
        assert found["report"]["status"] == "agreed"

    def test_a_person_is_waited_for_at_its_seat(self, mcp: McpSession) -> None:
        waiting = mcp.call("negotiate", workflow="llm_only", seats={"Alice": "human"})
        assert waiting["state"] == "waiting"
        (seat,) = waiting["waits_for"].values()
        assert seat.startswith("/seat/")
        assert seat.endswith("/Alice")
        assert "has not ended" in mcp.refused("verify", run=waiting["run"])

    def test_what_is_wrong_with_a_call_is_told_in_a_line(self, mcp: McpSession) -> None:
        assert "sed" in mcp.refused("negotiate", sed=3)
        assert "there are llm_only" in mcp.refused("negotiate", workflow="nope")
        assert "GameError" in mcp.refused("negotiate", game="nope")
        assert "no run" in mcp.refused("runs", run="nope")
        assert "no run" in mcp.refused("verify", run="00000000-0000-4000-8000-000000000000")
        with pytest.raises(McpError, match="Unknown tool: the tools are negotiate"):
            mcp.call("nobody")


Messages = list[dict[str, Any]]


def over_stdio(home: Path, *calls: tuple[str, dict[str, Any]]) -> Messages:
    """The results of calls of tools, made one after the other of a `coop mcp` of its own."""
    asked = [
        {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {}},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        *(
            {
                "jsonrpc": "2.0",
                "id": n,
                "method": "tools/call",
                "params": {"name": name, "arguments": arguments},
            }
            for n, (name, arguments) in enumerate(calls, start=1)
        ),
    ]
    ended = subprocess.run(
        [sys.executable, "-m", "shapley_coop", "mcp"],
        input="\n".join(map(json.dumps, asked)) + "\n",
        env=os.environ | {"COOP_HOME": str(home)},
        capture_output=True,
        text=True,
        check=True,
    )
    answers = [json.loads(line) for line in ended.stdout.splitlines()]
    assert [one["id"] for one in answers] == list(range(len(calls) + 1))
    return [one["result"] for one in answers[1:]]


@pytest.mark.slow
def test_the_same_tools_work_over_standard_input_on_the_runs_of_the_home(tmp_path: Path) -> None:
    (played,) = over_stdio(tmp_path, ("negotiate", {"seed": 3}))
    run = played["structuredContent"]["run"]
    assert json.loads(played["content"][0]["text"]) == played["structuredContent"]
    runs, verified, credit, refused = over_stdio(
        tmp_path,
        ("runs", {}),
        ("verify", {"run": run}),
        ("credit", {"run": run}),
        ("runs", {"run": "nope"}),
    )
    assert [one["run"] for one in runs["structuredContent"]["runs"]] == [run]
    assert verified["structuredContent"]["sound"]
    assert "seals" in {one["what"] for one in verified["structuredContent"]["checks"]}
    assert credit["structuredContent"]["due"] == played["structuredContent"]["payoffs"]
    assert refused["isError"]
    assert "nope" in refused["content"][0]["text"]


async def test_what_the_server_played_in_the_home_is_found_too() -> None:
    await play("llm_only", RunConfig(game="escape_room"), "entered")
    await on_server("thread")
    place = HomeRuns()
    assert [one["run"] for one in await place.listed("", 5)] == ["thread", "entered"]
    assert (await place.standing("thread")).line["outcome"] == "no_deal"


def test_a_contract_is_checked_and_a_characteristic_function_valued(tmp_path: Path) -> None:
    worth = {"A": 0, "B": 0, "A,B": 9}
    sound, unsound, values, wrong = over_stdio(
        tmp_path,
        ("check_contract", {"game": "escape_room", "clauses": [PAYS]}),
        ("check_contract", {"game": "escape_room", "clauses": [{**PAYS, "payee": "Cem"}]}),
        ("credit", {"agents": ["A", "B"], "worth": worth}),
        ("credit", {"agents": ["A", "B"], "worth": {"A": 1}}),
    )
    found = sound["structuredContent"]
    assert found["sound"]
    assert not found["parties"]["Alice"]["individually_rational"]
    assert found["parties"]["Bob"]["individually_rational"]
    refused = unsound["structuredContent"]
    assert (refused["sound"], len(refused["faults"])) == (False, 1)
    assert "Cem" in refused["words"]
    assert values["structuredContent"] == {"norm": "shapley", "values": {"A": 4.5, "B": 4.5}}
    assert wrong["isError"]
