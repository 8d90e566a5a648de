"""A sweep's calls keep to an endpoint's pace and to a sum of money, however many are under way."""

import asyncio
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from shapley_coop.evals.prices import Price, Prices
from shapley_coop.extensions.sweeps.folders import failures_in, read_rows
from shapley_coop.extensions.sweeps.gates import OUTAGE, Pace, SweepGate
from shapley_coop.extensions.sweeps.playing import Limits, Rates, Tally, rates_from
from shapley_coop.extensions.sweeps.purse import Purse, SpendingLimit
from shapley_coop.extensions.sweeps.store import Store
from shapley_coop.extensions.sweeps.workers import Worker
from shapley_coop.seats.asking import Enquiry
from shapley_coop.seats.letters import Letter
from shapley_coop.seats.records import Answer
from shapley_coop.seats.seat import Seat
from tests.embedded_reply import reply
from tests.evals.swept import behind, run
from tests.stub_faults import Fault
from tests.stub_openai import StubOpenAI

DEAR = Prices({"openai:*": Price(input=0, output=1000)})
"""A word of an answer of the stub's costs 0.001 USD."""


pytestmark = pytest.mark.usefixtures("careful")


def test_an_endpoint_that_refuses_a_fifth_of_all_requests_fails_no_cell(tmp_path):
    chance = random.Random(5)
    refused = Fault.rate_limited(retry_after=0.01)
    faults = [refused if chance.random() < 0.2 else None for _ in range(2000)]
    # The client repeats a request twice: of twelve refusals in a row it cannot make anything.
    faults[20:20] = faults[60:60] = [refused] * 12
    with StubOpenAI(reply, faults=faults) as stub:
        made = behind(stub, ["negotiation"], "0-16")
        tally = run(made, tmp_path, Limits(at_once=4))
        met = sum(request.fault is not None for request in stub.requests)
    assert (tally.done, tally.failed, tally.stopped) == (17, 0, ""), failures_in(tmp_path)
    assert met > 30


def test_an_endpoint_that_answered_before_is_waited_for(tmp_path, monkeypatch):
    """While it fails within, breaks its connections, or is silent."""
    monkeypatch.setattr("shapley_coop.extensions.sweeps.gates.MINUTE", 0.01)
    storm = [Fault.server_error(503, 0.01), Fault.reset(), Fault.server_error(500, 0.01)]
    with StubOpenAI(reply, faults=[None, *storm * 15, None, *storm * 15]) as stub:
        tally = run(behind(stub, ["negotiation"], "0-5"), tmp_path, Limits(at_once=4))
        assert not stub.faults
    assert (tally.done, tally.failed) == (6, 0), failures_in(tmp_path)


def test_an_endpoint_that_never_answered_fails_its_cells_at_once(tmp_path):
    with StubOpenAI(reply, faults=[Fault.server_error(503, 0.01)] * 99) as stub:
        tally = run(behind(stub, ["llm_only"], "0"), tmp_path)
        assert (tally.done, tally.failed) == (0, 1)
        assert stub.calls <= 2 * 3


async def test_an_endpoint_is_waited_for_until_it_was_silent_too_long():
    clock = Clock()
    pace = Pace(clock, clock.sleep)
    assert not pace.may_answer(0), "it never answered"
    await pace.enter()
    pace.leave()
    for _ in range(3):
        await pace.enter()
        pace.leave(0)
    assert pace.may_answer(0)
    clock.now += OUTAGE
    assert not pace.may_answer(0)
    assert pace.may_answer(1), "an endpoint that refuses answers"


def test_an_empty_account_is_not_asked_again(tmp_path):
    with StubOpenAI(reply, faults=[Fault.out_of_quota()] * 99) as stub:
        tally = run(behind(stub, ["llm_only"], "0"), tmp_path)
        assert (tally.done, tally.failed) == (0, 1)
        assert stub.calls <= 2 * 3


@pytest.mark.parametrize(
    "trial", [*range(2), *(pytest.param(n, marks=pytest.mark.slow) for n in range(2, 20))]
)
def test_a_cost_limit_is_passed_by_one_call_at_most(tmp_path, trial):
    chance = random.Random(trial)
    limit, at_once = chance.uniform(0.02, 0.6), chance.choice([1, 3, 8])
    with StubOpenAI(reply) as stub:
        made = behind(stub, ["llm_only", "shapley_coop"], "0-4")
        tally = run(made, tmp_path, Limits(at_once=at_once, cost=limit), prices=DEAR)
    spent = [DEAR.cost([call]) for call in calls_in(tmp_path)]
    assert "cost limit" in tally.stopped
    assert tally.failed == 0, "a call that cannot be paid for is no failure"
    assert sum(spent) == pytest.approx(tally.cost)
    assert sum(spent) <= limit + max(spent)
    assert len(spent) == stub.calls, "every call that was answered is counted"


def test_a_sweep_that_its_limit_stopped_goes_on_with_a_higher_one(tmp_path):
    with StubOpenAI(reply) as stub:
        made = behind(stub, ["shapley_coop"], "0-1")
        first = run(made, tmp_path, Limits(cost=0.05), prices=DEAR)
        assert (first.done, first.left) == (0, 2)
        asked = stub.calls
        again: Tally = run(made, tmp_path, Limits(cost=99), prices=DEAR)
        assert (again.done, again.left) == (2, 0)
        rows = read_rows(tmp_path)
        assert asked > 0
        assert stub.calls == sum(
            c["model"] != "embedded:impartial" for r in rows for c in r["calls"]
        )


