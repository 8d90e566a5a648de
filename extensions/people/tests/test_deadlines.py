"""A person who does not reply in time passes; who replies wrongly gains none."""

import asyncio
import time
from typing import Any

import httpx
import pytest

from shapley_coop.extensions.people import deadlines
from shapley_coop.extensions.server.serving import in_process
from shapley_coop.graphs.preparing import prepare
from shapley_coop.graphs.running import Waiting, follow
from shapley_coop.seats.records import Mail, overdue
from shapley_coop.state.run_config import RunConfig
from shapley_coop.state.storage.home import home
from tests.coop_command import Coop

ALICE = {"seats": {"*": "embedded:rational", "Alice": "human"}, "seed": 3}


def waiting_run(deadline: float) -> Any:
    return prepare(
        "negotiation", RunConfig.model_validate({**ALICE, "deadline": deadline}), "people"
    )


async def test_without_a_deadline_a_person_is_waited_for() -> None:
    run = waiting_run(0)
    for _ in range(2):
        with pytest.raises(Waiting, match="Alice"):
            await follow(run)


async def test_within_the_deadline_a_person_is_waited_for_and_told_how_long() -> None:
    with pytest.raises(Waiting, match="Alice"):
        await follow(waiting_run(3600))


async def test_after_the_deadline_every_letter_is_a_pass_and_the_run_ends() -> None:
    outcome = await follow(waiting_run(1e-9))
    assert outcome["status"] == "no_deal"
    assert outcome["spending"]["negotiation"]["Alice"]["calls"] > 0


async def test_a_restart_and_a_wrong_reply_do_not_set_the_clock_back() -> None:
    run, asked = waiting_run(3600), []

    def wrong(mail: Mail) -> str:
        asked.append(mail)
        if len(asked) == 3:
            raise KeyboardInterrupt
        return "This is no message."

    for _ in range(2):
        with pytest.raises((KeyboardInterrupt, Waiting)):
            await follow(run, person=wrong if not asked else None)
    assert [mail.attempt for mail in asked] == [1, 2, 3]
    assert len({mail.since for mail in asked}) == 1


def test_the_command_line_takes_a_deadline(coop: Coop) -> None:
    people = ("--agent", "Alice=human", "--graph", "llm_only", "--json")
    ended = coop("run", "escape_room", *people, "--deadline", "0.000001")
    assert ended.result["status"] == "no_deal"
    assert home().runs.list()[0].state == "ended"


class Server:
    """A server's threads, as its own client sees them."""

    def __init__(self, *untils: float | None) -> None:
        self.threads = self.runs = self
        self.resumed: list[dict[str, Any]] = []
        self._asked = [{"id": f"i{n}", "value": {"deadline": u}} for n, u in enumerate(untils)]

    async def search(self, **_: Any) -> list[dict[str, Any]]:
        metadata = {"assistant_id": "a"}
        interrupts = {"task": self._asked}
        return [{"thread_id": "t", "metadata": metadata, "interrupts": interrupts}]

    async def create(self, thread: str, assistant: str, **given: Any) -> None:
        assert (thread, assistant, given["multitask_strategy"]) == ("t", "a", "reject")
        self.resumed.append(given["command"]["resume"])


def test_the_server_passes_for_those_whose_time_is_up_and_for_nobody_else(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = time.time()
    server = Server(now - 1, now + 60, None)
    monkeypatch.setattr(in_process, "inside", lambda: server)
    assert asyncio.run(deadlines.pass_overdue(now)) == 1
    assert server.resumed == [{"i0": {"type": "ignore"}}]
    assert not overdue({}, now)


class Shared:
    """A server's waiting threads, of which one request is shown so many at most."""

    def __init__(self, *threads: dict[str, Any]) -> None:
        self.threads = self.runs = self
        self.resumed: list[str] = []
        until = {"task": [{"id": "i", "value": {"deadline": 1.0}}]}
        self._waiting = [{"interrupts": until, **thread} for thread in threads]

    async def search(self, *, limit: int, offset: int, **_: Any) -> list[dict[str, Any]]:
        return self._waiting[offset : offset + limit]

    async def create(self, thread: str, assistant: str, **_: Any) -> None:
        if assistant == "deleted":
            request = httpx.Request("POST", "http://here")
            raise httpx.HTTPStatusError("gone", request=request, response=httpx.Response(404))
        self.resumed.append(thread)


def waiting(owner: str, *names: str, assistant: str | None = "a") -> list[dict[str, Any]]:
    about = {"owner": owner} | ({"assistant_id": assistant} if assistant else {})
    return [{"thread_id": name, "metadata": about} for name in names]


def test_a_tenants_thread_that_cannot_go_on_stops_nobody_elses_deadline(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    odd = {"task": [{"id": "i", "value": {"deadline": "soon"}}]}
    server = Shared(
        *waiting("ann", "gone", assistant="deleted"),
        *waiting("ann", "without", assistant=None),
        {**waiting("ann", "odd")[0], "interrupts": odd},
        *waiting("bob", "b"),
    )
    monkeypatch.setattr(in_process, "inside", lambda: server)
    for _ in range(2):
        assert asyncio.run(deadlines.pass_overdue(2.0)) == 1
    assert server.resumed == ["b", "b"]
    said = [record.getMessage() for record in caplog.records]
    assert [line.split()[1] for line in said] == ["gone", "without", "odd"], "each is told once"


def test_the_many_threads_of_one_tenant_hide_no_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COOP_AUTH_TOKENS", "any")
    monkeypatch.setattr(in_process, "AT_ONCE", 10)
    many = [f"a{n}" for n in range(25)]
    server = Shared(*waiting("ann", *many), *waiting("bob", "b0", "b1"))
    monkeypatch.setattr(in_process, "inside", lambda: server)
    assert asyncio.run(deadlines.pass_overdue(2.0)) == 27
    assert server.resumed[:5] == ["a0", "b0", "a1", "b1", "a2"]
