"""SIGTERM and Ctrl-C: the call in flight is answered and kept, or repeated once; nothing else."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from shapley_coop.cli.stopping import STOPPING
from shapley_coop.extensions.sweeps.folders import read_rows
from shapley_coop.extensions.sweeps.tests.held import HANGS, NAMES, Held, seats_at
from tests.embedded_reply import reply
from tests.stub_faults import Fault
from tests.stub_openai import StubOpenAI

MIDDLE = {"run": 2, "sweep": 8}
"""The call in which the signal comes; no other is in flight."""


@contextmanager
def begun(folder: Path, *words: str) -> Iterator[subprocess.Popen[str]]:
    told = {
        **os.environ,
        "COOP_HOME": str(folder / "home"),
        "OPENAI_API_KEY": "test",
        "COOP_SEND_FACTS": "1",
    }
    command = [sys.executable, "-m", "shapley_coop", *words]
    with subprocess.Popen(
        command, cwd=folder, env=told, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def ended(folder: Path, *words: str) -> str:
    with begun(folder, *words) as process:
        out, err = process.communicate(timeout=HANGS)
    assert process.returncode == 0, err
    return out


def words_of(what: str, folder: Path, stub: StubOpenAI) -> list[str]:
    """A command that plays one or two runs behind the stub, one call at a time."""
    if what == "run":
        agents = [word for name in NAMES for word in ("--agent", f"{name}=openai:{name}")]
        words = ["run", "escape_room", "-g", "negotiation", "--name", "one", *agents]
        return [*words, "--base-url", stub.base_url]
    base = {"game": "escape_room", "graph": "negotiation", "seats": seats_at(stub)}
    (folder / "two.yaml").write_text(json.dumps({"name": "two", "base": base, "seeds": "0-1"}))
    return ["sweep", "two.yaml", "-o", "out", "--max-connections", "1"]


def stopped(folder: Path, what: str, by: signal.Signals, twice: bool = False) -> tuple[str, int]:
    """Stop a command in its middle call and go on; what it said, and all calls that were made."""
    held = Held(MIDDLE[what])
    with StubOpenAI(held) as stub:
        words = words_of(what, folder, stub)
        with begun(folder, *words) as process:
            assert held.reached.wait(HANGS)
            assert process.stderr is not None
            process.send_signal(by)
            assert STOPPING in process.stderr.readline()
            if twice:
                process.send_signal(by)
            else:
                held.let_go.set()
            said = process.stderr.read()
            assert process.wait(HANGS) == 128 + by, said
        held.let_go.set()
        assert stub.calls == MIDDLE[what], "no call was begun after the signal"
        ended(folder, *(["resume", "one"] if what == "run" else words))
        return said, stub.calls


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """The rows of the sweep and the calls of each command if no signal comes."""
    calls = {}
    for what in ("run", "sweep"):
        folder = tmp_path_factory.mktemp(what)
        with StubOpenAI(reply) as stub:
            ended(folder, *words_of(what, folder, stub))
            calls[what] = stub.calls
    return read_rows(folder / "out"), calls


@pytest.mark.slow
@pytest.mark.parametrize("by", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("what", ["run", "sweep"])
def test_a_stop_lets_the_call_in_flight_end_and_begins_no_other(tmp_path, undisturbed, what, by):
    rows, calls = undisturbed
    said, made = stopped(tmp_path, what, by)
    onward = "go on with coop resume one" if what == "run" else "the same command goes on"
    assert onward in said
    assert "\n" not in said.strip()
    assert made == calls[what]
    if what == "sweep":
        assert results(read_rows(tmp_path / "out")) == results(rows)


@pytest.mark.slow
def test_a_second_signal_breaks_the_call_off_and_it_is_repeated_once(tmp_path, undisturbed):
    _, made = stopped(tmp_path, "sweep", signal.SIGTERM, twice=True)
    assert made == undisturbed[1]["sweep"] + 1


@pytest.mark.slow
def test_a_stop_does_not_wait_out_an_endpoint_that_asks_for_an_hour(tmp_path):
    """A cell that waits for its next try has no call in flight."""
    with StubOpenAI(reply, faults=[Fault.rate_limited(retry_after=3600)] * 9) as stub:
        words = words_of("sweep", tmp_path, stub)
        with begun(tmp_path, *words) as process:
            stub.wait_for_calls(1, HANGS)
            process.send_signal(signal.SIGTERM)
            assert process.wait(HANGS) == 143


def results(rows):
    return [row["result"] for row in rows]
