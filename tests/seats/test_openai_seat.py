"""OpenAI-compatible seats, end to end over HTTP: what arrives, what fails, and what is told."""

import asyncio
import logging
import traceback
from collections.abc import Iterator
from typing import Any

import pytest

from shapley_coop.graphs.preparing import prepare
from shapley_coop.graphs.running import follow, play
from shapley_coop.graphs.threads import table_of
from shapley_coop.seats.asking import Enquiry, ask
from shapley_coop.seats.clients import clients
from shapley_coop.seats.letters import Letter
from shapley_coop.seats.models import RETRIES, check_seat
from shapley_coop.seats.records import Entry
from shapley_coop.seats.seat import CredentialsMissing, Seat, SeatError
from shapley_coop.state.run_config import RunConfig
from shapley_coop.state.storage.home import home
from tests.embedded_reply import reply
from tests.stub_faults import Fault
from tests.stub_openai import StubOpenAI

KEY = "sk-canary-3141592653"
AGENTS = ("Alice", "Bob")
OWN = {"run", "episode", "seats", "timing", "usage", "spending", "simulated"}


@pytest.fixture(autouse=True)
def _a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    for variable in ("OPENAI_BASE_URL", "OPENAI_API_BASE"):
        monkeypatch.delenv(variable, raising=False)


# What goes wrong with the protocol here is the faults' doing alone.
pytestmark = pytest.mark.usefixtures("careful")


@pytest.fixture
def stub() -> Iterator[StubOpenAI]:
    with StubOpenAI(reply) as running:
        yield running


def room(*stubs: StubOpenAI, **settings: Any) -> RunConfig:
    """A room whose agents sit behind the stubs, in order; the last one takes the rest."""
    ends = [*stubs, *stubs[-1:]]
    seats = {
        agent: {"model": f"openai:{agent}", "base_url": end.base_url, **settings}
        for agent, end in zip(AGENTS, ends, strict=False)
    }
    return RunConfig.model_validate({"seats": seats})


async def embedded() -> dict[str, Any]:
    return await play("shapley_coop", RunConfig())


def told(outcome: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in outcome.items() if key not in OWN}


async def asked(outcome: dict[str, Any]) -> dict[str, int]:
    """How often each agent was asked in a run."""
    table = await table_of(home().runs.get(outcome["run"]))
    phases = [spent["agents"] for spent in table["spent"].values()]
    return {agent: sum(p[agent]["calls"] for p in phases if agent in p) for agent in AGENTS}


def over_http(outcome: dict[str, Any], what: str = "calls") -> int:
    """What the agents' own calls come to: code sits in the summariser's seat, and posts nothing."""
    phases = outcome["spending"].values()
    return sum(spent[agent][what] for spent in phases for agent in AGENTS if agent in spent)


async def entries(run: str) -> list[Entry]:
    table = await table_of(home().runs.get(run))
    return list(home().journal.entries(table["episode"]))


async def refused(run: str) -> int:
    table = await table_of(home().runs.get(run))
    return sum(a["refused"] for spent in table["spent"].values() for a in spent["agents"].values())


# The whole workflow


async def test_a_run_over_http_is_the_embedded_agents_run(stub: StubOpenAI) -> None:
    outside = await play("shapley_coop", room(stub))
    inside = await embedded()
    assert told(outside) == told(inside)
    assert (outside["simulated"], inside["simulated"]) == (False, True)
    assert outside["usage"]["calls"] == inside["usage"]["calls"]
    assert over_http(outside) == stub.calls
    sent = [m["content"].split() for r in stub.requests for m in r.body["messages"]]
    assert over_http(outside, "input_tokens") == sum(map(len, sent))


async def test_each_agent_has_its_own_endpoint_and_settings() -> None:
    with StubOpenAI(reply) as alices, StubOpenAI(reply) as bobs:
        ours = room(alices, bobs, temperature=0.5, max_tokens=900).model_dump(mode="json")
        ours["seats"]["Bob"] |= {"temperature": None, "max_tokens": 700}
        calls = await asked(await play("shapley_coop", RunConfig.model_validate(ours)))
        for agent, own, temperature, most in (
            ("Alice", alices, 0.5, 900),
            ("Bob", bobs, None, 700),
        ):
            assert own.calls == calls[agent] > 1
            assert all(request.key_present for request in own.requests)
            for body in (request.body for request in own.requests):
                assert body["model"] == agent
                assert f"You are **{agent}**" in body["messages"][1]["content"]
                assert body.get("temperature") == temperature
                assert body["max_completion_tokens"] == most


