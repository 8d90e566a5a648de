"""What an endpoint does wrong: each fault in words of its own with its mend, and within bounds."""

import gzip
import json
import re
import zlib
from collections.abc import AsyncIterator
from uuid import uuid4

import httpx2
import pytest

from shapley_coop.graphs.running import play
from shapley_coop.seats import http
from shapley_coop.seats.asking import Enquiry, ask
from shapley_coop.seats.clients import clients
from shapley_coop.seats.faults import AnswerTooLarge
from shapley_coop.seats.letters import Letter
from shapley_coop.seats.models import RETRIES, chat_model
from shapley_coop.seats.records import Answer
from shapley_coop.seats.seat import Seat, SeatError
from shapley_coop.seats.usage import count_tokens
from shapley_coop.state.run_config import RunConfig
from shapley_coop.state.storage.home import home
from tests.proofs.every_fault import completion, every_fault, instead
from tests.seats.sick_endpoints import sick
from tests.stub_faults import Answer as StubAnswer
from tests.stub_faults import Fault
from tests.stub_openai import StubOpenAI

KEY = "sk-canary-2718281828"
ANSWERED = {
    *("early end", "truncated", "refusal", "filtered", "fenced", "wrong tool call"),
    *("absurd usage", "megabytes"),
}
"""Faults after which there is an answer, sound or not."""

TIMED = {"hang", "half a body and a hang", "drip"}
"""Faults that end by a clock, which `test_openai_seat` holds; here it is short."""

ALIKE = (
    {"429, come back soon", "429, come back some time"},
    {"307, here again", "307, to another host"},
    TIMED,
)
"""Faults that the client alone can tell apart: the mend is the same."""


@pytest.fixture(autouse=True)
def _a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


async def heard(fault: Fault, patience: float = 60) -> tuple[Answer | str, str]:
    """The answer, or why there is none; and the base URL."""
    with StubOpenAI(lambda *_: "<s>Fine.</s><ACCEPT>", faults=[fault] * 3) as stub:
        seat = Seat(model="openai:Alice", base_url=stub.base_url, timeout=patience)
        question = Enquiry(uuid4().hex, "Alice", "reason", Letter("A letter.", "Its facts."))
        try:
            async with clients():
                entry, _ = await ask(seat, 0, question, home().journal)
        except SeatError as error:
            return str(error).partition("did not answer: ")[2], stub.base_url
        return entry.answer, stub.base_url


def without(words: str, url: str) -> str:
    return re.sub(r"[\d.]+ s\b", "N s", words.replace(url, "URL"))


@pytest.mark.slow
async def test_every_fault_has_words_and_a_mend_of_its_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # How long a client waits between tries is not what is shown here.
    monkeypatch.setattr("openai._base_client.BaseClient._calculate_retry_timeout", lambda *_: 0.0)
    told: dict[str, str] = {}
    for name, fault in every_fault(KEY).items():
        if name in ANSWERED:
            continue
        found, url = await heard(fault, patience=0.3 if name in TIMED else 60)
        assert isinstance(found, str), name
        assert ";" in found, f"{name}: {found} names no mend"
        assert KEY not in found
        assert "letter." not in found
        assert "\n" not in found
        if name.startswith("307") or name == "HTML":
            assert f"base URL, now {url}" in found
        told[name] = without(found, url)
    kinds: dict[str, list[str]] = {}
    for name, words in told.items():
        kinds.setdefault(words.partition("; ")[2] or words, []).append(name)
    same = [names for names in kinds.values() if len(names) > 1]
    assert [names for names in same if not any(set(names) <= kind for kind in ALIKE)] == []


async def test_a_filter_is_no_length_and_a_refusal_is_told_as_one() -> None:
    faults = every_fault(KEY)
    ended = {name: (await heard(faults[name]))[0] for name in ("filtered", "refusal", "truncated")}
    assert {n: (a.cut, a.withheld) for n, a in ended.items() if isinstance(a, Answer)} == {
        "filtered": (False, "filtered"),
        "refusal": (False, "refused"),
        "truncated": (True, ""),
    }


