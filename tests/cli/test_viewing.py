"""`coop view` and `coop report`, as they are typed."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from shapley_coop.cli.serving.view import report
from shapley_coop.state.storage.home import Home
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
def test_a_run_is_written_as_a_page_or_as_its_data(home: Path, tmp_path: Path) -> None:
    page, data = tmp_path / "run.html", tmp_path / "run.json"
    assert coop(home, "report", "first", "-o", str(page)).out.strip() == str(page)
    assert coop(home, "report", "first", "-o", str(data), "--private").code == 0
    bundle = json.loads(data.read_text())
    assert bundle["run"] == "first"
    assert bundle["private"]
    assert bundle["private"][0]["text"] not in page.read_text()
    with viewed(home, str(tmp_path)) as address:
        listed = httpx.get(address + "runs.json").json()
        assert [one["run"] for one in listed["runs"]] == ["first"]
        assert httpx.get(address + "runs/first.json").json()["private"] is None


@pytest.mark.slow
def test_a_run_is_served_on_this_machine_until_ctrl_c(home: Path) -> None:
    with viewed(home, "first") as address:
        assert address.startswith("http://127.0.0.1:")
        assert address.endswith("/view/?run=first")
        assert "<title>coop</title>" in httpx.get(address).text
        refused = httpx.get(address.partition("?")[0] + "runs/first.json?private=1")
        assert refused.status_code == 404


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("view", "nobody"), "there is no run 'nobody'"),
        (("report", "nobody"), "there is no run 'nobody': coop runs lists those of "),
        (("report", "first", "-o", "run.pdf"), "give a name in .html or .json"),
        (("report", "first", "-o", "/dev/null/run.html"), "cannot be written"),
    ],
)
def test_what_cannot_be_shown_is_one_line(home: Path, words: tuple[str, ...], why: str) -> None:
    done = coop(home, *words)
    assert done.code == 2
    assert why in done.err
    assert done.err.count("\n") == 1


def test_what_belongs_to_a_sweep_or_to_a_run_is_said(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="--figures needs a sweep's folder, and nobody is none"):
        report("nobody", figures=tmp_path)
    with pytest.raises(ValueError, match=r"--private needs a run, and .* is a folder"):
        report(str(tmp_path), private=True)
    with pytest.raises(ValueError, match="holds no sweep"):
        report(str(tmp_path))


def test_the_page_needs_no_server_of_the_extras() -> None:
    absent = ("starlette", "uvicorn", "langgraph_api", "langgraph_cli", "jwt", "playwright")
    program = f"""
import sys
for name in {absent}:
    sys.modules[name] = None
import shapley_coop.cli.serving.view
from shapley_coop.serve.view import local, run_sources, selfcontained
"""
    subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=True, timeout=600)
