"""`coop view`, as it is typed."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from shapley_coop.state.storage.home import Home
from tests.coop_command import one_line
from tests.root import ROOT
from tests.warm_coop import Ended, warm_coop


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with one finished run, called first."""
    folder = tmp_path_factory.mktemp("viewed")
    assert coop(folder, "run", "escape_room", "--seed", "3", "--name", "first").code == 0
    return folder


def coop(home: Path, *words: str) -> Ended:
    return warm_coop(Home(home)).run(*words)


@contextmanager
def viewed(home: Path, *words: str) -> Iterator[str]:
    """`coop view`, with the address that it prints; Ctrl-C ends it."""
    with subprocess.Popen(
        [sys.executable, "-m", "shapley_coop", "view", *words],
        cwd=ROOT,
        env=os.environ | {"COOP_HOME": str(home)},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as serving:
        assert serving.stdout is not None
        try:
            yield serving.stdout.readline().strip()
        finally:
            serving.send_signal(signal.SIGINT)
            assert serving.wait(timeout=600) == 0


@pytest.mark.slow
def test_a_run_is_served_on_this_machine_until_ctrl_c(home: Path) -> None:
    with viewed(home, "first") as address:
        assert address.startswith("http://127.0.0.1:")
        assert address.endswith("/view/?run=first")
        assert "<title>coop</title>" in httpx.get(address).text
        refused = httpx.get(address.partition("?")[0] + "runs/first.json?private=1")
        assert refused.status_code == 404


def test_an_unknown_run_is_named_in_one_line(home: Path) -> None:
    assert "there is no run 'nobody'" in one_line(coop(home, "view", "nobody"), 2)


def test_the_page_needs_no_server_of_the_extras() -> None:
    absent = ("starlette", "uvicorn", "langgraph_api", "langgraph_cli", "jwt", "playwright")
    program = f"""
import sys
for name in {absent}:
    sys.modules[name] = None
import shapley_coop.extensions.page.command
from shapley_coop.extensions.page import local, run_sources, selfcontained
"""
    subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=True, timeout=600)
