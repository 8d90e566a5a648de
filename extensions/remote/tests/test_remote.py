"""Cells sent to a real LangGraph server."""

import asyncio
import json
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from http.server import BaseHTTPRequestHandler, HTTPServer, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

import pytest

from shapley_coop.evals.cell import Cell, Row
from shapley_coop.extensions.remote.remote import Remote
from shapley_coop.extensions.sweeps.cells import expand
from shapley_coop.extensions.sweeps.folders import failures_in, read_rows
from shapley_coop.extensions.sweeps.playing import Limits
from shapley_coop.extensions.sweeps.store import Store
from tests.background import in_background
from tests.embedded_reply import reply
from tests.evals.swept import (
    CONDITIONS,
    behind,
    change,
    kept,
    registered,
    run,
    run_once,
    suite,
)
from tests.server_process import Server, fixed_servers
from tests.stub_faults import Fault
from tests.stub_openai import StubOpenAI

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("evals_server")]

SWEEP = "a-sweep"
PAID = "SELECT DISTINCT scope FROM facts WHERE kind IN ('posting', 'answer')"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with Server(tmp_path_factory.mktemp("server"), OPENAI_API_KEY="none") as running:
        yield running


def test_a_server_gives_the_rows_that_this_machine_gives(server, tmp_path):
    """But for what is read in the journal, which on a server is its operator's."""
    made = suite(seeds=[0, 3])
    here = read_rows(run_once(made, tmp_path / "here"))
    registered(tmp_path / "there", made)
    tally = run(made, tmp_path / "there", player=Remote([server.url], SWEEP))
    assert (tally.done, tally.failed) == (2 * len(CONDITIONS), 0)
    there = read_rows(tmp_path / "there")
    for row in here:
        row["result"].pop("reasons", None)
        row["result"].pop("measures", None)
    # Cells end in any order.
    cells = [sorted(rows, key=lambda row: str(row["cell"])) for rows in (here, there)]
    for mine, its in zip(*cells, strict=True):
        assert {k: x for k, x in mine.items() if k != "calls"} == {
            k: x for k, x in its.items() if k != "calls"
        }
        # Calls are told by agent and phase.
        for key in ("calls", "input_tokens", "output_tokens"):
            assert sum(call[key] for call in mine["calls"]) == sum(c[key] for c in its["calls"])


def test_a_sweep_that_lost_its_rows_collects_them_and_runs_nothing_twice(server, tmp_path):
    made = suite(vary={"graph": ["negotiation"]}, seeds=[5])
    registered(tmp_path, made)
    run(made, tmp_path, player=Remote([server.url], SWEEP))
    before, (first,) = kept(tmp_path), map(json.loads, kept(tmp_path, volatile=True))
    change(tmp_path, "DELETE FROM sweep_rows")
    run(made, tmp_path, player=Remote([server.url], SWEEP))
    assert kept(tmp_path) == before
    (again,) = map(json.loads, kept(tmp_path, volatile=True))
    assert (again["run"], again["episode"], again["resumed"]) == (
        first["run"],
        first["episode"],
        True,
    )
    runs = server.client().runs.list(first["run"])
    assert len(runs) == 1


@pytest.mark.parametrize(("keep", "kept"), [("failures", 0), ("all", 2)])
def test_threads_stay_of_the_runs_that_are_to_be_kept(server, tmp_path, keep, kept):
    made = suite(vary={"graph": ["llm_only"]}, seeds="0-1")
    sweep = registered(tmp_path, made)

    def threads() -> int:
        return len(server.client().threads.search(metadata={"sweep": sweep}, limit=9))

    assert run(made, tmp_path, player=Remote([server.url], sweep, keep)).done == 2
    assert threads() == kept
    # What a killed process left is deleted by the next sweep.
    assert run(made, tmp_path, player=Remote([server.url], sweep, "none")).before == 2
    assert threads() == 0


def test_new_cells_do_not_wait_for_a_server_that_is_away(server, tmp_path):
    made, away = suite(vary={"graph": ["llm_only"]}, seeds="0-2"), "http://127.0.0.1:9"
    sweep = registered(tmp_path, made)
    with Store(tmp_path) as store:
        player = Remote([away, server.url], sweep, store=store)
        assert run(made, tmp_path, player=player).done == 3
        assert {store.place(cell.id) for cell in expand(made)} == {server.url}
        change(tmp_path, "DELETE FROM sweep_rows")
        again = Remote([away, server.url], sweep, "failures", store)
        assert run(made, tmp_path, player=again).done == 3
    (row, *_) = map(json.loads, kept(tmp_path, volatile=True))
    assert row["resumed"], "each cell is looked for where it was begun"


def test_a_thread_that_a_killed_server_lost_is_made_again(server, tmp_path, monkeypatch):
    made = suite(vary={"graph": ["negotiation"]}, seeds=[7])
    lost = []

    async def lose(_: Any) -> int:
        """Remove the threads just before the first run is begun."""
        if not lost:
            lost.extend(one["thread_id"] for one in server.client().threads.search(limit=100))
            for thread in lost:
                server.client().threads.delete(thread)
        return 0

    monkeypatch.setattr("shapley_coop.extensions.remote.server.Server.waiting", lose)
    tally = run(made, tmp_path, player=Remote([server.url], registered(tmp_path, made)))
    assert lost
    assert (tally.done, tally.failed) == (1, 0), failures_in(tmp_path)


