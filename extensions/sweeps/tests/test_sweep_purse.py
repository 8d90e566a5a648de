"""Processes of one sweep share its money and its pace, in a file or in a database."""

import asyncio
import multiprocessing
import os
import signal
from contextlib import suppress
from pathlib import Path
from uuid import uuid4

import pytest

from extensions.sweeps.tests.test_evals_limits import DEAR, Paid
from extensions.sweeps.tests.test_sweep_gates import Clock, calls_in
from shapley_coop.extensions.sweeps.cells import expand
from shapley_coop.extensions.sweeps.folders import failures_in, left_in, read_rows
from shapley_coop.extensions.sweeps.playing import NO_LIMIT, Rates
from shapley_coop.extensions.sweeps.purse import Purse, SpendingLimit
from shapley_coop.extensions.sweeps.store import FILE, Store
from shapley_coop.extensions.sweeps.workers import Worker
from shapley_coop.state.storage.home import Home
from tests.coop_command import Coop
from tests.embedded_reply import reply
from tests.evals.swept import SUITE, behind, run, suite
from tests.stub_openai import StubOpenAI
from tests.warm_coop import warm_coop

PROCESSES, TRIALS = 8, 20
LIMIT, COST = 1.0, 0.01
PRICES = "date: 2026-11-01\nmodels: {'openai:*': {input: 0, output: 1000}}\n"
"""By which a word of an answer costs 0.001 USD."""


def spend(folder: Path, begin: object) -> None:
    """Make calls that cost 0.01 each, and could have cost five times as much, as long as may be."""

    async def calls(purse: Purse) -> None:
        while True:
            made = await purse.reserve(5 * COST)
            await purse.settle(made, COST)

    async def several(worker: Worker) -> None:
        with suppress(SpendingLimit):
            await asyncio.gather(*(calls(Purse(worker, LIMIT)) for _ in range(2)))

    with Store(folder, new=True) as store, Worker(store) as worker:
        begin.wait()  # type: ignore[attr-defined]
        asyncio.run(several(worker))


@pytest.mark.slow
@pytest.mark.parametrize("trial", range(TRIALS))
def test_eight_processes_pass_a_limit_by_one_call_at_most(tmp_path: Path, trial: int) -> None:
    with Store(tmp_path, new=True) as store:
        store.register([], {})
        apart = multiprocessing.get_context("fork")
        begin = apart.Barrier(PROCESSES)
        each = [apart.Process(target=spend, args=(tmp_path, begin)) for _ in range(PROCESSES)]
        for one in each:
            one.start()
        for one in each:
            one.join()
        assert LIMIT <= round(store.spent, 9) <= LIMIT + COST


def ask_and_die(folder: Path) -> None:
    """Reserve a call's worst, and be killed before its answer comes."""

    async def ask(worker: Worker) -> None:
        with suppress(SpendingLimit):
            await Purse(worker, LIMIT).reserve(0.3, endpoint="e")
            os.kill(os.getpid(), signal.SIGKILL)

    with Store(folder) as store, Worker(store) as worker:
        worker.bury()
        asyncio.run(ask(worker))


def test_processes_that_are_killed_again_and_again_pass_a_limit_by_one_call(tmp_path: Path) -> None:
    codes = []
    with Store(tmp_path, new=True) as store:
        store.register([], {})
        for _ in range(6):
            one = multiprocessing.get_context("fork").Process(target=ask_and_die, args=(tmp_path,))
            one.start()
            one.join()
            codes.append(one.exitcode)
        assert store.spent == pytest.approx(1.2)
    assert codes == [-signal.SIGKILL] * 4 + [0, 0], "the limit stops the last two"


async def test_a_late_answer_of_a_process_that_was_frozen_counts_once(tmp_path: Path) -> None:
    with Store(tmp_path, new=True) as store:
        store.register([], {})
        with Worker(store) as taken_for_dead:
            purse = Purse(taken_for_dead, LIMIT)
            made = await purse.reserve(0.3, endpoint="e")
        await purse.settle(made, 0.1)
        assert store.spent == pytest.approx(0.3)


