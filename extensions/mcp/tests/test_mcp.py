"""The tools of the Model Context Protocol, on a real server and over standard input."""

import re
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import httpx
import pytest
from jsonschema import Draft202012Validator
from langgraph_sdk import get_client
from mcp import Client, ClientSession, MCPError
from pydantic import BaseModel

from extensions.mcp.tests.mcp_client import STANDALONE, VERSIONS, call, connected, refused
from shapley_coop.extensions.mcp.at_home import HomeRuns
from shapley_coop.extensions.mcp.forms import RunsAsked
from shapley_coop.extensions.mcp.place import Place
from shapley_coop.extensions.mcp.serving import Tool, server
from shapley_coop.extensions.mcp.tools import TOOLS
from shapley_coop.graphs.running import play
from shapley_coop.state.run_config import RunConfig
from tests.brought import brought_by
from tests.played_by_server import on_server
from tests.server_process import Server

NAMES = ["negotiate", "check_contract", "credit", "verify", "runs"]
PAYS = {"kind": "pay", "payer": "Alice", "payee": "Bob", "amount": "5.5"}


async def plays_and_verifies(mcp: ClientSession) -> str:
    """The name of a run that a client has played, found, credited and verified."""
    assert [tool.name for tool in (await mcp.list_tools()).tools] == NAMES
    played = await call(mcp, "negotiate", game="escape_room", params={"prize": 20}, seed=5)
    assert (played["state"], played["status"], played["simulated"]) == ("ended", "agreed", True)
    assert sum(played["payoffs"].values()) == 19
    assert {one["by"] for one in played["talk"]} == {"Alice", "Bob"}
    assert played["contract"].startswith("c1. ")
    run: str = played["run"]
    (line,) = (await call(mcp, "runs", run=run))["runs"]
    assert (line["game"], line["seed"], line["status"]) == ("escape_room", 5, "agreed")
    assert run in {one["run"] for one in (await call(mcp, "runs"))["runs"]}
    credit = await call(mcp, "credit", run=run)
    assert credit["values"] == played["values"]
    assert credit["due"] == played["payoffs"]
    verified = await call(mcp, "verify", run=run)
    assert verified["sound"], verified
    assert {"play", "contract", "ledger", "payoffs"} <= {c["what"] for c in verified["checks"]}
    return run


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    pytest.importorskip("langgraph_api", reason="the server is in the dev extra")
    with Server(tmp_path_factory.mktemp("mcp")) as running:
        yield running.url


@pytest.mark.slow
@pytest.mark.xdist_group("mcp")
class TestOnAServer:
    @pytest.mark.parametrize("version", VERSIONS)
    async def test_a_client_of_either_era_plays_and_verifies(self, url: str, version: str) -> None:
        async with connected(url, version) as mcp:
            assert mcp.protocol_version == version
            await plays_and_verifies(mcp)
            with pytest.raises(MCPError, match="Method not found"):
                await mcp.list_prompts()

    async def test_without_a_pin_the_latest_version_is_spoken(self, url: str) -> None:
        async with Client(f"{url}/mcp") as mcp:
            assert mcp.protocol_version == STANDALONE
            assert "negotiate" in (mcp.instructions or "")
        async with connected(url, "1999-01-01") as old:
            assert old.protocol_version == "2025-11-25"

    def test_there_are_no_sessions_and_nothing_but_json_is_read(self, url: str) -> None:
        assert httpx.get(f"{url}/mcp").status_code == 405
        assert httpx.delete(f"{url}/mcp").status_code == 405
        for version in VERSIONS:
            sent = {"content-type": "application/json", "mcp-protocol-version": version}
            assert httpx.post(f"{url}/mcp", content="{", headers=sent).status_code == 400

    async def test_a_table_of_payoffs_is_a_game(self, url: str) -> None:
        pay = {"wash rest": [1, 10], "rest wash": [10, 6], "wash wash": [1, 6], "rest rest": [0, 0]}
        payoffs = [{"play": play.split(), "pays": earned} for play, earned in pay.items()]
        actions = {agent: ["wash", "rest"] for agent in ("Ann", "Ben")}
        game = {"name": "dishes", "agents": [*actions], "actions": actions, "payoffs": payoffs}
        async with connected(url) as mcp:
            assert set((await call(mcp, "negotiate", game=game))["payoffs"]) == {"Ann", "Ben"}

    async def test_a_run_that_takes_longer_goes_on_and_is_found_by_name(self, url: str) -> None:
        async with connected(url) as mcp:
            run = (await call(mcp, "negotiate", wait=0))["run"]
            while (found := await call(mcp, "runs", run=run))["runs"][0]["state"] == "started":
                pass
        assert found["report"]["status"] == "agreed"

    async def test_what_a_conversation_played_is_found_credited_and_verified(
        self, url: str
    ) -> None:
        client = get_client(url=url)
        thread = (await client.threads.create())["thread_id"]
        said = {"messages": [{"role": "user", "content": "volunteers"}]}
        await client.runs.wait(thread, "chat", input=said)
        approved: Any = {"resume": {"decisions": [{"type": "approve"}]}}
        told: Any = await client.runs.wait(thread, "chat", command=approved)
        async with connected(url) as mcp:
            listed = {one["run"] for one in (await call(mcp, "runs"))["runs"]}
            assert told["run"] in listed
            assert thread not in listed
            shown = await call(mcp, "runs", run=told["run"])
            assert shown["report"]["payoffs"] == told["outcome"]["payoffs"]
            assert (await call(mcp, "verify", run=told["run"]))["sound"]
            assert set((await call(mcp, "credit", run=told["run"]))["values"]) == {
                *told["outcome"]["payoffs"]
            }

    async def test_a_person_is_waited_for_at_its_seat(self, url: str) -> None:
        async with connected(url) as mcp:
            waiting = await call(mcp, "negotiate", workflow="llm_only", seats={"Alice": "human"})
            assert waiting["state"] == "waiting"
            (seat,) = waiting["waits_for"].values()
            assert re.fullmatch(r"http://[^/]+/seat/\w+/Alice", seat)
            assert "has not ended" in await refused(mcp, "verify", run=waiting["run"])

    @pytest.mark.parametrize("version", VERSIONS[1:])
    async def test_what_is_wrong_is_told_in_a_line(self, url: str, version: str) -> None:
        nobodys = "00000000-0000-4000-8000-000000000000"
        async with connected(url, version) as mcp:
            for key in ("sed", "room", "messages"):
                assert f"'{key}'" in await refused(mcp, "negotiate", **{key: {}})
            assert "choose from llm_only" in await refused(mcp, "negotiate", workflow="nope")
            assert "GameError" in await refused(mcp, "negotiate", game="nope")
            assert "no run" in await refused(mcp, "runs", run="nope")
            assert "no run" in await refused(mcp, "verify", run=nobodys)
            with pytest.raises(MCPError, match="Unknown tool: the tools are negotiate"):
                await call(mcp, "nobody")