def test_a_run_whose_endpoint_fails_for_a_while_is_resumed(server, tmp_path, monkeypatch):
    monkeypatch.setattr("shapley_coop.extensions.remote.server._PAUSE", 0.01)
    storm = [Fault.server_error(503, 0.01), Fault.rate_limited(0.01)] * 12
    with StubOpenAI(reply, faults=[None, *storm, None, *storm]) as stub:
        made = behind(stub, ["negotiation"], "0-1")
        tally = run(made, tmp_path, player=Remote([server.url], registered(tmp_path, made)))
        assert not stub.faults
    assert (tally.done, tally.failed) == (2, 0), failures_in(tmp_path)


def test_a_run_whose_endpoint_refuses_its_key_has_failed(server, tmp_path):
    with StubOpenAI(reply, faults=[Fault.bad_key()]) as stub:
        made = behind(stub, ["negotiation"], "0")
        tally = run(made, tmp_path, player=Remote([server.url], registered(tmp_path, made)))
    (failure,) = failures_in(tmp_path)
    assert tally.failed == 1
    assert "check its API key" in failure["error"]


class Refusal(BaseHTTPRequestHandler):
    """Answers that nobody may do anything."""

    def do_POST(self) -> None:
        self.send_response(403)
        self.end_headers()

    do_GET = do_POST

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


def test_a_server_that_refuses_is_one_clear_line(tmp_path: Path):
    made = suite(vary={"graph": ["llm_only"]}, seeds=[0])
    registered(tmp_path, made)
    with in_background(HTTPServer(("127.0.0.1", 0), Refusal)) as url:
        tally = run(made, tmp_path, player=Remote([url], SWEEP))
    assert tally.failed == 1
    (failure,) = failures_in(tmp_path)
    assert failure["error"].startswith(f"{url}: PermissionDeniedError")


class Stopping(BaseHTTPRequestHandler):
    """A server whose every run stops at once, because it killed two servers before."""

    begun: ClassVar[list[str]] = []

    def do_GET(self) -> None:
        stopped = {"error": "Quarantined", "message": "it crashed its server twice at this step"}
        if "/join" in self.path:
            self.answer({"__error__": stopped})
        elif "/state" in self.path:
            self.answer({"values": None, "tasks": [], "checkpoint": None})
        elif "/runs/" in self.path:
            self.answer({"status": "error"})
        else:
            self.answer([])

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        if self.path.endswith("/runs"):
            self.begun.append(self.path)
        self.answer({"run_id": "r", "thread_id": "t"})

    def answer(self, body: Any) -> None:
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.end_headers()
        self.wfile.write(json.dumps(body).encode())

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


def test_a_run_that_killed_its_servers_is_resumed_a_few_times_only(tmp_path, monkeypatch):
    monkeypatch.setattr("shapley_coop.extensions.remote.server._PAUSE", 0.01)
    made = suite(vary={"graph": ["llm_only"]}, seeds=[0])
    sweep = registered(tmp_path, made)
    with in_background(ThreadingHTTPServer(("127.0.0.1", 0), Stopping)) as url:
        assert run(made, tmp_path, player=Remote([url], sweep)).failed == 1
    assert len(Stopping.begun) == 1 + 3
    assert "stopped before its end" in failures_in(tmp_path)[0]["error"]


class Killing(Remote):
    """A player that kills its first server and starts it again when the first row is written."""

    def __init__(self, servers: Sequence[Server], sweep: str) -> None:
        super().__init__([server.url for server in servers], sweep)
        self.server: Server | None = servers[0]

    async def written(self, cell: Cell, row: Row) -> None:
        server, self.server = self.server, None
        if server:
            server.kill()
            await asyncio.to_thread(server.start)


def test_a_server_that_was_killed_is_waited_for_and_no_cell_is_played_twice(tmp_path: Path):
    made = suite(vary={"graph": ["shapley_coop"]}, seeds="0-11")
    here, there = results(read_rows(run_once(made, tmp_path / "here"))), tmp_path / "there"
    with fixed_servers(tmp_path, 2) as servers:
        player = Killing(servers, registered(there, made))
        tally = run(made, there, Limits(at_once=6), player=player)
        threads = [one for server in servers for one in known_threads(server)]
    assert (tally.done, tally.failed) == (12, 0), failures_in(there)
    assert results(read_rows(there)) == here
    assert len(threads) == len(set(threads)) == 12
    paid = [episodes_paid(server) for server in servers]
    assert sum(map(len, paid)) == 12, "one play for each cell"
    assert all(paid), "both servers had a part"


def known_threads(server: Server) -> list[str]:
    return [str(one["thread_id"]) for one in server.client().threads.search(limit=100)]


def episodes_paid(server: Server) -> set[str]:
    """The plays that called a model or posted to the server's ledger."""
    with closing(sqlite3.connect(server.home / "books.sqlite")) as file:
        return {scope for (scope,) in file.execute(PAID)}


def results(rows: Any) -> list[Any]:
    """The payoffs and the contract of each seed."""
    return sorted(
        (row["seed"], row["result"]["payoffs"], row["result"]["contract"]["text"]) for row in rows
    )
