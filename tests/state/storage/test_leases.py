"""One worker per run, on files and in Postgres."""

import asyncio
import os
import subprocess
import sys
from contextlib import suppress

import pytest

from shapley_coop.graphs.preparing import prepare
from shapley_coop.graphs.running import follow, play
from shapley_coop.seats.steps import converse
from shapley_coop.state.run_config import RunConfig
from shapley_coop.state.storage.checkpoints.savers import saver
from shapley_coop.state.storage.home import home
from shapley_coop.state.storage.leases import (
    Busy,
    Lease,
    LeaseLost,
    Leases,
)
from tests.root import ROOT
from tests.waiting import wait_for

HOLD = """
import sys
from shapley_coop.state.storage.home import home
with home().leases.of("r"):
    print("held", flush=True)
    sys.stdin.read()
"""
ON_POSTGRES = [pytest.mark.slow, pytest.mark.xdist_group("postgres")]


@pytest.fixture(params=["files", pytest.param("postgres", marks=ON_POSTGRES)])
def leases(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Leases:
    if request.param == "postgres":
        monkeypatch.setenv("COOP_DATABASE_URL", request.getfixturevalue("postgres_url"))
    return home().leases


def test_a_run_has_one_worker_and_the_other_is_told_who_it_is(leases: Leases) -> None:
    with leases.of("r"), leases.of("s"), pytest.raises(Busy, match=f"process {os.getpid()} on"):
        leases.of("r").__enter__()
    with leases.of("r"):
        pass


def test_a_lease_is_given_back_when_its_holder_fails(leases: Leases) -> None:
    with pytest.raises(KeyError), leases.of("r"):
        raise KeyError
    with leases.of("r"):
        pass


def test_a_worker_in_another_process_is_waited_for_until_it_is_killed(leases: Leases) -> None:
    worker = [sys.executable, "-c", HOLD]
    pipe = subprocess.PIPE
    with subprocess.Popen(worker, cwd=ROOT, stdin=pipe, stdout=pipe, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        with pytest.raises(Busy, match=f"r is being played by process {process.pid} on"):
            leases.of("r").__enter__()
        process.kill()
        process.wait()

    def given_back() -> bool:
        with suppress(Busy), leases.of("r"):
            return True
        return False

    # Postgres learns of it when the socket closes.
    wait_for("a killed worker's lease", given_back)


async def test_of_two_resumes_at_once_one_plays_and_the_other_is_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    calls, thinking = 0, asyncio.Event()

    async def slowly(*given: object, **options: object) -> object:
        nonlocal calls
        calls += 1
        thinking.set()
        await asyncio.sleep(0)
        return await converse(*given, **options)  # type: ignore[arg-type]

    monkeypatch.setattr("shapley_coop.state.asking.converse", slowly)
    run = prepare("negotiation", RunConfig(), "twice")
    first = asyncio.create_task(follow(run))
    thinks = asyncio.create_task(thinking.wait())
    await asyncio.wait({first, thinks}, return_when=asyncio.FIRST_COMPLETED)
    with pytest.raises(Busy, match="twice is being played"):
        await follow(run)
    outcome = await first
    assert calls == outcome["usage"]["calls"]
    assert (await follow(run))["episode"] == outcome["episode"]


async def test_who_has_lost_its_lease_keeps_no_step_more_and_asks_nothing_twice(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    checks = iter([None, None, LeaseLost("late was taken over")])

    async def check(_: Lease) -> None:
        if lost := next(checks, None):
            raise lost

    monkeypatch.setattr(Lease, "check", check)
    run = prepare("negotiation", RunConfig(), "late")
    with pytest.raises(LeaseLost):
        await follow(run)
    async with saver(home()) as elsewhere:
        kept = [one async for one in elsewhere.alist({"configurable": {"thread_id": "late"}})]
    assert len(kept) == 2
    outcome = await follow(run)
    entries = home().journal.entries(outcome["episode"])
    assert outcome["usage"]["calls"] == len([*entries])


async def test_a_run_that_fails_before_its_first_step_is_free_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def broken(*_: object) -> None:
        raise OSError("no saver")

    with monkeypatch.context() as without:
        without.setattr("shapley_coop.graphs.running.open_workflow", broken)
        with pytest.raises(OSError, match="no saver"):
            await play("llm_only", RunConfig(), "soon")
    assert (await follow(home().run("soon")))["run"] == "soon"
