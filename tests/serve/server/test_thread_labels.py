"""The labels of the server's threads: when each of them is told."""

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

from shapley_coop.serve.server import labels

TABLE: dict[str, Any] = {"settings": {"game": "escape_room", "seed": 1}, "status": "open"}
SIGNED = {**TABLE, "contract": {"hash": "abc"}}


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> "asyncio.Queue[dict[str, Any]]":
    """What the server is told, as it is told."""
    heard: asyncio.Queue[dict[str, Any]] = asyncio.Queue()

    async def update(thread: str, *, metadata: dict[str, Any]) -> None:
        heard.put_nowait(metadata)

    client = SimpleNamespace(threads=SimpleNamespace(update=update))
    monkeypatch.setattr(labels, "inside", lambda: client)
    return heard


async def test_a_contract_is_told_with_the_end_that_follows_soon(
    told: "asyncio.Queue[dict[str, Any]]",
) -> None:
    await labels.label("t", TABLE, ["settings", "status", "contract"])
    await labels.label("t", SIGNED, ["contract", "talk"])
    await labels.label("t", SIGNED, ["talk"])
    await labels.label("t", {**SIGNED, "status": "agreed"}, ["status"])
    opened, ended = told.get_nowait(), told.get_nowait()
    assert (opened["status"], opened["contract"]) == ("open", None)
    assert (ended["status"], ended["contract"]) == ("agreed", "abc")
    assert told.empty()
    assert not labels._late


async def test_a_contract_is_told_alone_where_no_end_follows(
    told: "asyncio.Queue[dict[str, Any]]", monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(labels, "SOON", 0.0)
    await labels.label("t", SIGNED, ["contract"])
    signed = await told.get()
    assert (signed["status"], signed["contract"]) == ("open", "abc")
    assert not labels._late
