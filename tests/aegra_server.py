"""Instances of Aegra, an open server of LangGraph's interface, with its Postgres and its Redis.

They run in the environment that `make engines` makes.
"""

import json
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from shapley_coop.extensions.server.dev import free_port
from tests.engines import engines_python
from tests.postgres import own_database, postgres
from tests.root import ROOT
from tests.server_process import Server

WORKERS = {"WORKER_COUNT": "1", "N_JOBS_PER_WORKER": "8", "BG_JOB_MAX_RETRIES": "20"}
SOON = {
    "HEARTBEAT_INTERVAL_SECONDS": "3",
    "LEASE_DURATION_SECONDS": "8",
    "REAPER_INTERVAL_SECONDS": "2",
    "STUCK_PENDING_THRESHOLD_SECONDS": "20",
}
"""How soon a run is taken over whose instance died: by default after up to 50 seconds."""


class NoAegra(RuntimeError):
    """It is not installed here."""


class AegraServer(Server):
    """One instance, which serves the interface and plays runs; it keeps its port.

    Args:
        folder: where it runs.
        environment: its database, its queue, and the home that all instances share.
    """

    started = "Uvicorn running on"

    def __init__(self, folder: Path, **environment: str) -> None:
        self._port = str(free_port("127.0.0.1"))
        own = {"AEGRA_CONFIG": str(folder / "aegra.json"), "PORT": self._port, **WORKERS, **SOON}
        super().__init__(folder, (), **own, **environment)
        self.home = Path(environment["COOP_HOME"])

    def lay_out(self, folder: Path) -> None:
        folder.mkdir(parents=True)
        pages = json.loads((ROOT / "langgraph.json").read_text(encoding="utf-8"))["graphs"]
        graphs = {name: str(ROOT / page["path"]) for name, page in pages.items()}
        (folder / "aegra.json").write_text(json.dumps({"graphs": graphs}), encoding="utf-8")

    def command(self) -> list[str]:
        serve = ["-m", "uvicorn", "aegra_api.main:app", "--host", "127.0.0.1"]
        return [engines_python(), *serve, "--port", self._port]

    def address(self, since: int) -> str:
        return f"http://127.0.0.1:{self._port}"


@contextmanager
def aegra(folder: Path, instances: int = 4) -> Iterator[list[AegraServer]]:
    """Run instances that share a database, a queue and a home.

    Raises:
        NoAegra: there is no Redis here.
    """
    with postgres() as first, _redis(folder) as queue:
        shared = {
            "DATABASE_URL": own_database(first),
            "REDIS_BROKER_ENABLED": "true",
            "REDIS_URL": queue,
            "COOP_HOME": str(folder / "home"),
        }
        servers = (AegraServer(folder / f"aegra{n}", **shared) for n in range(instances))
        with ExitStack() as running:
            yield [running.enter_context(server) for server in servers]


@contextmanager
def _redis(folder: Path) -> Iterator[str]:
    folder.mkdir(parents=True, exist_ok=True)
    program, port = shutil.which("redis-server"), str(free_port("127.0.0.1"))
    if not program:
        raise NoAegra("no redis-server to run: install Redis")
    quiet = ["--save", "", "--appendonly", "no", "--bind", "127.0.0.1", "--dir", str(folder)]
    with subprocess.Popen([program, "--port", port, *quiet], stdout=subprocess.DEVNULL) as running:
        try:
            yield f"redis://127.0.0.1:{port}/0"
        finally:
            running.terminate()
