"""Set-up of every test: its own home, no API keys, and no network beyond this machine."""

import os

# The libraries read these variables on import, so set them before any import.
os.environ.update(
    LANGSMITH_TRACING="false",
    LANGCHAIN_TRACING_V2="false",
    LANGSMITH_TEST_TRACKING="false",
    LANGGRAPH_STRICT_MSGPACK="true",
    # The endpoints of tests are embedded agents, which read a letter's facts.
    COOP_SEND_FACTS="1",
)
# Tests start hundreds of processes, which would all compile the same modules anew without a cache.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

import gc
import ipaddress
import re
import socket
import sys
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from shapley_coop import extension
from shapley_coop.games.sandbox import SandboxMissing, require_sandbox
from shapley_coop.seats.embedded import CHARACTERS
from shapley_coop.seats.endpoint import KEYS
from tests.chance import seed_line, settle_seed
from tests.coop_command import Coop, coop_in
from tests.postgres import NoPostgres, postgres
from tests.root import ROOT
from tests.scripted import Script

LIVE = "COOP_TEST_LIVE"
"""Set to 1, it lets tests reach the network and read keys from the environment."""

# Keep bytecode in this process too, so that pytest need not rewrite all assertions at every start.
sys.dont_write_bytecode = False
pytest.register_assert_rewrite("tests.games.battery")
# Hypothesis draws new examples, each without a time limit, and prints how to repeat a failure.
settings.register_profile("coop", deadline=None, derandomize=False, print_blob=True)
settings.load_profile("coop")
settle_seed()


class NetworkForbidden(RuntimeError):
    """A test tried to reach another machine."""


_OF_EXTENSION = re.compile(r"No module named '(?:shapley_coop\.)?extensions\.(?P<name>\w+)")


def _is_here(host: Any) -> bool:
    if host in (None, "", "localhost", b"localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _only_here(host_of: Callable[..., Any], function: Callable[..., Any]) -> Callable[..., Any]:
    def guarded(*args: Any, **kwargs: Any) -> Any:
        if not _is_here(host := host_of(*args)):
            raise NetworkForbidden(f"{host} is not this machine; set {LIVE}=1 to allow it")
        return function(*args, **kwargs)

    return guarded


def _address_of(sock: socket.socket, address: Any) -> Any:
    return address[0] if isinstance(address, tuple) else None  # a local socket's address is a path


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the seed by which the random loops of this test session can be repeated."""
    terminalreporter.write_line(seed_line())


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Sort the files by their number of slow tests, most first, so that no slow file comes last."""
    slow = Counter(item.path for item in items if item.get_closest_marker("slow"))
    items.sort(key=lambda item: -slow[item.path])


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Skip tests of an extension that needs a removed extension, and give this reason."""
    report = yield
    lost = _OF_EXTENSION.search(str(report.longrepr)) if report.failed else None
    if lost and not (ROOT / "extensions" / lost["name"]).is_dir():
        report.outcome = "skipped"
        report.longrepr = (str(collector.path), 0, f"the extension {lost['name']} was removed")
    return report


def pytest_collection_finish() -> None:
    """Freeze all modules imported by now, so that the garbage collector never scans them again."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def _no_network() -> Any:
    with pytest.MonkeyPatch.context() as patch:
        if not os.environ.get(LIVE):
            for name in ("connect", "connect_ex"):
                method = getattr(socket.socket, name)
                patch.setattr(socket.socket, name, _only_here(_address_of, method))
            lookup = _only_here(lambda host, *_: host, socket.getaddrinfo)
            patch.setattr(socket, "getaddrinfo", lookup)
        yield


@pytest.fixture(autouse=True)
def _own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Give each test a home at a new path, so that nothing cached by URL or path is shared."""
    monkeypatch.setenv("COOP_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("COOP_DATABASE_URL", raising=False)
    if not os.environ.get(LIVE):
        for variable in {*KEYS.values(), "LANGSMITH_API_KEY", "LANGCHAIN_API_KEY"}:
            monkeypatch.delenv(variable, raising=False)


@pytest.fixture(scope="session")
def boxed() -> None:
    """Skip tests that run foreign programs if no sandbox works on this machine."""
    try:
        require_sandbox()
    except SandboxMissing as missing:
        pytest.skip(str(missing))


@pytest.fixture(params=[False, True], ids=["boxed", "unsafe"])
def unsafe(request: pytest.FixtureRequest) -> bool:
    """Whether foreign programs run without a sandbox; each test runs both ways."""
    if not request.param:
        request.getfixturevalue("boxed")
    return bool(request.param)


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[str]:
    """A real Postgres on this machine, for the whole session."""
    if "postgresql" not in extension.offered("databases"):
        pytest.skip("the extension that opens Postgres was removed")
    with ExitStack() as running:
        try:
            url = running.enter_context(postgres())
        except NoPostgres as reason:
            pytest.skip(str(reason))
        yield url


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> Script:
    """Scripted answers that replace the agents' own: `script["Alice", "propose"] = "…"`."""
    written = Script()
    monkeypatch.setattr("shapley_coop.seats.asking.chat_model", written.chat_model)
    return written


@pytest.fixture
def careful(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let embedded agents make no mistakes in the form of their answers."""
    told = replace(CHARACTERS["rational"], sloppiness=0.0)
    monkeypatch.setitem(CHARACTERS, "rational", told)


@pytest.fixture
def coop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Coop:
    """The command `coop`, run in this process and in a new folder."""
    return coop_in(tmp_path, monkeypatch, capsys)


@pytest.fixture
def openai_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """Set a key for the endpoints of tests, which every key opens."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-canary")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A LangGraph server with all workflows, which a module's tests share."""
    from tests.server_process import Server  # imports the extension `server`

    with Server(tmp_path_factory.mktemp("server")) as running:
        yield running


@pytest.fixture(scope="module")
def client(server: Any) -> Any:
    """A client of the server."""
    return server.client()
