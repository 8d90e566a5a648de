"""The stub endpoint, asked by the client that the application uses."""

import asyncio
import operator
import signal
import socket
import subprocess
import sys
import threading
from functools import reduce
from pathlib import Path
from typing import Any

import httpx2
import openai
import pytest
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage
from langchain_openai import ChatOpenAI

from tests.stub_faults import Fault
from tests.stub_openai import StubOpenAI, read_log, stub_process

OFFER = "I will clean three days for a tenth of the apples."


def offer(messages: list[dict[str, Any]], request: dict[str, Any]) -> str:
    return OFFER


def model(base_url: str, **options: Any) -> ChatOpenAI:
    settings = {"max_retries": 0, "timeout": 60.0, "stream_usage": True, **options}
    return ChatOpenAI(base_url=base_url, api_key="sk-canary", model="stub", **settings)


async def ask(chat: ChatOpenAI, way: str) -> AIMessage:
    """Ask by `invoke` or by `astream`, whichever the test is about."""
    if way == "invoke":
        return await asyncio.to_thread(chat.invoke, "hello")
    return reduce(operator.add, [chunk async for chunk in chat.astream("hello")])


def post(base_url: str, body: bytes) -> httpx2.Response:
    return httpx2.post(f"{base_url}/chat/completions", content=body, timeout=60)


def assert_nobody_listens(base_url: str) -> None:
    with pytest.raises(httpx2.ConnectError, match="refused"):
        post(base_url, b"{}")


both_ways = pytest.mark.parametrize("way", ["invoke", "astream"])


# Sound calls


@both_ways
async def test_a_sound_call_gives_the_reply_with_its_usage_and_finish_reason(way: str) -> None:
    with StubOpenAI(offer) as stub:
        said = await ask(model(stub.base_url), way)
    assert said.content == OFFER
    assert said.response_metadata["finish_reason"] == "stop"
    assert said.usage_metadata is not None
    assert said.usage_metadata["input_tokens"] == 1
    assert said.usage_metadata["output_tokens"] == len(OFFER.split()) == 11


async def test_a_stream_comes_in_words_that_add_up_to_the_text_exactly() -> None:
    text = "\n  two  spaces,\ta tab\n\nand an end  \n"
    with StubOpenAI(lambda *_: text) as stub:
        pieces = [chunk.content async for chunk in model(stub.base_url).astream("hello")]
    assert "".join(map(str, pieces)) == text
    assert sum(bool(piece) for piece in pieces) > 5


async def test_a_stream_that_asks_for_no_usage_gets_none() -> None:
    with StubOpenAI(offer) as stub:
        said = await ask(model(stub.base_url, stream_usage=False), "astream")
    assert said.content == OFFER
    assert said.usage_metadata is None


def test_the_reply_sees_the_messages_and_the_whole_request() -> None:
    def reply(messages: list[dict[str, Any]], request: dict[str, Any]) -> str:
        roles = [message["role"] for message in messages]
        return f"{roles} at {request['temperature']}"

    with StubOpenAI(reply) as stub:
        letter = [SystemMessage("be brief"), HumanMessage("hello there")]
        said = model(stub.base_url, temperature=0.5).invoke(letter)
    assert said.content == "['system', 'user'] at 0.5"
    assert said.usage_metadata is not None
    assert said.usage_metadata["input_tokens"] == 4


def test_the_list_of_models_is_served_and_is_no_call() -> None:
    with (
        StubOpenAI() as stub,
        openai.OpenAI(base_url=stub.base_url, api_key="sk-canary") as client,
    ):
        assert [entry.id for entry in client.models.list()] == ["stub"]
    assert stub.calls == 0
    assert [request.path for request in stub.requests] == ["/v1/models"]


@pytest.mark.parametrize("body", [b"not json", b"[]", b'{"model": "stub", "messages": []}'])
def test_what_is_no_chat_request_is_refused_and_recorded(body: bytes) -> None:
    with StubOpenAI(offer) as stub:
        answer = post(stub.base_url, body)
    assert answer.status_code == 400
    assert answer.json()["error"]["type"] == "invalid_request_error"
    assert stub.calls == 1


def test_an_error_in_the_reply_is_raised_where_the_stub_ends() -> None:
    def reply(messages: list[dict[str, Any]], request: dict[str, Any]) -> str:
        raise LookupError("no such line in the script")

    def run() -> None:
        with StubOpenAI(reply) as stub:
            model(stub.base_url, max_retries=3).invoke("hello")

    with pytest.raises(LookupError, match="no such line") as raised:
        run()
    assert isinstance(raised.value.__context__, openai.InternalServerError)


# What is recorded


