"""The stub endpoint, asked by the client that the application uses."""

import asyncio
import threading
from pathlib import Path
from typing import Any

import httpx2
import openai
import pytest
from langchain_openai import ChatOpenAI

from tests.stub_faults import Fault
from tests.stub_openai import StubOpenAI, read_log, stub_process

OFFER = "I will clean three days for a tenth of the apples."


def offer(messages: list[dict[str, Any]], request: dict[str, Any]) -> str:
    return OFFER


def model(base_url: str, **options: Any) -> ChatOpenAI:
    settings = {"max_retries": 0, "timeout": 300.0, "stream_usage": True, **options}
    return ChatOpenAI(base_url=base_url, api_key="sk-canary", model="stub", **settings)


def post(base_url: str, body: bytes) -> httpx2.Response:
    return httpx2.post(f"{base_url}/chat/completions", content=body, timeout=300)


def assert_nobody_listens(base_url: str) -> None:
    with pytest.raises(httpx2.ConnectError, match="refused"):
        post(base_url, b"{}")


def test_an_error_in_the_reply_is_raised_where_the_stub_ends() -> None:
    def reply(messages: list[dict[str, Any]], request: dict[str, Any]) -> str:
        raise LookupError("no such line in the script")

    def run() -> None:
        with StubOpenAI(reply) as stub:
            model(stub.base_url, max_retries=3).invoke("hello")

    with pytest.raises(LookupError, match="no such line") as raised:
        run()
    assert isinstance(raised.value.__context__, openai.InternalServerError)


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


FAULTS = [Fault.rate_limited(retry_after=0.01)]


@pytest.mark.slow
def test_a_stub_in_its_own_process_logs_every_call(tmp_path: Path) -> None:
    log = tmp_path / "calls.jsonl"
    here = "tests.house.test_stub_openai"
    options = ["--log", str(log), "--reply", f"{here}:offer", "--faults", f"{here}:FAULTS"]
    with stub_process(*options) as base_url:
        assert model(base_url, max_retries=1).invoke("hello").content == OFFER
        assert [request.fault for request in read_log(log)] == ["rate_limited", None]
    assert_nobody_listens(base_url)
