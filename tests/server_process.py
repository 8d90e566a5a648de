"""A real LangGraph server, as `coop dev` starts it, in a folder of its own."""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO, Self
from urllib.parse import urlsplit

import httpx
from langgraph_sdk import get_sync_client
from langgraph_sdk.client import SyncLangGraphClient

from shapley_coop.extensions.server.dev import free_port
from shapley_coop.state.storage.facts import Fact
from tests.books import facts_of
from tests.root import ROOT
from tests.served import configuration

BOOT_SECONDS = 600
SAVE_SECONDS = 120
BLOCKING = "blocks_the_event_loop"

_BLOCKING_GRAPH = '''"""An asynchronous node that blocks: the server has to catch it."""

import time

from langgraph.graph import StateGraph


async def sleep(state: dict) -> dict:
    time.sleep(0.01)
    return state


graph = StateGraph(dict).add_node(sleep).set_entry_point("sleep").compile()
'''


class Server:
    """The server over a folder that leads to this repository's rooms and keeps all it writes.

    Besides the repository's workflows it serves `BLOCKING`, to show that blocking is noticed.

    Args:
        folder: where it runs; its threads, its books and its log stay there.
        options: of `coop dev`; by default everybody on this machine may call it.
        environment: variables it is given on top of this process's own.
    """

    started = "Application started up"
    """What it logs when it has booted."""

    def __init__(
        self, folder: Path, options: Sequence[str] = ("--no-token",), **environment: str
    ) -> None:
        self._options = options
        self.folder = folder
        self.home = folder / "home"
        self._log = folder / "server.log"
        self._environment = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("LANGCHAIN_", "LANGSMITH_", "LANGGRAPH_", "OPENAI_", "COOP_"))
        }
        self._environment |= {
            "COOP_HOME": str(self.home),
            "COOP_SEND_FACTS": "1",
            "LANGSMITH_TRACING": "false",
            "LOG_LEVEL": "INFO",
            "NO_COLOR": "1",
            **environment,
        }
        self._process: subprocess.Popen[bytes] | None = None
        self._logging = threading.Thread()
        self._url = ""
        self.lay_out(folder)

    def lay_out(self, folder: Path) -> None:
        """Make the folder that it runs in."""
        _lay_out(folder)

    def serve_too(self, file: Path) -> None:
        """From its next start on, serve the `graph` of one more file, by the file's name."""
        shutil.copy(file, self.folder)
        _register(self.folder, file.stem)

    @property
    def url(self) -> str:
        """Where it listens now; a restart takes another port."""
        return self._url

    @property
    def process(self) -> int:
        """The id of the process that listens."""
        assert self._process is not None, "it does not run"
        return self._process.pid

    def client(self) -> SyncLangGraphClient:
        """A client of the server as it runs now."""
        return get_sync_client(url=self._url)

    def http(self, **headers: str) -> httpx.Client:
        """A client that sends these headers."""
        return httpx.Client(base_url=self._url, headers=headers, timeout=300)

    def own(self) -> httpx.Client:
        """A client that sends the token that `coop dev` has printed."""
        return self.http(authorization=f"Bearer {self.token}")

    @property
    def token(self) -> str:
        """The token that `coop dev` has printed."""
        found = re.search(r"/view/\?token=([\w-]+)", self.log())
        assert found, "it has a token unless its options say otherwise"
        return found[1]

    def log(self, since: int = 0) -> str:
        """What it has logged, over all its starts, from a character on."""
        return self._log.read_text(encoding="utf-8", errors="replace")[since:]

    def facts(self, kind: str, episode: str) -> list[Fact]:
        """The facts of an episode in the books: what is committed now."""
        return facts_of(self.home, kind, episode)

    def command(self) -> list[str]:
        """What starts it, on a free port."""
        dev = [sys.executable, "-m", "shapley_coop", "dev", "--port", "0", "--no-reload"]
        return [*dev, *self._options]

    def address(self, since: int) -> str:
        """Where LangGraph says that it listens: not where it was asked to, if that was taken."""
        found = re.search(r"API: \S*?(http://[\d.:]+)", self.log(since))
        return found.group(1) if found else ""

    def start(self) -> Self:
        """Boot it and wait until it listens.

        Raises:
            RuntimeError: it ended, or did not answer in time; the log says why.
        """
        self._log.touch()
        since = len(self.log())
        self._process = subprocess.Popen(
            self.command(),
            cwd=self.folder,
            env=self._environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            bufsize=0,
            start_new_session=True,
        )
        self._logging = threading.Thread(target=self._keep_log, args=(self._process.stdout,))
        self._logging.start()
        until = time.monotonic() + BOOT_SECONDS
        while time.monotonic() < until and self._process.poll() is None:
            if self.started in self.log(since):
                self._url = self.address(since)
                if self._listens():
                    return self
            time.sleep(0.05)
        self.stop()
        raise RuntimeError(f"no server came up:\n{self.log(since)}")

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        """End it and everything it has started, giving all of it time to save its work."""
        self._signal(signal.SIGTERM)
        # Its output ends when the last process that could write to it has.
        self._logging.join(timeout=SAVE_SECONDS)
        self.kill()

    def kill(self) -> None:
        """End it and everything it has started at once, whatever is under way."""
        self._signal(signal.SIGKILL)
        if self._process is not None:
            self._process.wait()
            self._logging.join()
            self._process = None

    def _signal(self, number: signal.Signals) -> None:
        if self._process is not None:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, number)

    def _listens(self) -> bool:
        """It says that it has started a moment before it does."""
        address = urlsplit(self._url)
        with socket.socket() as probe:
            return probe.connect_ex((address.hostname or "", address.port or 0)) == 0

    def _keep_log(self, output: IO[bytes]) -> None:
        with output, self._log.open("ab", buffering=0) as log:
            shutil.copyfileobj(output, log)