@pytest.mark.parametrize(("withheld", "label"), [("refused", "REF"), ("filtered", "FIL")])
async def test_what_was_withheld_is_asked_for_again_with_its_own_label(
    withheld: str, label: str
) -> None:
    fault = every_fault(KEY)["refusal" if withheld == "refused" else "filtered"]
    with StubOpenAI(lambda *_: "<ACCEPT>", faults=[fault] * 50) as stub:
        seats = {"*": {"model": "openai:Alice", "base_url": stub.base_url}}
        await play("negotiation", RunConfig.model_validate({"seats": seats}), "declined")
        again = stub.requests[-1].body["messages"]
    assert f"({label}, this is try" in str(again)
    from shapley_coop.graphs.threads import table_of

    table = await table_of(home().runs.get("declined"))
    assert {said["label"] for said in table["talk"]} == {label}
    entries = list(home().journal.entries(table["episode"]))
    assert {entry.answer.withheld for entry in entries} == {withheld}


# Answers have a size


class Endless(httpx2.AsyncByteStream):
    """A body without an end, which counts what was taken of it."""

    def __init__(self, chunk: bytes) -> None:
        self.chunk, self.taken = chunk, 0

    async def __aiter__(self) -> AsyncIterator[bytes]:
        while True:
            self.taken += len(self.chunk)
            yield self.chunk


async def read(stream: httpx2.AsyncByteStream, encoding: str, events: bool) -> int:
    """How much was told before it was enough."""
    told = 0
    try:
        async for chunk in http.Bounded(stream, encoding, events):
            told += len(chunk)
    except AnswerTooLarge:
        return told
    raise AssertionError("it was never enough")