def test_a_request_is_recorded_without_its_key(tmp_path: Path) -> None:
    log = tmp_path / "calls.jsonl"
    with StubOpenAI(offer, log=log, faults=[None, Fault.bad_key()]) as stub:
        chat = model(stub.base_url)
        chat.invoke("the first")
        with pytest.raises(openai.AuthenticationError):
            chat.invoke("the second")
    first, second = stub.requests
    assert first.key_present
    assert first.body["messages"] == [{"role": "user", "content": "the first"}]
    assert first.headers["content-type"] == "application/json"
    assert (first.fault, second.fault) == (None, "bad_key")
    assert read_log(log) == stub.requests
    assert "sk-canary" not in log.read_text() + repr(stub.requests)


def test_a_request_without_a_key_is_told_apart() -> None:
    with StubOpenAI(offer) as stub:
        post(stub.base_url, b"{}")
    assert not stub.requests[0].key_present


async def test_calls_in_flight_overlap() -> None:
    with StubOpenAI(offer, latency=0.2) as stub:
        chat = model(stub.base_url)
        async with asyncio.timeout(2.0):  # one after the other they would take four seconds
            said = await asyncio.gather(*(chat.ainvoke("hello") for _ in range(20)))
    assert [message.content for message in said] == [OFFER] * 20
    assert stub.calls == 20


# Calls that fail


@both_ways
@pytest.mark.parametrize(
    "fault",
    [
        Fault.rate_limited(0.01),
        Fault.server_error(503, 0.01),
        Fault.server_error(),
        Fault.redirect(),
    ],
    ids=lambda fault: f"{fault.name}-{fault.instead.status}",
)
async def test_a_passing_fault_costs_one_more_call(way: str, fault: Fault) -> None:
    with StubOpenAI(offer, faults=[fault]) as stub:
        said = await ask(model(stub.base_url, max_retries=1), way)
    assert said.content == OFFER
    assert [request.fault for request in stub.requests] == [fault.name, None]


