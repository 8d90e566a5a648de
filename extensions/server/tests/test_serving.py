"""The container, as far as it can be checked without one: by generating it; and its page."""

import json
import os
import re
import shutil
import subprocess
import sys
from importlib.metadata import requires
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from shapley_coop.extensions.server.serving.tenancy import PUBLIC_KEY, TOKENS
from shapley_coop.seats.tracing import HIDE
from tests.root import ROOT
from tests.served import configuration

PAGE = (ROOT / "docs" / "serving.md").read_text(encoding="utf-8")
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "docs" / "compose.yaml").read_text("utf-8"))
CONFIG = configuration()


@pytest.mark.parametrize("variable", [TOKENS, PUBLIC_KEY, HIDE, "COOP_MAX_BODY"])
def test_the_page_explains_every_other_variable(variable: str) -> None:
    assert f"`{variable}" in PAGE


def test_the_dockerfile_is_generated_with_every_workflow_the_app_and_the_tenants(
    tmp_path: Path,
) -> None:
    pytest.importorskip("langgraph_cli", reason="the generator is in the dev extra")
    folder = tmp_path / "coop"
    folder.mkdir()
    (folder / "langgraph.json").write_text(json.dumps(CONFIG), encoding="utf-8")
    for entry in (*ROOT.glob("*/__init__.py"), ROOT / "pyproject.toml"):
        source = entry.parent if entry.name == "__init__.py" else entry
        target = folder / source.name
        copy = shutil.copytree if source.is_dir() else shutil.copy
        copy(source, target)
    command = [sys.executable, "-m", "langgraph_cli", "dockerfile", "Dockerfile"]
    quiet = {"LANGGRAPH_CLI_NO_ANALYTICS": "1", "LANGGRAPH_NO_VERSION_CHECK": "true"}
    subprocess.run(command, cwd=folder, env=os.environ | quiet, check=True, capture_output=True)
    made = (folder / "Dockerfile").read_text(encoding="utf-8")
    assert made.startswith("FROM langchain/langgraph-api:3.11")
    # What is pinned is installed first, by its hashes; the project then finds all it needs.
    installed = [line for line in made.splitlines() if "pip install" in line]
    assert "--no-deps --require-hashes -r /tmp/requirements.image.lock" in installed[0]
    assert made.index("COPY requirements.image.lock") < made.index(installed[0])
    assert made.index(installed[0]) < made.index("ADD . /deps/coop")
    given = {
        name: json.loads(value) for name, value in re.findall(r"^ENV (\w+)='(.*)'$", made, re.M)
    }
    assert given["LANGSERVE_GRAPHS"].keys() == CONFIG["graphs"].keys()
    assert given["LANGGRAPH_AUTH"]["disable_studio_auth"] is True
    named = [one["path"] for one in given["LANGSERVE_GRAPHS"].values()]
    others = [given["LANGGRAPH_AUTH"], given["LANGGRAPH_CHECKPOINTER"]]
    named += [one["path"] for one in others] + [given["LANGGRAPH_HTTP"]["app"]]
    for path in named:
        inside = path.removeprefix("/deps/coop/").partition(":")[0]
        assert (ROOT / inside).is_file()


IMAGE = re.findall(r"(?m)^IMAGE := (.*)$", (ROOT / "Makefile").read_text("utf-8"))[0].split()
"""The extras of the server's image."""


def pins(file: str) -> dict[str, set[str]]:
    """A lock: what is pinned, with its marker → the hashes."""
    blocks = re.split(r"(?m)^(?=[a-z0-9])", (ROOT / file).read_text("utf-8"))[1:]
    return {
        block.partition("\\")[0].strip(): set(re.findall(r"sha256:[0-9a-f]{64}", block))
        for block in blocks
    }


def test_the_image_gets_what_is_locked_and_all_that_the_package_needs() -> None:
    image, whole = pins("requirements.image.lock"), pins("requirements.lock")
    names = {pin.partition("==")[0] for pin in image}
    for pin, hashes in image.items():
        assert hashes, pin
        same = {name: x for name, x in whole.items() if name.split(" ;")[0] == pin.split(" ;")[0]}
        assert any(hashes == x for x in same.values()), f"{pin} is not that of requirements.lock"
    asked = [Requirement(one) for one in requires("shapley-coop") or []]
    extras = ({"extra": name} for name in ("", *IMAGE))
    for extra in extras:
        for one in asked:
            if one.marker is None or one.marker.evaluate(extra):
                assert canonicalize_name(one.name) in {*names, "uvicorn"}, one  # the image has it
    assert not names & {"pytest", "playwright", "mypy", "langgraph-api", "langgraph-cli"}


