"""The command line sees what the server has played in the same home, and the server the reverse."""

import json
from pathlib import Path

import httpx
import pytest

from extensions.server.tests.server_client import play
from shapley_coop.state.storage.home import Home
from tests.brought import brought_by
from tests.server_process import Server
from tests.warm_coop import Coop, warm_coop

pytest.importorskip("langgraph_api", reason="the server is in the dev extra")
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("server_threads")]


@pytest.fixture(scope="module")
def coop(server: Server, tmp_path_factory: pytest.TempPathFactory) -> Coop:
    return warm_coop(Home(server.home), tmp_path_factory.mktemp("elsewhere"))


@pytest.fixture(scope="module")
def ended(server: Server) -> str:
    return play(server.client(), "shapley_coop", context={"seed": 3})


def test_a_thread_that_has_ended_is_listed_shown_verified_and_credited(
    coop: Coop, ended: str
) -> None:
    (line,) = [x for x in coop.run("runs", "--json").result if x["run"] == ended]
    assert (line["graph"], line["seed"], line["outcome"]) == ("shapley_coop", 3, "agreed")
    shown = coop.run("show", ended, "--json").result
    assert shown["payoffs"] == {"Alice": 4.5, "Bob": 4.5}
    assert "Alice proposes" in coop.run("show", ended).out
    assert coop.run("credit", ended, "--json").result["agents"] == ["Alice", "Bob"]
    verified = coop.run("verify", ended)
    assert verified.code == 0, verified.out + verified.err
    assert "may be played on" in verified.out


def test_who_is_waited_for_is_told_and_only_the_server_goes_on(coop: Coop, server: Server) -> None:
    context = {"seats": {"*": "embedded:rational", "Alice": "human"}}
    thread = play(server.client(), "negotiation", context=context)
    (line,) = [x for x in coop.run("runs", "--json").result if x["run"] == thread]
    assert (line["state"], line["why"]) == ("waiting", "waits for Alice, on LangGraph's server")
    for command in (("resume", thread), ("answer", thread, "Alice"), ("rm", thread)):
        refused = coop.run(*command)
        assert refused.code == 2
        assert f"{thread} is a thread of LangGraph's server" in refused.err


def test_a_deleted_thread_is_no_run_any_more(coop: Coop, server: Server) -> None:
    client = server.client()
    thread = play(client, "llm_only")
    client.threads.delete(thread)
    assert thread not in coop.run("runs", "--json").out


@brought_by("reports")
def test_the_servers_page_shows_what_the_command_line_played(
    coop: Coop, server: Server, ended: str, tmp_path: Path
) -> None:
    assert coop.run("run", "escape_room", "--name", "mine", "--json").code == 0
    listed = httpx.get(f"{server.url}/view/runs.json").json()["runs"]
    assert {"mine", ended} <= {one["run"] for one in listed}
    shown = httpx.get(f"{server.url}/view/runs/mine.json").json()
    assert (shown["run"], shown["state"]) == ("mine", "ended")
    assert httpx.get(f"{server.url}/view/runs/nobodys.json").status_code == 404
    written = tmp_path / "thread.json"
    assert coop.run("report", ended, "-o", str(written)).code == 0
    assert json.loads(written.read_text())["run"] == ended