@pytest.mark.slow
@pytest.mark.xdist_group("sweep")
def test_eight_commands_with_one_folder_keep_to_one_limit(tmp_path: Path) -> None:
    coop, folder = warm_coop(Home(tmp_path / "home"), tmp_path), tmp_path / "out"
    (tmp_path / "prices.yaml").write_text(PRICES)
    with StubOpenAI(reply) as stub:
        made = behind(stub, ["llm_only", "negotiation"], "0-19")
        (tmp_path / "suite.yaml").write_text(made.model_dump_json())
        words = ("sweep", "suite.yaml", "-o", str(folder), "--prices", "prices.yaml")
        each = [coop.start(*words, "--cost-limit", "1") for _ in range(PROCESSES)]
        codes = {one.result().code for one in each}
        assert 1 in codes, "the limit has stopped them"
        assert codes <= {0, 1}, "or nothing was left that nobody played"
        spent = [call["output_tokens"] / 1000 for call in calls_in(folder)]
        assert len(spent) == stub.calls, "every call that was answered is counted once"
    assert sum(spent) <= 1 + max(spent)


async def test_the_pace_of_several_processes_is_one(tmp_path: Path) -> None:
    clock, made = Clock(), []
    with Store(tmp_path, new=True) as store, Worker(store) as one, Worker(store) as two:
        store.register([], {})
        for worker in (one, two, one, two, one):
            purse = Purse(worker, None, clock, clock.sleep)
            await purse.settle(await purse.reserve(0, 1, "e", Rates(rpm=2)), 0)
            made.append(round(clock() - 100))
        await Purse(one, None, clock, clock.sleep).reserve(0, 1, "another", Rates(rpm=2))
    assert made == [0, 0, 60, 60, 120]
    assert round(clock() - 100) == 120


@pytest.fixture
def shared(postgres_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A database for all machines."""
    monkeypatch.setenv("COOP_DATABASE_URL", postgres_url)


@pytest.mark.slow
@pytest.mark.usefixtures("shared")
def test_with_a_database_all_folders_of_a_name_are_one_sweep(tmp_path: Path, coop: Coop) -> None:
    name = uuid4().hex[:8]
    here, there = tmp_path / "here" / name, tmp_path / "there" / name
    made = suite(seeds="0-3", vary={"graph": ["llm_only"]})
    assert run(made, here, player=Paid(), prices=DEAR).done == 4
    again = run(made, there, player=Paid(), prices=DEAR)
    assert (again.done, again.before, again.cost) == (0, 4, 4.0)
    assert [row["seed"] for row in read_rows(there)] == [0, 1, 2, 3]
    assert len(left_in(tmp_path / "another", expand(made))) == 4
    assert not (here / FILE).exists()
    assert '"done": 4' in coop("status", str(there), "--json").out
    with Store(here) as store, Worker(store) as one, Worker(store) as two:
        assert [one.take("a"), two.take("a")] == [True, False]
        one.failed({"cell": "a", "suite": "mini"}, 1.0)
        assert [failure["cell"] for failure in failures_in(there)] == ["a"]
    (tmp_path / "mini.yaml").write_text(SUITE)
    words = ("sweep", "mini.yaml", "-o", str(tmp_path / f"x{name}"), "--seeds", "0")
    assert coop(*words, "--shard", "1/2", "--cost-limit", "1").code == 0, "they share the limit"
    assert coop(*words).code == 0
    assert coop("merge", f"x{name}", "-o", f"y{name}").code == 0
    assert read_rows(Path(f"y{name}")) == read_rows(Path(f"x{name}"))


@pytest.mark.slow
@pytest.mark.usefixtures("shared")
async def test_in_a_database_calls_that_are_reserved_at_once_pass_no_limit(tmp_path: Path) -> None:
    with Store(tmp_path / uuid4().hex, new=True) as store, Worker(store) as worker:
        store.register([], {})
        purses = [Purse(worker, LIMIT) for _ in range(PROCESSES)]
        for number in range(3):
            tried = await asyncio.gather(*(purse.try_to(0.4) for purse in purses))
            made = [one for one in tried if one]
            assert len(made) == 2, number
            for one in made:
                await purses[0].settle(one, 0.05)
        rates = Rates(rpm=3, tpm=NO_LIMIT)
        tried = await asyncio.gather(*(purse.try_to(0.0, 1, "e", rates) for purse in purses))
        assert sum(one is not None for one in tried) == 3
