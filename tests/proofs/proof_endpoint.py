"""Endpoint faults: whatever comes back, a run has a typed outcome, and can be resumed."""

import asyncio
import logging
import traceback
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, get_args

import pytest

from shapley_coop.graphs.preparing import prepare
from shapley_coop.graphs.running import follow
from shapley_coop.graphs.threads import table_of
from shapley_coop.seats.clients import clients
from shapley_coop.seats.embedded import CHARACTERS
from shapley_coop.seats.models import RETRIES
from shapley_coop.seats.seat import SeatError
from shapley_coop.state.run_config import RunConfig
from shapley_coop.state.storage.home import home
from shapley_coop.state.storage.register import Run
from shapley_coop.state.table import Status
from tests.embedded_reply import reply
from tests.proofs.every_fault import every_fault
from tests.proofs.hostile import at_home
from tests.proofs.proof import Finding, Proof
from tests.stub_faults import Fault
from tests.stub_openai import StubOpenAI

KEY = "sk-canary-1618033988"
ENDLESS = 1_000
"""As many faults as make one that lasts."""

AT_ONCE = 8
LATE = ("hang", "stall", "drip")
"""Faults that only the seat's time ends."""

SHORT, LONG = 0.6, 60
"""Seconds that a seat has for one request: where its time has to end, and where it must not."""

RESUMES = 50
"""A sound endpoint can be too late for the short time on a busy machine; what answered is kept."""

TYPED = {status for status in get_args(Status) if status != "open"}


@dataclass
class Tally:
    """What came of the faults.

    Attributes:
        ended: runs that went on to their end by themselves.
        failed: runs of which a seat did not answer, by the line that says so.
        broken: what was no typed outcome, cost too much, or told a key.
        most: the most requests that one step took.
    """

    ended: int = 0
    failed: Counter[str] = field(default_factory=Counter)
    broken: list[str] = field(default_factory=list)
    most: float = 0

    def line(self, name: str, failure: SeatError) -> None:
        """A failure is one line, and tells neither key nor letter."""
        self.failed[str(failure).partition(": ")[2]] += 1
        whole = "".join(traceback.format_exception(failure))
        if "\n" in str(failure) or "You are **" in whole:
            self.broken.append(f"{name}: {str(failure)[:100]}")
        if KEY in whole:
            self.broken.append(f"{name}: the key stands in the error")