@both_ways
@pytest.mark.parametrize(
    ("fault", "error", "code"),
    [
        (Fault.rate_limited(), openai.RateLimitError, "rate_limit_exceeded"),
        (Fault.out_of_quota(), openai.RateLimitError, "insufficient_quota"),
        (Fault.server_error(), openai.InternalServerError, None),
        (Fault.bad_key(), openai.AuthenticationError, "invalid_api_key"),
        (Fault.context_too_long(), openai.BadRequestError, "context_length_exceeded"),
        (Fault.hang(), openai.APITimeoutError, None),
        (Fault.reset(), openai.APIConnectionError, None),
        (Fault.closed(), openai.APIConnectionError, None),
        (Fault.garbage(), openai.APIConnectionError, None),
        (Fault.half_body(), openai.APIConnectionError, None),
        (Fault.stall(), openai.APITimeoutError, None),
        (Fault.html(), ValueError, None),
        (Fault.empty_body(), ValueError, None),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
async def test_a_fault_fails_its_own_call_and_no_other(
    way: str, fault: Fault, error: type[Exception], code: str | None
) -> None:
    with StubOpenAI(offer, faults=[fault]) as stub:
        impatient = {"timeout": 0.3} if error is openai.APITimeoutError else {}
        with pytest.raises(error) as raised:
            await ask(model(stub.base_url, **impatient), way)
        assert getattr(raised.value, "code", None) == code
        assert (await ask(model(stub.base_url), way)).content == OFFER
    assert [request.fault for request in stub.requests] == [fault.name, None]


def test_advice_to_wait_is_sent_only_if_given() -> None:
    with StubOpenAI(offer, faults=[Fault.rate_limited(7), Fault.rate_limited()]) as stub:
        for advice in ("7", None):
            with pytest.raises(openai.RateLimitError) as raised:
                model(stub.base_url).invoke("hello")
            assert raised.value.response.headers.get("retry-after") == advice


def test_a_call_that_is_refused_does_not_use_up_a_scripted_line() -> None:
    lines = iter(["the first line", "the second line"])
    faults = [Fault.rate_limited(retry_after=0.01), Fault.reset(), None, Fault.html()]
    with StubOpenAI(lambda *_: next(lines), faults=faults) as stub:
        assert model(stub.base_url, max_retries=2).invoke("hello").content == "the first line"
        assert [fault.name for fault in stub.faults if fault] == ["html"]
    assert next(lines) == "the second line"


def test_a_reset_is_one_on_the_wire() -> None:
    with (
        StubOpenAI(offer, faults=[Fault.reset()]) as stub,
        pytest.raises(httpx2.ReadError, match="reset by peer"),
    ):
        post(stub.base_url, b"{}")


@both_ways
async def test_a_drip_outlasts_a_timeout_that_counts_per_read(way: str) -> None:
    with StubOpenAI(offer, faults=[Fault.drip(pause=0.0), Fault.drip(pause=0.02)]) as stub:
        assert (await ask(model(stub.base_url), way)).content == OFFER
        if way == "astream":
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(1.5):
                    await ask(model(stub.base_url, timeout=0.5), way)


# The model misbehaves


@both_ways
async def test_a_truncated_answer_says_so(way: str) -> None:
    with StubOpenAI(offer, faults=[Fault.truncated()]) as stub:
        said = await ask(model(stub.base_url), way)
    assert said.content == OFFER[: len(OFFER) // 2]
    assert said.response_metadata["finish_reason"] == "length"
    assert said.usage_metadata is not None


@both_ways
async def test_an_early_end_looks_like_success_but_for_the_finish_reason(way: str) -> None:
    with StubOpenAI(offer, faults=[Fault.early_end()]) as stub:
        said = await ask(model(stub.base_url), way)
    assert said.content == OFFER[: len(OFFER) // 2]
    assert said.response_metadata.get("finish_reason") is None
    assert (said.usage_metadata is None) == (way == "astream")


async def test_a_refusal_has_no_content_and_is_lost_by_a_stream() -> None:
    with StubOpenAI(offer, faults=[Fault.refusal("I will not haggle.")] * 2) as stub:
        said = model(stub.base_url).invoke("hello")
        whole = await ask(model(stub.base_url), "astream")
    assert (said.content, said.additional_kwargs["refusal"]) == ("", "I will not haggle.")
    # langchain-openai drops a streamed refusal: what is left looks like a sound, empty answer.
    assert (whole.content, whole.additional_kwargs.get("refusal")) == ("", None)
    assert whole.response_metadata["finish_reason"] == "stop"


def test_a_streamed_refusal_is_on_the_wire() -> None:
    with (
        StubOpenAI(offer, faults=[Fault.refusal("I will not haggle.")]) as stub,
        openai.OpenAI(base_url=stub.base_url, api_key="sk-canary") as client,
        client.chat.completions.create(
            model="stub", messages=[{"role": "user", "content": "hello"}], stream=True
        ) as chunks,
    ):
        deltas = [chunk.choices[0].delta for chunk in chunks]
    assert "".join(delta.refusal or "" for delta in deltas) == "I will not haggle."


@both_ways
async def test_a_fence_stands_around_the_text(way: str) -> None:
    with StubOpenAI(lambda *_: '{"clauses": []}', faults=[Fault.fenced()]) as stub:
        said = await ask(model(stub.base_url), way)
    assert said.content == '```json\n{"clauses": []}\n```'


@both_ways
async def test_a_wrong_tool_call_names_a_tool_that_nobody_offered(way: str) -> None:
    with StubOpenAI(offer, faults=[Fault.wrong_tool_call("launch", '{"at": 3}')]) as stub:
        said = await ask(model(stub.base_url), way)
    assert said.content == ""
    (call,) = said.tool_calls
    assert (call["name"], call["args"]) == ("launch", {"at": 3})
    assert said.response_metadata["finish_reason"] == "tool_calls"


# The end, the client's or the server's own


async def test_nothing_is_left_behind_even_by_calls_that_hang() -> None:
    before = set(threading.enumerate())
    with StubOpenAI(offer, faults=[Fault.hang(), Fault.drip(pause=60)], latency=0.01) as stub:
        chat = model(stub.base_url)
        calls = [asyncio.create_task(chat.ainvoke("hello")) for _ in range(2)]
        await asyncio.to_thread(stub.wait_for_calls, 2)
    ended = await asyncio.gather(*calls, return_exceptions=True)
    assert all(isinstance(error, openai.APIConnectionError) for error in ended)
    left = set(threading.enumerate()) - before
    assert not [thread.name for thread in left if not thread.name.startswith("asyncio_")]
    assert_nobody_listens(stub.base_url)


def test_waiting_for_a_call_that_never_comes_ends() -> None:
    with StubOpenAI() as stub, pytest.raises(TimeoutError, match="0 of 1 calls"):
        stub.wait_for_calls(1, timeout=0.01)


def test_a_port_that_is_taken_is_an_error() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(OSError, match="in use"), StubOpenAI(port=port):
            pass


def test_a_killed_client_leaves_its_calls_counted_and_the_stub_serving() -> None:
    client = """if True:
        import sys, urllib.request
        body = b'{"model": "stub", "messages": [{"role": "user", "content": "hello"}]}'
        while True:
            urllib.request.urlopen(sys.argv[1] + "/chat/completions", data=body).read()
    """
    with StubOpenAI(offer, faults=[None, None, Fault.hang()]) as stub:
        with subprocess.Popen([sys.executable, "-c", client, stub.base_url]) as process:
            stub.wait_for_calls(3)
            process.kill()
        assert process.returncode == -signal.SIGKILL
        assert stub.calls == 3
        assert model(stub.base_url).invoke("hello").content == OFFER


FAULTS = [Fault.rate_limited(retry_after=0.01)]


def test_a_stub_in_its_own_process_logs_every_call(tmp_path: Path) -> None:
    log = tmp_path / "calls.jsonl"
    here = "tests.test_stub_openai"
    options = ["--log", str(log), "--reply", f"{here}:offer", "--faults", f"{here}:FAULTS"]
    with stub_process(*options) as base_url:
        assert model(base_url, max_retries=1).invoke("hello").content == OFFER
        assert [request.fault for request in read_log(log)] == ["rate_limited", None]
    assert_nobody_listens(base_url)
