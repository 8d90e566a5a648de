"""Runs of a real server that is traced: found, scored and linked, and unhurt by any endpoint."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from extensions.server.tests.server_client import play, values
from tests.background import in_background
from tests.seats.langsmith_capture import Capture
from tests.seats.sick_endpoints import SICK, sick
from tests.server_process import Server
from tests.waiting import wait_for

pytestmark = pytest.mark.slow


def traced_to(folder: Path, endpoint: str) -> Server:
    """A server that is traced to an endpoint, not yet started."""
    given = {"LANGSMITH_TRACING": "true", "LANGSMITH_ENDPOINT": endpoint}
    return Server(folder, **given, LANGSMITH_API_KEY="key")


@pytest.fixture(scope="module")
def langsmith() -> Iterator[Capture]:
    capture = Capture()
    with in_background(capture.server):
        yield capture


@pytest.fixture(scope="module")
def server(langsmith: Capture, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with traced_to(tmp_path_factory.mktemp("traced"), langsmith.url) as running:
        yield running


def test_a_trace_is_labelled_scored_and_linked(server: Server, langsmith: Capture) -> None:
    client = server.client()
    thread = play(client, "shapley_coop", input={"room": {"seed": 3}})
    link = wait_for("the link", lambda: client.threads.get(thread)["metadata"].get("trace"))
    root = re.search(r"/r/([0-9a-f-]+)", str(link))
    assert root, link
    wait_for("the trace's end", lambda: langsmith.runs().get(root[1], {}).get("outputs"))
    metadata = langsmith.runs()[root[1]]["extra"]["metadata"]
    assert (metadata["game"], metadata["seed"], metadata["graph"]) == (
        "escape_room",
        3,
        "shapley_coop",
    )
    assert metadata["episode"] == values(client, thread)["episode"]
    assert metadata["thread_id"] == thread
    scored = wait_for("the scores", langsmith.feedback)
    given = [one for one in scored if one["trace_id"] == root[1]]
    assert {one["session_id"] for one in given} == {langsmith.project["id"]}
    assert {one["key"]: one["score"] for one in given}["social_welfare"] == 9
    assert f"Trace of thread {thread}" in server.log()


@pytest.mark.parametrize("kind", SICK)
def test_runs_end_and_the_server_stops_whatever_the_endpoint_does(
    kind: str, tmp_path: Path
) -> None:
    with sick(kind) as endpoint:
        server = traced_to(tmp_path, endpoint).start()
        client = server.client()
        threads = [play(client, "shapley_coop", input={"room": {"seed": n}}) for n in range(3)]
        assert [values(client, one)["status"] for one in threads] == ["agreed"] * 3
        server.stop()
        assert "Traceback" not in server.log()