@pytest.mark.slow
@pytest.mark.parametrize("version", VERSIONS)
async def test_the_same_tools_work_over_standard_input_on_the_runs_of_the_home(
    tmp_path: Path, version: str
) -> None:
    async with connected(tmp_path, version) as mcp:
        assert mcp.protocol_version == version
        run = await plays_and_verifies(mcp)
    async with connected(tmp_path, version) as again:
        assert [one["run"] for one in (await call(again, "runs"))["runs"]] == [run]
        verified = await call(again, "verify", run=run)
        assert "seals" in {one["what"] for one in verified["checks"]}
        assert "nope" in await refused(again, "runs", run="nope")


async def test_what_the_server_played_in_the_home_is_found_too() -> None:
    await play("llm_only", RunConfig(game="escape_room"), "entered")
    await on_server("thread")
    place = HomeRuns()
    assert [one["run"] for one in await place.listed("", 5)] == ["thread", "entered"]
    assert (await place.standing("thread")).line["outcome"] == "no_deal"


OFFERED = server(TOOLS, lambda _: nullcontext(HomeRuns()))
ERAS = pytest.mark.parametrize("era", ["legacy", STANDALONE])


@ERAS
async def test_there_is_one_tool_for_each_thing_a_user_does_and_all_are_short(era: str) -> None:
    async with Client(OFFERED, mode=era) as mcp:
        offered = (await mcp.list_tools()).tools
    assert [tool.name for tool in offered] == NAMES
    for tool in offered:
        assert tool.output_schema
        Draft202012Validator.check_schema(tool.input_schema)
        Draft202012Validator.check_schema(tool.output_schema)
        assert len(tool.model_dump_json(by_alias=True, exclude_none=True)) < 4_000, tool.name


@ERAS
async def test_a_contract_is_checked(era: str) -> None:
    async with Client(OFFERED, mode=era) as mcp:
        found = await call(mcp, "check_contract", game="escape_room", clauses=[PAYS])
        unsound = [{**PAYS, "payee": "Cem"}]
        wrong = await call(mcp, "check_contract", game="escape_room", clauses=unsound)
    assert found["sound"]
    assert not found["parties"]["Alice"]["individually_rational"]
    assert found["parties"]["Bob"]["individually_rational"]
    assert (wrong["sound"], len(wrong["faults"])) == (False, 1)
    assert "Cem" in wrong["words"]


@ERAS
@brought_by("values")
async def test_a_characteristic_function_is_valued(era: str) -> None:
    worth = {"A": 0, "B": 0, "A,B": 9}
    async with Client(OFFERED, mode=era) as mcp:
        values = await call(mcp, "credit", agents=["A", "B"], worth=worth)
        assert "worth" in await refused(mcp, "credit", agents=["A", "B"], worth={"A": 1})
    assert values == {"norm": "shapley", "values": {"A": 4.5, "B": 4.5}}


@ERAS
async def test_worths_are_refused_where_the_extension_that_values_them_was_removed(
    era: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shapley_coop.extensions.mcp.tools.installed", dict)
    async with Client(OFFERED, mode=era) as mcp:
        told = await refused(mcp, "credit", agents=["A"], worth={"A": 1})
    assert "worth needs the extension `values`" in told


@ERAS
async def test_a_fault_of_ours_is_named_by_its_kind_alone(era: str) -> None:
    async def work(_: Place, __: RunsAsked) -> BaseModel:
        raise RuntimeError("Alice whispers")

    broken = Tool("broken", "A tool that fails.", RunsAsked, RunsAsked, work)
    offered = server([broken], lambda _: nullcontext(HomeRuns()))
    async with Client(offered, mode=era) as mcp:
        assert await refused(mcp, "broken") == "broken failed: RuntimeError"