class FixedServer(Server):
    """A server that is started again at the same address."""

    def command(self) -> list[str]:
        self._port = getattr(self, "_port", None) or str(free_port("127.0.0.1"))
        command = super().command()
        command[command.index("--port") + 1] = self._port
        return command


@contextmanager
def fixed_servers(folder: Path, number: int, **environment: str) -> Iterator[list[Server]]:
    """Run so many servers within the `with` block, each with a home of its own."""
    with ExitStack() as running:
        servers = (FixedServer(folder / f"dev{n}", **environment) for n in range(number))
        yield [running.enter_context(server) for server in servers]


class BareServer(Server):
    """A server that LangGraph's own command starts, with nothing of ours but `langgraph.json`.

    Args:
        folder: see `Server`.
        options: of `langgraph dev`.
        environment: see `Server`.
    """

    def __init__(self, folder: Path, options: Sequence[str] = (), **environment: str) -> None:
        super().__init__(folder, options, **environment)

    def command(self) -> list[str]:
        found = shutil.which("langgraph", path=Path(sys.executable).parent)
        assert found, "the extra `dev` is installed"
        port = ("--port", str(free_port("127.0.0.1")))
        return [found, "dev", "--no-browser", "--no-reload", *port, *self._options]


class InstalledServer(Server):
    """`coop dev` of an installed package, in a folder without a `langgraph.json`.

    Args:
        programs: the folder of the installation's programs.
        folder: see `Server`.
    """

    def __init__(self, programs: Path, folder: Path) -> None:
        super().__init__(folder, ())
        self._programs = programs

    def lay_out(self, folder: Path) -> None:
        folder.mkdir()

    def command(self) -> list[str]:
        return [str(self._programs / "coop"), "dev", "--port", "0"]


def _lay_out(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for entry in ROOT.iterdir():
        if (entry / "__init__.py").exists() or entry.name == "pyproject.toml":
            (folder / entry.name).symlink_to(entry)
    (folder / "langgraph.json").write_text(json.dumps(configuration()), encoding="utf-8")
    (folder / f"{BLOCKING}.py").write_text(_BLOCKING_GRAPH, encoding="utf-8")
    _register(folder, BLOCKING)


def _register(folder: Path, name: str) -> None:
    """Have the server find the `graph` of a file in its folder."""
    file = folder / "langgraph.json"
    config = json.loads(file.read_text(encoding="utf-8"))
    config["graphs"][name] = f"./{name}.py:graph"
    file.write_text(json.dumps(config), encoding="utf-8")
