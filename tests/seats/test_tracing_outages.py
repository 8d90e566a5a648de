"""Telemetry never hurts: whatever LangSmith's endpoint does, the run is played, told and paid."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from shapley_coop.extensions.sweeps.folders import read_rows
from shapley_coop.seats.tracing import DOUBT, PATIENCE
from tests.evals.swept import SUITE
from tests.root import ROOT
from tests.seats.langsmith_capture import Capture, langsmith
from tests.seats.sick_endpoints import SICK, sick

__all__ = ["langsmith"]

_WATCHED = """
import atexit, json, os, socket, sys, threading
from concurrent.futures.thread import _threads_queues as pooled
import langsmith

connecting, waits = [], []
connect, flush = socket.socket.connect, langsmith.Client.flush

def watched_connect(self, address):
    connecting.append(threading.current_thread() is threading.main_thread())
    return connect(self, address)

def watched_flush(self, timeout=None):
    waits.append(timeout)
    return flush(self, timeout)

def tell():
    with open(os.environ["WATCHED"], "w") as file:
        json.dump({"connecting": connecting, "waits": waits, "joined": joined()}, file)

def joined():
    threads = set(threading.enumerate()) - {threading.main_thread()}
    return [t.name for t in threads if not t.daemon or t in pooled]

socket.socket.connect, langsmith.Client.flush = watched_connect, watched_flush
atexit.register(tell)  # runs after all that is registered later
from shapley_coop.seats import feedback
link_to = feedback.link_to

def watched_link(trace, sent=None, within=0.0):
    waits.append(within)
    return link_to(trace, sent, within)

feedback.link_to = watched_link
from shapley_coop import cli
sys.argv[0] = "coop"
cli.main()
"""
MOST_WAITED = 3.0
"""Seconds that tracing may add to a command, whatever the endpoint does."""


class Told(NamedTuple):
    """How a command ended, and what it waited for."""

    code: int
    out: str
    err: str
    watched: dict[str, Any]


def coop(folder: Path, endpoint: str, *arguments: str, **environment: str) -> Told:
    """A command in a process of its own, traced to an endpoint."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("LANGSMITH", "LANGCHAIN"))}
    told = {
        "LANGSMITH_TRACING": "true",
        "LANGSMITH_ENDPOINT": endpoint,
        "LANGSMITH_API_KEY": "key",
        "COOP_HOME": str(folder / "home"),
        "WATCHED": str(folder / "watched.json"),
    }
    done = subprocess.run(
        [sys.executable, "-c", _WATCHED, *arguments],
        cwd=ROOT,
        env={**kept, **told, **environment},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    watched = json.loads((folder / "watched.json").read_text(encoding="utf-8"))
    return Told(done.returncode, done.stdout, done.stderr, watched)


def check_unhurt(told: Told) -> None:
    """It did all it should, no request was made on its way."""
    assert told.code == 0, told.err
    assert told.watched["connecting"], "it was traced"
    assert not any(told.watched["connecting"]), "the command itself never waits for the endpoint"
    assert told.watched["joined"] == []
    assert "Traceback" not in told.err


@pytest.mark.slow
@pytest.mark.parametrize("kind", SICK)
def test_a_run_is_told_and_paid(kind: str, tmp_path: Path) -> None:
    with sick(kind) as endpoint:
        told = coop(tmp_path, endpoint, "run", "escape_room", "--seed", "3", "--json")
    check_unhurt(told)
    link, end = told.watched["waits"]
    assert link == pytest.approx(PATIENCE, abs=0.1), "the trace's link is waited for"
    assert end == DOUBT
    assert PATIENCE + DOUBT <= MOST_WAITED
    assert json.loads(told.out)["payoffs"] == {"Alice": 4.5, "Bob": 4.5}
    assert "LangSmith has not answered: the trace may be incomplete" in told.err


@pytest.mark.slow
@pytest.mark.parametrize("kind", SICK)
@pytest.mark.parametrize("command", ["sweep", "eval"])
def test_a_sweep_and_an_evaluation_play_every_cell(command: str, kind: str, tmp_path: Path) -> None:
    (tmp_path / "mini.yaml").write_text(SUITE, encoding="utf-8")
    given = [command, str(tmp_path / "mini.yaml"), "--seeds", "0-1", "-o", str(tmp_path / "out")]
    with sick(kind) as endpoint:
        told = coop(tmp_path, endpoint, *given)
    check_unhurt(told)
    assert told.watched["waits"] == [DOUBT]
    assert len(read_rows(tmp_path / "out")) == 8


@pytest.mark.slow
@pytest.mark.parametrize("kind", SICK)
def test_an_upload_that_cannot_be_made_loses_no_score(kind: str, tmp_path: Path) -> None:
    (tmp_path / "mini.yaml").write_text(SUITE, encoding="utf-8")
    out = ["--seeds", "0", "-o", str(tmp_path / "out"), "--upload", "--json"]
    with sick(kind) as endpoint:
        told = coop(tmp_path, endpoint, "eval", str(tmp_path / "mini.yaml"), *out)
    assert told.code == 2
    scored = json.loads(told.out)
    assert scored["uploaded"] == []
    assert scored["conditions"]["shapley_coop"]["social_welfare"]["n"] == 1
    assert f"LangSmith at {endpoint}" in told.err
    assert "nothing was uploaded" in told.err


@pytest.mark.slow
def test_a_run_that_is_traced_says_where(langsmith: Capture, tmp_path: Path) -> None:
    told = coop(tmp_path, langsmith.url, "run", "escape_room", "--seed", "3", "--json")
    check_unhurt(told)
    (root,) = [run for run, one in langsmith.runs().items() if not one.get("parent_run_id")]
    project = langsmith.project["id"]
    assert f"/projects/p/{project}/r/{root}" in told.err
    given = {one["key"]: one for one in langsmith.feedback()}
    assert given["social_welfare"]["score"] == 9
    assert {(one["trace_id"], one["session_id"]) for one in given.values()} == {(root, project)}
    assert "deprecated" not in told.err


def test_seconds_that_are_no_number_are_refused(tmp_path: Path) -> None:
    told = coop(tmp_path, "http://127.0.0.1:1", "runs", COOP_TRACE_SECONDS="soon")
    assert told.code == 2
    assert (
        told.err
        == "coop: COOP_TRACE_SECONDS is 'soon', and should be a number of seconds, such as 2\n"
    )
