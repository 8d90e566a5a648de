"""Cells sent to a real LangGraph server."""

import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from shapley_coop.extensions.remote.remote import Remote
from shapley_coop.extensions.sweeps.folders import failures_in, read_rows
from tests.background import in_background
from tests.evals.swept import CONDITIONS, change, kept, registered, run, run_once, suite
from tests.server_process import Server

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("evals_server")]

SWEEP = "a-sweep"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    running = Server(tmp_path_factory.mktemp("server"))
    try:
        yield running.start()
    finally:
        running.stop()


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
