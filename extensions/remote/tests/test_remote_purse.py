"""A sweep and its servers with one purse, in one database."""

from collections.abc import Iterator
from pathlib import Path
from uuid import NAMESPACE_URL, uuid5

import pytest

from shapley_coop.evals.prices import Price, Prices
from shapley_coop.extensions.remote.remote import Remote
from shapley_coop.extensions.sweeps.cells import expand
from shapley_coop.extensions.sweeps.folders import failures_in
from shapley_coop.extensions.sweeps.playing import EVERY, Limits, Rates
from shapley_coop.extensions.sweeps.store import FILE, Store
from tests.embedded_reply import reply
from tests.evals.swept import behind, registered, run
from tests.postgres import own_database
from tests.server_process import Server
from tests.stub_faults import Fault
from tests.stub_openai import StubOpenAI

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("evals_server")]

DEAR = Prices({"openai:*": Price(input=0, output=1_000)})
DEAR_MODELS = ("openai:Alice", "openai:Bob")
DEAREST = 300 * 1_000 / 1_000_000
"""USD of the longest answer that a seat may give."""


@pytest.fixture
def database(postgres_url: str, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("COOP_DATABASE_URL", own := own_database(postgres_url))
    return own


@pytest.fixture
def server(database: str, tmp_path: Path) -> Iterator[Server]:
    with Server(tmp_path / "server", OPENAI_API_KEY="none", COOP_DATABASE_URL=database) as serving:
        yield serving


def test_each_call_of_a_server_is_paid_before_it_is_made(server: Server, tmp_path: Path) -> None:
    with StubOpenAI(reply) as stub, Store(tmp_path / "out", new=True) as store:
        made = behind(stub, ["shapley_coop"], "0-15")
        sweep = registered(tmp_path / "out", made)

        def played(limits: Limits) -> str:
            player = Remote([server.url], sweep, "all", store, limits, DEAR)
            return run(made, tmp_path / "out", limits, player, DEAR).stopped

        for _ in range(2):  # the second time little is left to spend
            assert "cost limit of 1 USD" in played(Limits(cost=1))
            assert 1 - DEAREST <= store.spent <= 1 + DEAREST
        assert stub.calls < 16 * 8, "cells are left to play"
        assert played(Limits(cost=100, rates={EVERY: Rates(rpm=1_000)})) == ""
        calls = [c for row in store.rows() for c in row["calls"] if c["model"] in DEAR_MODELS]
        assert stub.calls == sum(call["calls"] for call in calls), "no call was made twice"
        assert store.spent == pytest.approx(DEAR.cost(calls))


def test_runs_that_were_begun_without_a_limit_are_stopped_and_counted(
    server: Server, tmp_path: Path
) -> None:
    there, folder = server.client(), tmp_path / "out"
    # The server looks for the sweep in the database, although it has a file of that name.
    (server.home.parent / "out").mkdir()
    (server.home.parent / "out" / FILE).touch()
    with StubOpenAI(reply) as stub, Store(folder, new=True) as store:
        made = behind(stub, ["llm_only"], "0-1")
        sweep = registered(folder, made)
        for cell, faults in zip(expand(made), ([], [Fault.hang()] * 2), strict=True):
            stub.faults.extend(faults)
            thread, calls = str(uuid5(NAMESPACE_URL, f"{sweep}/{cell.id}")), stub.calls
            there.threads.create(thread_id=thread, metadata={"sweep": sweep, "cell": cell.id})
            start = {"room": cell.room, "idempotency_key": thread}
            begun = there.runs.create(thread, cell.graph, input=start)
            if not faults:
                there.runs.join(thread, begun["run_id"])
        stub.wait_for_calls(calls + 2)
        limits = Limits(cost=100)
        player = Remote([server.url], sweep, "all", store, limits, DEAR)
        assert run(made, folder, limits, player, DEAR).done == 2
        assert there.runs.get(thread, begun["run_id"])["status"] == "interrupted"
        paid = [call for row in store.rows() for call in row["calls"]]
        assert store.spent == pytest.approx(DEAR.cost(paid))
        assert paid, "the calls of both runs"


def test_a_server_without_the_sweeps_database_asks_nobody(database: str, tmp_path: Path) -> None:
    alone, limits = Server(tmp_path / "alone", OPENAI_API_KEY="none"), Limits(cost=1)
    with StubOpenAI(reply) as stub, Store(tmp_path / "out", new=True) as store:
        made = behind(stub, ["llm_only"], "0")
        sweep = registered(tmp_path / "out", made)
        with alone:
            player = Remote([alone.url], sweep, "all", store, limits, DEAR)
            assert run(made, tmp_path / "out", limits, player, DEAR).failed == 1
        assert not stub.calls
    (failure,) = failures_in(tmp_path / "out")
    assert "give the server the sweep's COOP_DATABASE_URL" in failure["error"]


def test_a_server_that_does_not_know_of_purses_is_found_out(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shapley_coop.extensions.remote.server.PURSE", "unknown to it")
    limits = Limits(cost=100)
    with StubOpenAI(reply) as stub, Store(tmp_path / "out", new=True) as store:
        made = behind(stub, ["llm_only"], "0")
        sweep = registered(tmp_path / "out", made)
        player = Remote([server.url], sweep, "all", store, limits, DEAR)
        assert run(made, tmp_path / "out", limits, player, DEAR).failed == 1
    (failure,) = failures_in(tmp_path / "out")
    assert "does not count calls: to keep limits, it needs" in failure["error"]


def test_a_server_cannot_keep_the_rates_of_a_sweep_in_a_file(tmp_path: Path) -> None:
    limits = Limits(rates={EVERY: Rates(rpm=1)})
    with Store(tmp_path, new=True) as store, pytest.raises(ValueError, match="sweep in a file"):
        Remote(["http://127.0.0.1:9"], "sweep", "all", store, limits)