def test_the_api_and_the_workers_are_apart_and_share_all_else() -> None:
    server, worker = COMPOSE["services"]["server"], COMPOSE["services"]["worker"]
    assert server["environment"]["N_JOBS_PER_WORKER"] == "0"
    assert "entrypoint" not in server
    # The entry point of queue workers in LangGraph's image; it answers /ok and /metrics on PORT.
    assert worker["entrypoint"] == ["/storage/queue_entrypoint.sh"]
    assert worker["environment"]["PORT"] in worker["healthcheck"]["test"][-1]
    assert "ports" not in worker
    own = {"N_JOBS_PER_WORKER", "PORT"}
    shared = [
        {name: value for name, value in one["environment"].items() if name not in own}
        for one in (server, worker)
    ]
    assert shared[0] == shared[1]
    for key in ("build", "image", "volumes", "secrets", "depends_on", "stop_grace_period"):
        assert server[key] == worker[key]


def test_every_variable_of_the_compose_file_is_read_by_the_server_or_by_us() -> None:
    pytest.importorskip("langgraph_api", reason="the server is in the dev extra")
    server = Path(find_spec("langgraph_api").origin or "").parent  # type: ignore[union-attr]
    theirs = [*server.rglob("*.py"), *(server.parent / "langgraph").rglob("*.py")]
    rooms = ("extensions", "state", "seats", "cli")
    ours = [path for room in rooms for path in (ROOT / room).rglob("*.py")]
    files = (path for path in (*theirs, *ours) if path.suffix == ".py")
    code = "".join(path.read_text("utf-8") for path in files)
    # These two are read by the licensed runtime, which is in LangGraph's image alone.
    licensed = {"LANGGRAPH_CLOUD_LICENSE_KEY", "LANGSMITH_API_KEY", "LANGSMITH_TRACING"}
    for variable in COMPOSE["services"]["worker"]["environment"].keys() - licensed:
        assert f'"{variable}"' in code, variable


def test_the_compose_file_keeps_everything_in_its_postgres_and_asks_for_tokens() -> None:
    server, postgres = COMPOSE["services"]["server"], COMPOSE["services"]["postgres"]
    given = server["environment"]
    databases = {"DATABASE_URI": "langgraph", "COOP_DATABASE_URL": "coop"}
    for variable, database in databases.items():
        assert re.match(rf"postgresql://coop:.*@postgres:5432/{database}$", given[variable])
    assert postgres["environment"]["POSTGRES_USER"] == "coop"
    assert postgres["environment"]["POSTGRES_DB"] == databases["DATABASE_URI"]
    (script,) = postgres["configs"]
    assert script["target"].startswith("/docker-entrypoint-initdb.d/")
    assert COMPOSE["configs"][script["source"]]["content"] == "CREATE DATABASE coop;"
    assert given["REDIS_URI"] == "redis://redis:6379"
    assert given[TOKENS] == "/run/secrets/tokens"
    assert COMPOSE["secrets"]["tokens"]["file"] == "../tokens.yaml"
    assert server["depends_on"].keys() == {"postgres", "redis"}
    assert {one["condition"] for one in server["depends_on"].values()} == {"service_healthy"}
    assert all("healthcheck" in service for service in COMPOSE["services"].values())
    assert COMPOSE["volumes"].keys() == {"database", "home"}
    assert server["ports"] == ["127.0.0.1:8123:8000"]
    # What is in flight has time to end before the container is killed.
    grace = int(given["BG_JOB_SHUTDOWN_GRACE_PERIOD_SECS"])
    assert grace < int(server["stop_grace_period"].removesuffix("s"))


@pytest.mark.slow
def test_docker_reads_the_compose_file_where_docker_is() -> None:
    asked = (
        subprocess.run(["docker", "compose", "version"], capture_output=True, check=False)
        if shutil.which("docker")
        else None
    )
    if asked is None or asked.returncode:
        pytest.skip("docker compose is not installed")
    subprocess.run(
        ["docker", "compose", "-f", "docs/compose.yaml", "config", "--quiet"],
        cwd=ROOT,
        env=os.environ | {"POSTGRES_PASSWORD": "given"},
        check=True,
    )