def calls_in(folder: Path) -> list[dict[str, Any]]:
    """Every call to the stub, those of cells that did not end included."""
    lines = [*read_rows(folder), *failures_in(folder)]
    calls = [call for line in lines for call in line["calls"]]
    return [call for call in calls if call["model"].startswith("openai:")]


class Clock:
    """Time that passes only where somebody sleeps."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture
def worker(tmp_path: Path) -> Iterator[Worker]:
    """A process of a sweep of nothing."""
    with Store(tmp_path, new=True) as store, Worker(store) as worker:
        store.register([], {})
        yield worker


async def paced(worker: Worker, rates: Rates, tokens: list[int]) -> list[float]:
    """When each of some calls is made that end at once, in whole seconds."""
    clock, times = Clock(), []
    for size in tokens:
        purse = Purse(worker, None, clock, clock.sleep)  # each of another process
        made = await purse.reserve(0.0, size, "an endpoint", rates)
        times.append(round(clock() - 100))
        await purse.settle(made, 0.0)
    return times


async def test_no_minute_has_more_requests_or_tokens_than_the_rates_allow(worker):
    assert await paced(worker, Rates(rpm=2), [1] * 5) == [0, 0, 60, 60, 120]


async def test_tokens_are_counted_as_requests_are(worker):
    assert await paced(worker, Rates(tpm=100), [60, 30, 30]) == [0, 0, 60]


async def test_a_call_larger_than_a_minute_allows_is_made_alone(worker):
    assert await paced(worker, Rates(tpm=100), [10, 500, 10]) == [0, 60, 120]


async def test_a_clock_that_was_set_back_does_not_stop_the_calls(worker):
    clock = Clock()
    purse = Purse(worker, None, clock, clock.sleep)
    await purse.reserve(0.0, 1, "an endpoint", Rates(rpm=1))
    clock.now -= 3600
    await purse.reserve(0.0, 1, "an endpoint", Rates(rpm=1))
    assert clock.now == 100 - 3600


async def test_an_endpoint_is_left_alone_as_long_as_it_asks_and_then_asked_by_fewer():
    clock = Clock()
    pace = Pace(clock, clock.sleep)
    for _ in range(8):
        await pace.enter()
    for _ in range(8):
        pace.leave(busy=30)
    assert pace.at_once == 4, "refusals that come together count once"
    times = []
    for _ in range(4):
        await pace.enter()
        times.append(clock.now - 100)
    assert times == [30, 30, 30, 30]
    fifth = asyncio.ensure_future(pace.enter())
    await asyncio.sleep(0)
    assert not fifth.done()
    pace.leave()
    await fifth
    assert pace.at_once > 4


async def test_who_is_not_told_how_long_to_wait_waits_twice_as_long_each_time():
    clock, made = Clock(), []
    pace = Pace(clock, clock.sleep)
    for _ in range(4):
        await pace.enter()
        made.append(clock.now - 100)
        pace.leave(busy=0)
    assert made == [0, 1, 3, 7]


async def test_money_is_reserved_at_the_worst_and_the_last_call_is_made_alone(worker):
    purse, other = Purse(worker, 1.0), Purse(worker, 1.0)
    first = await purse.reserve(0.6)
    assert await other.try_to(0.6) is None
    waiting = asyncio.ensure_future(other.reserve(0.6))
    await purse.settle(first, 0.5)
    await other.settle(await waiting, 0.6)
    with pytest.raises(SpendingLimit, match=r"1 USD: 1.1000 USD are spent"):
        await purse.reserve(0.0)


async def test_what_a_process_was_asking_that_died_is_spent_at_its_worst(worker):
    with Worker(worker.store) as dead:
        await Purse(dead, 1.0).reserve(0.6, endpoint="e")
        await Purse(dead, 1.0).reserve(0.3)  # for a batch, which is counted when its answer comes
    assert worker.store.spent == 0.6
    assert await Purse(worker, 1.0).try_to(0.5) is not None, "nobody else reserves anything now"


async def test_a_call_that_is_broken_off_is_spent_at_its_worst(worker):
    gate = SweepGate(Purse(worker, 1.0), DEAR)
    asked = asyncio.Event()

    async def ask(_: float) -> Answer:
        asked.set()
        return await asyncio.Future()

    seat = Seat(model="openai:a", max_tokens=300)
    question = Enquiry("an episode", "Alice", "act", Letter("A letter.", "Its facts."))
    call = asyncio.ensure_future(gate.call(seat, question, ask))
    await asked.wait()
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    assert worker.store.spent == pytest.approx(0.3)


async def test_a_price_that_an_agent_elsewhere_reports_is_spent(worker):
    async def ask(_: float) -> Answer:
        return Answer("<REJECT>", input_tokens=9, output_tokens=1, usd=0.25)

    gate = SweepGate(Purse(worker, 1.0), Prices({"a2a:*": Price(input=0, output=0)}))
    question = Enquiry("an episode", "Alice", "act", Letter("A letter.", "Its facts."))
    await gate.call(Seat(model="a2a:http://127.0.0.1:9"), question, ask)
    assert worker.store.spent == 0.25


def test_rates_are_for_every_provider_or_for_one():
    found = rates_from(["500", "openai=60"], ["openai=9000"])
    assert found == {"*": Rates(500), "openai": Rates(60, 9000)}
    with pytest.raises(ValueError, match=r"--rpm fast: give a number, or provider=number"):
        rates_from(["fast"], [])