@pytest.mark.parametrize("chunk", [b"data: {}\n\n", b"x" * 9_000])
@pytest.mark.parametrize("events", [False, True])
async def test_an_endless_body_is_read_to_the_bound(
    chunk: bytes, events: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("LARGEST_BODY", "LARGEST_STREAM", "LARGEST_EVENT"):
        monkeypatch.setattr(http, name, 1 << 20)
    body = Endless(chunk)
    assert await read(body, "identity", events) <= 1 << 20
    assert body.taken <= (1 << 20) + len(chunk)


async def test_an_event_without_an_end_is_refused_before_a_stream_of_many() -> None:
    assert await read(Endless(b"x" * 16_000), "", True) <= 8 << 20
    many = Endless(b"data: {}\n" * 1_000)
    assert 60 << 20 < await read(many, "", True) <= 64 << 20


@pytest.mark.parametrize(("encoding", "bits"), [("gzip", 31), ("deflate", 15)])
async def test_a_small_body_that_unpacks_to_gigabytes_is_unpacked_to_the_bound(
    encoding: str, bits: int
) -> None:
    machine = zlib.compressobj(9, wbits=bits)
    bomb = b"".join([*(machine.compress(bytes(1 << 20)) for _ in range(200)), machine.flush()])
    assert len(bomb) < 1 << 20

    class Once(httpx2.AsyncByteStream):
        async def __aiter__(self) -> AsyncIterator[bytes]:
            yield bomb

    assert await read(Once(), encoding, False) == 0, "not a byte more than may be is told"


async def test_over_http_a_bomb_and_a_large_body_end_in_one_line_and_gzip_is_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("openai._base_client.BaseClient._calculate_retry_timeout", lambda *_: 0.0)
    bomb = gzip.compress(b'{"id": "' + b"x" * (40 << 20))
    for body, head in ((bomb, {"Content_Encoding": "gzip"}), (b" " * (17 << 20), {})):
        found, url = await heard(instead("large", body, **head))
        assert f"larger than 16 MB; set max_tokens, or look what answers at {url}" in str(found)
    packed = instead("packed", gzip.compress(completion()), Content_Encoding="gzip")
    answer, _ = await heard(packed)
    assert isinstance(answer, Answer)
    assert answer.text == "<s>Fine.</s><ACCEPT>"
    strange, _ = await heard(instead("br", completion(), Content_Encoding="br"))
    assert "not compressed as it says" in str(strange)


@pytest.mark.parametrize(
    ("status", "code", "words", "told"),
    [
        (400, "exceed_context_size_error", "too big", r"letter \(about \d+ tokens\) too long"),
        (400, None, "This model's maximum context length is 4096 tokens.", "too long for the"),
        (500, None, "the request exceeds the available context size", "set recall"),
        (429, None, "Too many tokens, please wait before trying again.", "rate limit"),
        (400, None, "Conversation roles: System role not supported", "set `system` of the seat"),
    ],
)
async def test_what_an_endpoint_has_against_the_letter_is_known_by_its_words(
    status: int, code: str | None, words: str, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("openai._base_client.BaseClient._calculate_retry_timeout", lambda *_: 0.0)
    refusal = StubAnswer.of_error(status, "invalid_request_error", code, words)
    found, _ = await heard(Fault("refusal", instead=refusal))
    assert re.search(told, str(found))
    assert words not in str(found)


async def test_an_endpoint_that_refuses_bounds_is_asked_without_them() -> None:
    words = "Invalid schema for response_format: 'maxLength' is not permitted."
    refusal = StubAnswer.of_error(400, "invalid_request_error", None, words)
    letter = Letter("A letter.", "Its facts.", {"ask": "claim"})
    given = json.dumps({"thoughts": "", "speech": None, "percent": "40", "notes": None})
    with StubOpenAI(lambda *_: given, faults=[Fault("refusal", instead=refusal)]) as stub:
        seat = Seat(model="openai:Alice", base_url=stub.base_url, answers="schema")
        async with clients():
            for number in (1, 2):
                question = Enquiry(f"e{number}", "Alice", "claim", letter)
                entry, _ = await ask(seat, 0, question, home().journal)
                assert "<CLAIM>40" in entry.answer.text
        bounded = ["maxLength" in json.dumps(one.body) for one in stub.requests]
    assert bounded == [True, False, False]


async def test_a_connection_that_is_refused_is_not_called_a_time_out() -> None:
    with sick("refused") as url:
        seat = Seat(model="openai:Alice", base_url=url)
        question = Enquiry("e", "Alice", "reason", Letter("A letter.", "Its facts."))
        async with clients():
            with pytest.raises(SeatError, match="nothing can be reached at") as refused:
                await ask(seat, 0, question, home().journal)
    assert "Timeout" not in str(refused.value)


async def test_a_seat_without_system_messages_is_sent_the_rules_in_the_letter() -> None:
    with StubOpenAI(lambda *_: "Fine.") as stub:
        seat = Seat(model="openai:Alice", base_url=stub.base_url, system=False)
        question = Enquiry("e", "Alice", "reason", Letter("The rules.", "Its facts."))
        async with clients():
            await ask(seat, 0, question, home().journal)
        sent = stub.requests[0].body["messages"]
    assert [one["role"] for one in sent] == ["user"]
    assert sent[0]["content"].startswith("The rules.\n\nIts facts.")


async def test_an_answer_that_takes_long_is_waited_for_and_not_begun_anew() -> None:
    seat = Seat(model="openai:Alice", base_url="http://127.0.0.1:9", timeout=7)
    assert chat_model(seat, agent="Alice", seed=0).request_timeout == 7 * (RETRIES + 1)


# Usage


@pytest.mark.parametrize(
    "usage",
    [
        None,
        {},
        {"prompt_tokens": -5, "completion_tokens": -7, "total_tokens": -12},
        {"prompt_tokens": float("nan"), "completion_tokens": float("nan"), "total_tokens": 0},
        {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0},
        {"prompt_tokens": None, "completion_tokens": None, "total_tokens": None},
    ],
)
async def test_usage_that_is_missing_or_cannot_be_is_estimated(usage: object) -> None:
    answer, _ = await heard(instead("usage", completion(usage=usage)))
    assert isinstance(answer, Answer)
    assert answer.input_tokens >= len("A letter.Its facts.") // 4
    assert answer.output_tokens >= len("<s>Fine.</s><ACCEPT>") // 4


def test_an_estimate_is_not_below_what_tokenizers_count() -> None:
    assert count_tokens({}, "word " * 300, "字" * 100) >= (300, 100)
    assert count_tokens({"input_tokens": True, "output_tokens": 10**30}, "", "") == (1, 2**31 - 1)


@pytest.mark.parametrize("usage", [None, {"prompt_tokens": -9, "completion_tokens": -9}])
async def test_a_budget_of_tokens_ends_a_run_whose_endpoint_counts_none(usage: object) -> None:
    faults = [instead("uncounted", completion(usage=usage))] * 100
    with StubOpenAI(faults=faults) as stub:
        seats = {"*": {"model": "openai:Alice", "base_url": stub.base_url}}
        given = {"seats": seats, "rounds": 50, "budget": {"tokens": 2_000}}
        outcome = await play("negotiation", RunConfig.model_validate(given))
    assert 0 < stub.calls <= 4
    assert outcome["usage"]["input_tokens"] + outcome["usage"]["output_tokens"] >= 2_000
