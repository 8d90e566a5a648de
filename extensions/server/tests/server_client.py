"""What tests ask of a server with langgraph-sdk."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from langgraph_sdk.client import SyncLangGraphClient

from shapley_coop.graphs import names
from tests.served import configuration
from tests.stub_openai import StubOpenAI

GRAPHS: dict[str, dict[str, str]] = configuration()["graphs"]
WORKFLOWS = {name: registered for name, registered in GRAPHS.items() if name in names()}
PUBLIC = ["values", "updates", "messages-tuple", "tasks", "checkpoints", "custom"]


@dataclass
class Watched:
    """A finished run that somebody watched: its thread, and its stream by the kind of part."""

    thread: str
    parts: dict[str, list[Any]]


def together(calls: Sequence[Callable[[], Any]]) -> list[Any]:
    """Make calls side by side; what each of them gave, in their order."""
    with ThreadPoolExecutor(len(calls)) as pool:
        return [call.result() for call in [pool.submit(call) for call in calls]]


def watch(client: SyncLangGraphClient, graph: str, modes: list[Any]) -> Watched:
    """Run a workflow and keep all it streams."""
    options: Any = {"input": {}, "context": {}, "stream_mode": modes, "durability": "sync"}
    run = Watched(client.threads.create()["thread_id"], defaultdict(list))
    for part in client.runs.stream(run.thread, graph, **options):
        run.parts[part.event.partition("|")[0]].append(part.data)
    return run


def play(client: SyncLangGraphClient, graph: str, thread: str = "", **more: Any) -> str:
    """Run a workflow to its end, or to where it is told to stop; gives the thread."""
    thread = thread or client.threads.create()["thread_id"]
    options = {"input": {}, "context": {}, "durability": "sync", **more}
    client.runs.wait(thread, graph, **options)
    return thread


def values(client: SyncLangGraphClient, thread: str) -> dict[str, Any]:
    found = client.threads.get_state(thread)["values"]
    assert isinstance(found, dict)
    return found


def seats(stub: StubOpenAI) -> dict[str, Any]:
    behind = {name: f"openai:{name}" for name in ("Alice", "Bob")}
    return {
        "seats": {n: {"model": model, "base_url": stub.base_url} for n, model in behind.items()}
    }