async def test_a_seat_without_a_base_url_goes_where_the_environment_says(
    stub: StubOpenAI, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", stub.base_url)
    seats = {agent: f"openai:{agent}" for agent in AGENTS}
    outcome = await play("shapley_coop", RunConfig.model_validate({"seats": seats}))
    assert told(outcome) == told(await embedded())
    assert stub.calls == over_http(outcome)


def test_runs_one_after_the_other_need_no_event_loop_in_common(stub: StubOpenAI) -> None:
    for runs in (1, 2):
        asyncio.run(play("llm_only", room(stub)))
        assert stub.calls == 2 * runs


async def test_a_second_run_in_the_same_event_loop_finds_an_open_client(stub: StubOpenAI) -> None:
    first = await play("shapley_coop", room(stub))
    assert told(await play("shapley_coop", room(stub))) == told(first)


async def test_runs_side_by_side_share_the_clients_of_the_block_around_them() -> None:
    with StubOpenAI(reply, latency=0.01) as slow:
        ours = [play(graph, room(slow)) for graph in ("llm_only", "negotiation", "shapley_coop")]
        async with clients():
            outcomes = await asyncio.gather(*ours)
    assert slow.calls == sum(map(over_http, outcomes))


async def test_the_last_block_to_end_closes_the_clients(stub: StubOpenAI) -> None:
    async with clients():
        async with clients():
            await one_call(stub, "first")
        await one_call(stub, "second")
    await play("llm_only", room(stub))
    assert stub.calls == 4


async def one_call(stub: StubOpenAI, words: str) -> None:
    seat = Seat(model="openai:Alice", base_url=stub.base_url)
    letter = Letter(words, '```json\n{"you": "Alice", "ask": "reason"}\n```')
    await ask(seat, 0, Enquiry("e1", "Alice", "reason", letter), home().journal)


# Transport: the client repeats, and nothing else does


@pytest.mark.parametrize(
    "fault",
    [Fault.rate_limited(0.01), Fault.server_error(500, 0.01), Fault.reset(), Fault.half_body()],
    ids=lambda fault: fault.name,
)
async def test_a_passing_fault_is_mended_by_the_client(fault: Fault) -> None:
    with StubOpenAI(reply, faults=[None, None, fault]) as stub:
        outcome = await play("shapley_coop", room(stub))
        assert stub.calls == over_http(outcome) + 1
    assert told(outcome) == told(await embedded())
    assert await refused(outcome["run"]) == 0


def lasting(fault: Fault) -> list[Fault | None]:
    """What meets Alice's second call, the proposal, and every repetition of it."""
    return [None, *([fault] * (RETRIES + 1))]


@pytest.mark.parametrize(
    ("fault", "why", "requests"),
    [
        (Fault.rate_limited(0.01), r"\w*RateLimitError \(429\); .*rate limit", RETRIES + 1),
        (Fault.server_error(500, 0.01), r"\w+ \(500\); .*failed within; resume", RETRIES + 1),
        (Fault.bad_key(), r"\w*AuthenticationError \(401\); .*check its API key", 1),
        (Fault.context_too_long(), r"\w+ \(400\); .*finds the letter .*too long", 1),
        (Fault.html(), r"WebPage; .*check the base URL, now http://127", 1),
        (Fault.empty_body(), r"\w+; .*answered with nothing; check the base URL", 1),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
async def test_a_lasting_fault_ends_in_one_line_and_a_resume_mends_it(
    fault: Fault,
    why: str,
    requests: int,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG, logger="openai")
    with StubOpenAI(reply, faults=lasting(fault)) as alices, StubOpenAI(reply) as bobs:
        run = prepare("shapley_coop", room(alices, bobs))
        line = rf"^Alice's seat \(openai:Alice\) did not answer: {why}"
        with pytest.raises(SeatError, match=line) as raised:
            await follow(run)
        told_in_full = "".join(traceback.format_exception(raised.value))
        for private in (KEY, "You are **Alice**", "locked in", "<CONSIDER>", "Rate limit reached"):
            assert private not in told_in_full
        assert KEY not in caplog.text
        assert alices.calls == 1 + requests
        alices.faults.clear()
        before = alices.calls
        outcome = await follow(run)
        # Her first answer was kept: only what was not answered is asked again.
        calls = await asked(outcome)
        assert (alices.calls - before, bobs.calls) == (calls["Alice"] - 1, calls["Bob"])
    assert told(outcome) == told(await embedded())


class TimeIsUp:
    """The seats' time, which the test ends and no clock does."""

    to_thread = staticmethod(asyncio.to_thread)

    def __init__(self) -> None:
        self.open: list[asyncio.Timeout] = []

    def timeout(self, seconds: float) -> asyncio.Timeout:
        self.open.append(asyncio.timeout(None))
        return self.open[-1]

    async def end_at(self, stub: StubOpenAI, call: int) -> None:
        """End the time of the youngest question once so many calls have arrived."""
        await asyncio.to_thread(stub.wait_for_calls, call)
        self.open[-1].reschedule(0)


@pytest.mark.parametrize("fault", [Fault.hang(), Fault.drip(60)], ids=lambda fault: fault.name)
async def test_a_seat_whose_time_is_up_ends_in_one_line_and_a_resume_mends_it(
    fault: Fault, monkeypatch: pytest.MonkeyPatch
) -> None:
    time = TimeIsUp()
    monkeypatch.setattr("shapley_coop.seats.asking.asyncio", time)
    with StubOpenAI(reply, faults=[None, fault]) as alices, StubOpenAI(reply) as bobs:
        run = prepare("shapley_coop", room(alices, bobs, timeout=200))
        line = r"^Alice's seat \(openai:Alice\) did not answer: no answer within 600 s; raise"
        with pytest.raises(SeatError, match=line):
            await asyncio.gather(follow(run), time.end_at(alices, 2))
        assert alices.calls == 2
        outcome = await follow(run)
        # The call that got no answer is the only one to be repeated.
        calls = await asked(outcome)
        assert (alices.calls, bobs.calls) == (calls["Alice"] + 1, calls["Bob"])
    assert told(outcome) == told(await embedded())


async def test_the_key_is_in_no_file_of_the_home(stub: StubOpenAI) -> None:
    await play("shapley_coop", room(stub))
    files = [path for path in home().folder.rglob("*") if path.is_file()]
    assert {"books.sqlite", "checkpoints.sqlite"} <= {path.name for path in files}
    assert [path.name for path in files if KEY.encode() in path.read_bytes()] == []


# Content: what cannot be used goes back to its author


@pytest.mark.parametrize(
    ("fault", "label"),
    [
        (Fault.truncated(), "CUT"),
        (Fault.early_end(), "CUT"),
        (Fault.refusal(), "REF"),
        (Fault.wrong_tool_call(), "MPT"),
    ],
    ids=lambda value: getattr(value, "name", value),
)
async def test_what_cannot_be_used_is_sent_back_and_asked_again(fault: Fault, label: str) -> None:
    with StubOpenAI(reply, faults=[None, fault]) as alices, StubOpenAI(reply) as bobs:
        outcome = await play("shapley_coop", room(alices, bobs))
        before, after = (alices.requests[n].body["messages"] for n in (1, 2))
    assert [message["role"] for message in after] == ["system", "user", "assistant", "user"]
    for sent, again in zip(before, after, strict=False):
        assert sent["content"].startswith(again["content"]), "the letter is sent again as it was"
    assert after[3]["content"].startswith(f"**That could not be used** ({label}, this is try 2 of")
    copied = after[2]["content"] != "(no words)"
    assert not (label == "CUT" and copied), "what was cut off would be copied"
    assert await refused(outcome["run"]) == 1
    assert {"Alice": alices.calls, "Bob": bobs.calls} == await asked(outcome)
    assert outcome["status"] == "agreed"
    kept = [e for e in await entries(outcome["run"]) if (e.agent, e.act) == ("Alice", "propose")]
    cuts = {entry.attempt: entry.answer.cut for entry in kept}
    assert cuts == {1: label == "CUT", 2: False}


async def test_an_agent_whose_answers_are_all_cut_passes_and_the_talk_says_why() -> None:
    with StubOpenAI(reply, faults=[Fault.truncated()] * 3) as alices, StubOpenAI(reply) as bobs:
        outcome = await play("negotiation", room(alices, bobs))
    table = await table_of(home().runs.get(outcome["run"]))
    assert table["talk"][0]["by"] == "Alice"
    assert (table["talk"][0]["act"], table["talk"][0]["label"]) == ("pass", "CUT")


async def test_thinking_before_the_answer_is_no_part_of_it() -> None:
    def thinking(messages: list[dict[str, Any]], request: dict[str, Any]) -> str:
        return f"<think>\nWhat <ACTION>door</ACTION> is.\n</think>\n{reply(messages, request)}"

    with StubOpenAI(thinking) as stub:
        outcome = await play("shapley_coop", room(stub))
    assert told(outcome) == told(await embedded())


# Seats that cannot answer


def test_a_missing_key_is_told_by_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    for seat in (
        Seat(model="openai:x"),
        Seat(model="openai:x", base_url="http://models.example/v1"),
    ):
        with pytest.raises(CredentialsMissing, match=r"^openai:x needs OPENAI_API_KEY: set it"):
            check_seat(seat)


async def test_a_key_that_went_missing_during_a_run_is_told_by_its_name(
    stub: StubOpenAI, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = prepare("shapley_coop", room(stub, key_env="OPENAI_API_KEY"))
    monkeypatch.delenv("OPENAI_API_KEY")
    with pytest.raises(CredentialsMissing, match=r"^openai:\w+ needs OPENAI_API_KEY: set it"):
        await follow(run)


@pytest.mark.parametrize(
    ("seat", "complaint"),
    [
        (
            Seat(model="embedded:nobody"),
            "'nobody' is not an embedded character: choose rational",
        ),
        (Seat(model="nowhere:x"), "nowhere:x: "),
        (Seat(model="recording:gone.jsonl"), "gone.jsonl: cannot be read as a recording"),
        (
            Seat(model="nowhere:x", base_url="http://127.0.0.1:1/v1"),
            "nowhere:x: base_url goes with openai:NAME, got nowhere",
        ),
    ],
)
def test_a_seat_that_nobody_can_sit_on_is_refused_in_one_line(seat: Seat, complaint: str) -> None:
    with pytest.raises(ValueError) as fault:  # noqa: PT011
        check_seat(seat)
    assert complaint in str(fault.value)
    assert "\n" not in str(fault.value)
