"""The stub endpoint, asked by the client that the application uses."""

import asyncio
import operator
import signal
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
    settings = {"max_retries": 0, "timeout": 300.0, "stream_usage": True, **options}
    return ChatOpenAI(base_url=base_url, api_key="sk-canary", model="stub", **settings)


async def ask(chat: ChatOpenAI, way: str) -> AIMessage:
    """Ask by `invoke` or by `astream`, whichever the test is about."""
    if way == "invoke":
        return await asyncio.to_thread(chat.invoke, "hello")
    return reduce(operator.add, [chunk async for chunk in chat.astream("hello")])


def post(base_url: str, body: bytes) -> httpx2.Response:
    return httpx2.post(f"{base_url}/chat/completions", content=body, timeout=300)


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


# Calls that fail


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        (Fault.rate_limited(), openai.RateLimitError),
        (Fault.reset(), openai.APIConnectionError),
        (Fault.garbage(), openai.APIConnectionError),
        (Fault.half_body(), openai.APIConnectionError),
        (Fault.html(), ValueError),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
async def test_a_fault_fails_its_own_call_and_no_other(
    fault: Fault, error: type[Exception]
) -> None:
    with StubOpenAI(offer, faults=[fault]) as stub:
        with pytest.raises(error):
            await ask(model(stub.base_url), "invoke")
        assert (await ask(model(stub.base_url), "invoke")).content == OFFER
    assert [request.fault for request in stub.requests] == [fault.name, None]


def test_a_call_that_is_refused_does_not_use_up_a_scripted_line() -> None:
    lines = iter(["the first line", "the second line"])
    faults = [Fault.rate_limited(retry_after=0.01), Fault.reset(), None, Fault.html()]
    with StubOpenAI(lambda *_: next(lines), faults=faults) as stub:
        assert model(stub.base_url, max_retries=2).invoke("hello").content == "the first line"
        assert [fault.name for fault in stub.faults if fault] == ["html"]
    assert next(lines) == "the second line"


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
    here = "tests.house.test_stub_openai"
    options = ["--log", str(log), "--reply", f"{here}:offer", "--faults", f"{here}:FAULTS"]
    with stub_process(*options) as base_url:
        assert model(base_url, max_retries=1).invoke("hello").content == OFFER
        assert [request.fault for request in read_log(log)] == ["rate_limited", None]
    assert_nobody_listens(base_url)
