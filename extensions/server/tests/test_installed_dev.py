"""`coop dev` of an installed package: a folder without a `langgraph.json` serves the package."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from shapley_coop import extension
from shapley_coop.extension import Extension
from tests.coop_command import coop_in
from tests.installation import PACKAGE, built, programs
from tests.root import ROOT
from tests.served import configuration
from tests.server_process import InstalledServer

pytest.importorskip("langgraph_api", reason="the server is in the dev extra")

WAIT = {"assistant_id": "llm_only", "input": {"room": {"seed": 3}}}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[InstalledServer]:
    folder = tmp_path_factory.mktemp("served")
    installed = programs(built(tmp_path_factory.mktemp("wheel")), folder / "environment")
    server = InstalledServer(installed, folder / "own")
    # A library of the server's by its name, which is none.
    (folder / "own" / "langgraph_cli.py").write_text("raise RuntimeError('not yours')\n")
    with server:
        yield server


@pytest.mark.slow
def test_what_is_installed_is_served_to_whoever_has_the_token_alone(
    served: InstalledServer,
) -> None:
    with served.http() as nobody:
        for path, body in (("/runs/wait", WAIT), ("/threads", {}), ("/mcp", {})):
            assert nobody.post(path, json=body).status_code == 401
        assert nobody.get("/view/").status_code == 401
        assert "<h1>" in nobody.get("/", headers={"accept": "text/html"}).text
        assert nobody.get(f"/view/?token={served.token}").is_success
    with served.own() as own:
        table = own.post("/runs/wait", json=WAIT).json()
        assistants = own.post("/assistants/search", json={"limit": 100}).json()
    assert table["settlement"]["ledger"] == "paid"
    assert {one["graph_id"] for one in assistants} == configuration()["graphs"].keys()


@pytest.mark.slow
def test_the_folder_gets_nothing_but_the_homes_and_langgraphs(served: InstalledServer) -> None:
    """And the test's own log."""
    mine = {"server.log", "langgraph_cli.py"}
    assert {path.name for path in served.folder.iterdir()} - mine == {"home", ".langgraph_api"}


@pytest.mark.slow
def test_studio_shows_the_token_as_a_header_from_its_own_origin(served: InstalledServer) -> None:
    origin = {"origin": "https://smith.langchain.com"}
    asked = {
        "access-control-request-method": "POST",
        "access-control-request-headers": "authorization,content-type",
    }
    with served.http(**origin) as studio:
        before = studio.options("/threads/search", headers=asked)
        assert before.is_success
        assert "authorization" in before.headers["access-control-allow-headers"]
        assert studio.post("/threads/search", json={}).status_code == 401
        shown = {"authorization": f"Bearer {served.token}"}
        answered = studio.post("/threads/search", json={}, headers=shown)
    assert answered.is_success
    assert answered.headers["access-control-allow-origin"] == origin["origin"]
    log = served.log()
    assert f"Studio: https://smith.langchain.com/studio/?baseUrl={served.url}\n" in log
    assert f"Programs send Authorization: Bearer {served.token}; for Studio, add it" in log


@pytest.fixture
def made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> tuple[dict[str, Any], list[str], dict[str, str]]:
    """The configuration that an empty folder is served by, what is started, and its variables."""
    brought = Extension("foreign", "Theirs.", graphs={"foreign": "their_package.page:graph"})
    whole = {**extension.installed(), "foreign": brought}
    monkeypatch.setattr(extension, "_find_all", lambda: whole)
    started = list[Any]()
    monkeypatch.setattr(os, "execve", lambda _, *given: started.extend(given))
    (tmp_path / "empty").mkdir()
    coop = coop_in(tmp_path / "empty", monkeypatch, capsys)
    assert coop("dev", "--port", "0").code == 0
    assert not [*(tmp_path / "empty").iterdir()]
    command, environment = started
    file = Path(command[command.index("--config") + 1])
    assert file.is_relative_to(tmp_path / "home")
    return json.loads(file.read_text("utf-8")), command, environment


def test_it_is_the_clones_configuration_and_what_others_extensions_bring(
    made: tuple[dict[str, Any], list[str], dict[str, str]],
) -> None:
    found, command, environment = made
    assert found["graphs"].pop("foreign") == {"path": "their_package.page:graph"}
    text = json.dumps(found).replace(f"{ROOT / PACKAGE}/", "./")
    assert json.loads(text) == configuration()
    assert "--no-reload" in command, "there is no code to watch in somebody's folder"
    assert environment["LOG_LEVEL"] == "WARNING"


def test_what_is_said_names_what_is_served_and_ends_with_the_page(
    made: tuple[dict[str, Any], list[str], dict[str, str]],
) -> None:
    found, _, environment = made
    told = environment["COOP_DEV_STARTED"].splitlines()
    assert f"Workflows: {', '.join(sorted(found['graphs']))}" in told
    assert told[-1].endswith(f"/view/?token={environment['COOP_DEV_TOKEN']}")
