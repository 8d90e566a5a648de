"""One worker per run among the machines that share a Postgres."""

import signal
import subprocess
import sys
from contextlib import suppress

import psycopg
import pytest

from shapley_coop.extensions.postgres.leases import PostgresLeases
from shapley_coop.state.storage.home import home
from shapley_coop.state.storage.leases import Busy, Lease, LeaseLost
from tests.root import ROOT
from tests.waiting import wait_for

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("postgres")]

FREEZE = """
import asyncio, sys
from shapley_coop.state.storage.home import home
from shapley_coop.state.storage.leases import LeaseLost
with home().leases.of("r") as lease:
    print("held", flush=True)
    sys.stdin.read()
    try:
        asyncio.run(lease.check())
    except LeaseLost as lost:
        print(lost, flush=True)
"""


def test_a_frozen_worker_is_taken_over_once_it_was_silent_and_finds_out(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COOP_DATABASE_URL", postgres_url)
    pipe = subprocess.PIPE
    worker = [sys.executable, "-c", FREEZE]
    with subprocess.Popen(worker, cwd=ROOT, stdin=pipe, stdout=pipe, text=True) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        assert process.stdout.readline() == "held\n"
        process.send_signal(signal.SIGSTOP)
        with pytest.raises(Busy, match=f"r is being played by process {process.pid} on"):
            home().leases.of("r").__enter__()
        monkeypatch.setattr("shapley_coop.extensions.postgres.leases.SILENT", 1)

        def taken_over() -> Lease | None:
            with suppress(Busy), home().leases.of("r") as lease:
                return lease
            return None

        wait_for("a frozen worker's lease", taken_over)
        process.send_signal(signal.SIGCONT)
        process.stdin.close()
        assert process.stdout.readline() == "r was taken over by another worker: see coop runs\n"


def test_a_worker_that_thinks_for_long_is_not_silent(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shapley_coop.extensions.postgres.leases.BEAT", 0.05)
    held = """
        SELECT state_change FROM pg_stat_activity JOIN pg_locks USING (pid)
        WHERE locktype = 'advisory'
    """
    seen: set[object] = set()
    mine = PostgresLeases(postgres_url)
    with mine.of("long"), psycopg.connect(postgres_url, autocommit=True) as connection:

        def heard_again() -> bool:
            seen.add(connection.execute(held).fetchone())
            return len(seen) > 3

        wait_for("three beats", heard_again)


async def test_a_worker_that_lost_its_connection_is_fenced_off(postgres_url: str) -> None:
    mine = PostgresLeases(postgres_url)
    with mine.of("fenced") as lease:
        await lease.check()
        _break_connections(postgres_url)
        theirs = PostgresLeases(postgres_url)
        with theirs.of("fenced") as other:
            await other.check()
            with pytest.raises(LeaseLost, match="fenced was taken over"):
                await lease.check()


def _break_connections(url: str) -> None:
    """End every connection that holds an advisory lock, as a network does."""
    held = "SELECT pg_terminate_backend(pid, 10000) FROM pg_locks WHERE locktype = 'advisory'"
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(held)