def attempt(folder: Path, times: int) -> Finding:
    """Meet every fault so many times over, at one call or for as long as it lasts."""
    tally, faults = Tally(), every_fault(KEY)
    each = max(1, times // len(faults))
    with at_home(folder, OPENAI_API_KEY=KEY), _impatient(), _heard() as log:
        asyncio.run(_every(faults, each, tally))
        if any(KEY in line for line in log):
            tally.broken.append("the key stands in a log")
        files = [path for path in home().folder.rglob("*") if path.is_file()]
        tally.broken += [f"the key is in {p.name}" for p in files if KEY.encode() in p.read_bytes()]
    runs = tally.ended + tally.failed.total()
    return Finding(
        tried=f"{len(faults)} faults × {each}, at one call or at every call of a seat from then on",
        figure=f"{runs - len(tally.broken)} of {runs} typed: {tally.ended} runs ended, in "
        f"{tally.failed.total()} a seat failed in one line ({len(tally.failed)} different ones) "
        f"and a resume ended them; at most {tally.most:g} requests a step"
        f"{'; '.join(['', *tally.broken[:5]])}",
        held=not tally.broken and tally.most <= RETRIES + 1,
    )


async def _every(faults: dict[str, Fault], each: int, tally: Tally) -> None:
    turns = asyncio.Semaphore(AT_ONCE)

    async def met(name: str, fault: Fault, number: int) -> None:
        async with turns:
            await _met(name, fault, number, tally)

    async with clients(), asyncio.TaskGroup() as meeting:
        for name, fault in faults.items():
            for number in range(each):
                meeting.create_task(met(name, fault, number + len(name)))


async def _met(name: str, fault: Fault, number: int, tally: Tally) -> None:
    """One run in which Alice's endpoint goes wrong: at a call, or from a call on."""
    sound = [None] * (number % 4)
    lasts = number % 2 == 0
    with (
        StubOpenAI(reply, faults=[*sound, *([fault] * (ENDLESS if lasts else 1))]) as alices,
        StubOpenAI(reply) as bobs,
    ):
        ends = {"Alice": alices, "Bob": bobs}
        seconds = SHORT if fault.delivery in LATE else LONG
        seats = {
            agent: {"model": f"openai:{agent}", "base_url": end.base_url, "timeout": seconds}
            for agent, end in ends.items()
        }
        run = prepare("negotiation", RunConfig.model_validate({"seats": seats, "rounds": 2}))
        try:
            await _to_an_end(name, run, alices, tally)
        except Exception as broken:
            tally.broken.append(f"{name}: {type(broken).__name__} {broken}"[:200])


async def _to_an_end(name: str, run: Run, alices: StubOpenAI, tally: Tally) -> None:
    """Follow a run; where a seat fails, mend its endpoint and resume."""
    answered: Counter[str] = Counter()
    try:
        outcome = await follow(run)
        tally.ended += 1
    except SeatError as failure:
        tally.line(name, failure)
        answered = await _answered(run)
        unanswered = Counter(_letter(request.body) for request in alices.requests[-1:])
        tally.most = max(tally.most, _requests_a_step(alices, answered + unanswered))
        alices.faults.clear()
        alices.requests.clear()
        outcome = await _resumed(run, alices)
    if outcome["status"] not in TYPED:
        raise AssertionError(f"ended as {outcome['status']!r}")
    steps = await _answered(run) - answered
    tally.most = max(tally.most, _requests_a_step(alices, steps))


async def _resumed(run: Run, alices: StubOpenAI) -> dict[str, Any]:
    """Resume a run to its end."""
    for _ in range(RESUMES):
        try:
            return await follow(run)
        except SeatError:
            alices.requests.clear()
    raise AssertionError(f"not at its end after {RESUMES} resumes")


async def _answered(run: Run) -> Counter[str]:
    """Letter → how often Alice has answered it; the same one comes again after a complaint."""
    entries = home().journal.entries((await table_of(run))["episode"])
    return Counter(entry.letter_text for entry in entries if entry.agent == "Alice")


def _requests_a_step(alices: StubOpenAI, steps: Counter[str]) -> float:
    """The most requests for a letter, by how often it was a step."""
    sent = Counter(_letter(request.body) for request in alices.requests if request.is_call)
    return max((requests / steps[letter] for letter, requests in sent.items()), default=0)


def _letter(body: Any) -> str:
    told = "\n\n".join(message["content"] for message in body["messages"])
    return told.partition("\n\n```json\n")[0]  # without the facts, which programs are sent behind


@contextmanager
def _impatient() -> Iterator[None]:
    """Short pauses between retries, and embedded agents that make no protocol mistakes."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("openai._base_client.INITIAL_RETRY_DELAY", 0.01)
        patch.setattr("openai._base_client.MAX_RETRY_DELAY", 0.02)
        careful = replace(CHARACTERS["rational"], sloppiness=0.0)
        patch.setitem(CHARACTERS, "rational", careful)
        yield


@contextmanager
def _heard() -> Iterator[list[str]]:
    """What is logged by everybody, as it would be printed."""
    lines: list[str] = []
    handler = logging.Handler()
    handler.emit = lambda record: lines.append(record.getMessage())  # type: ignore[method-assign]
    logging.getLogger().addHandler(handler)
    try:
        yield lines
    finally:
        logging.getLogger().removeHandler(handler)


PROOFS = {
    "endpoint": Proof(
        promise="An endpoint's fault has a typed outcome",
        goal="100 % typed; ≤ 3 requests a step; no key in any error text",
        not_promised=(
            "While an endpoint is down the run stops with one line; `coop resume` goes on."
        ),
        attempt=attempt,
        short=40,
        long=1_000,
    )
}
