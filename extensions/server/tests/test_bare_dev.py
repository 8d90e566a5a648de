"""`langgraph dev` alone, as LangGraph's own pages start it, and what `coop dev` adds to it."""

import json
import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from extensions.server.tests.server_client import play, values
from shapley_coop.extensions.server.app import lost_with_the_container
from shapley_coop.extensions.server.dev import UNASSIGNED_PORTS, free_port
from shapley_coop.extensions.server.serving.browser_guard import DEV_TOKEN
from shapley_coop.extensions.server.serving.origins import RULES
from shapley_coop.extensions.server.serving.welcome import STARTED
from tests.coop_command import USAGE, Coop, coop_in, one_line
from tests.root import ROOT
from tests.served import configuration
from tests.server_process import BareServer


@pytest.mark.slow
def test_langgraph_dev_alone_plays_and_reads_the_environment_file(tmp_path: Path) -> None:
    server = BareServer(tmp_path)
    (tmp_path / ".env").write_text(f"COOP_HOME={tmp_path / 'from-env-file'}\n", encoding="utf-8")
    with server:
        client = server.client()
        table = values(client, play(client, "shapley_coop", input={"room": {"seed": 3}}))
        assert table["outcome"]["payoffs"] == {"Alice": 4.5, "Bob": 4.5}
        assert (tmp_path / "from-env-file" / "checkpoints.sqlite").exists()
        assert "No durable database" not in server.log(), "it is no deployment"


def test_the_environment_file_is_optional_and_has_an_example() -> None:
    assert json.loads((ROOT / "langgraph.json").read_text())["env"] == ".env"
    lines = (ROOT / ".env.example").read_text(encoding="utf-8").splitlines()
    named = {line.lstrip("# ").partition("=")[0] for line in lines if "=" in line}
    assert {"COOP_HOME", "COOP_DATABASE_URL", "LANGSMITH_TRACING", "OPENAI_API_KEY"} <= named


def test_a_deployment_without_a_database_is_told_what_it_loses() -> None:
    said = lost_with_the_container({"LANGSMITH_LANGGRAPH_API_VARIANT": "licensed"})
    assert "checkpoints, journal and ledger" in said
    assert "COOP_DATABASE_URL" in said
    assert lost_with_the_container({"COOP_DATABASE_URL": "postgresql://db/coop"}) == ""
    assert lost_with_the_container({"LANGSMITH_LANGGRAPH_API_VARIANT": "local_dev"}) == ""


def test_a_port_in_use_is_one_clear_line() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        ended = subprocess.run(
            [sys.executable, "-m", "shapley_coop", "dev", "--port", port],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
        )
    assert ended.returncode == 2
    assert ended.stderr == (
        f"coop: port {port} on 127.0.0.1: Address already in use; --port 0 takes a free one\n"
    )


@pytest.mark.parametrize("host", ["::1", "192.0.2.1"])
def test_a_host_that_is_not_this_machines_is_not_taken_for_a_port_in_use(host: str) -> None:
    with pytest.raises(ValueError, match="--host needs an IPv4 address of this machine"):
        free_port(host, 2024)


def test_a_free_port_is_one_that_no_connection_is_given_before_the_server_listens() -> None:
    drawn = {free_port("127.0.0.1") for _ in range(50)}
    assert len(drawn) > 1, "two servers that start together are given two ports"
    assert drawn <= set(UNASSIGNED_PORTS)
    with socket.create_server(("127.0.0.1", 0)) as given:
        assert given.getsockname()[1] not in UNASSIGNED_PORTS


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"http": None}, "http.app is missing"),
        ({"http": {"app": "./own.py:app"}}, "http.app is ./own.py:app"),
        ({"auth": None}, "auth.path is missing"),
        ({"auth": {"path": "./own.py:auth"}}, "auth.path is ./own.py:auth"),
        (
            {"http": {"app": "./extensions/server/app.py:other"}},
            "http.app is ./extensions/server/app.py:other",
        ),
        ({"http": None, "auth": None}, "http.app is missing and auth.path is missing"),
    ],
)
@pytest.mark.parametrize("option", ["--token", "--no-token"])
def test_a_folders_own_configuration_is_not_served_without_our_guards(
    coop: Coop,
    changed: dict[str, Any],
    told: str,
    option: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    begun = list[str]()
    monkeypatch.setattr(os, "execve", lambda command, *_: begun.append(command))
    ours = configuration()
    for name in ("graphs", "extensions"):
        (tmp_path / name).symlink_to(ROOT / name)
    (tmp_path / "own.py").write_text("app = auth = None")
    (tmp_path / "langgraph.json").write_text(json.dumps(ours))
    assert coop("dev", "--port", "0", option).code == 0
    assert begun, "our own is served"
    begun.clear()
    (tmp_path / "langgraph.json").write_text(json.dumps({**ours, **changed}))
    ended = coop("dev", "--port", "0", option)
    assert (ended.code, ended.out) == (USAGE, "")
    *lines, complaint = ended.err.splitlines()
    assert complaint.startswith(f"coop: langgraph.json: {told}, so coop dev could let in callers")
    pasted = json.loads("{" + "".join(lines) + "}")
    assert list(pasted) == list(changed), "and nothing that is right already"
    (tmp_path / "langgraph.json").write_text(json.dumps({**ours, **changed, **pasted}))
    assert not begun
    assert coop("dev", "--port", "0", option).code == 0
    assert begun.pop(), "the lines are all that it lacks"
    assert "for those with a token" not in ended.err


@pytest.fixture
def started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[dict[str, str]]:
    """The environments of the servers that `coop dev` starts in a clone, which none is."""
    begun = list[dict[str, str]]()
    monkeypatch.setattr(os, "execve", lambda *given: begun.append(given[2]))
    for name in (RULES, DEV_TOKEN):
        monkeypatch.delenv(name, raising=False)
    for name in ("graphs", "extensions"):
        (tmp_path / name).symlink_to(ROOT / name)
    return begun


def test_a_folders_own_configuration_without_cors_admits_what_the_packages_admits(
    started: list[dict[str, str]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    coop, ours = coop_in(tmp_path, monkeypatch, capsys), configuration()
    own = {"app": ours["http"]["app"]}
    (tmp_path / "langgraph.json").write_text(json.dumps({**ours, "http": own}))
    assert coop("dev", "--port", "0").code == 0
    assert json.loads(started.pop()[RULES]) == ours["http"]["cors"]
    monkeypatch.setenv(RULES, '{"allow_origins": ["https://chat.example"]}')
    assert coop("dev", "--port", "0").code == 0
    assert "smith.langchain.com" not in started.pop()[RULES], "the shell's rules win"
    monkeypatch.delenv(RULES)
    listed = {**own, "cors": {"allow_origins": ["https://chat.example"]}}
    (tmp_path / "langgraph.json").write_text(json.dumps({**ours, "http": listed}))
    assert coop("dev", "--port", "0").code == 0
    assert RULES not in started.pop(), "the file's rules win"


def test_the_shells_token_stands_unless_it_is_short(
    coop: Coop, started: list[dict[str, str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "langgraph.json").write_text(json.dumps(configuration()))
    monkeypatch.setenv(DEV_TOKEN, "sixteen-letters_")
    assert coop("dev", "--port", "0").code == 0
    begun = started.pop()
    assert begun[DEV_TOKEN] == "sixteen-letters_"
    assert "/view/?token=sixteen-letters_" in begun[STARTED]
    assert "for Studio, add it in its connection dialog" in begun[STARTED]
    assert coop("dev", "--port", "0", "--no-token").code == 0
    assert not started.pop()[DEV_TOKEN]
    for refused in ("fifteen-letters", "a token in words", "sixteen;letters;"):
        monkeypatch.setenv(DEV_TOKEN, refused)
        told = one_line(coop("dev", "--port", "0"), USAGE)
        assert "COOP_DEV_TOKEN: give at least 16 letters" in told
        assert refused not in told
    assert not started


@pytest.mark.parametrize("line", ["COOP_DEV_TOKEN=", "export COOP_ALLOWED_HOSTS=box.example"])
@pytest.mark.parametrize("in_a_clone", [True, False])
def test_no_environment_file_replaces_what_guards_the_server(
    coop: Coop, line: str, in_a_clone: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """LangGraph's server reads the file after `coop dev` has set the token."""
    begun = list[str]()
    monkeypatch.setattr(os, "execve", lambda command, *_: begun.append(command))
    if in_a_clone:
        for name in ("graphs", "extensions", "langgraph.json"):
            (tmp_path / name).symlink_to(ROOT / name)
    (tmp_path / ".env").write_text("COOP_LOG=1\n")
    assert coop("dev", "--port", "0").code == 0
    assert begun.pop()
    (tmp_path / ".env").write_text(f"COOP_LOG=1\n{line}\n")
    ended = coop("dev", "--port", "0")
    assert ".env: COOP_" in one_line(ended, USAGE)
    assert "would replace what coop dev sets" in ended.err
    assert not begun


def test_a_graph_whose_extension_was_removed_is_named_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ours = configuration()
    gone = {"path": "./extensions/gone/page.py:graph"}
    for name in ("graphs", "extensions"):
        (tmp_path / name).symlink_to(ROOT / name)
    graphs = {**ours["graphs"], "gone": gone}
    (tmp_path / "langgraph.json").write_text(json.dumps({**ours, "graphs": graphs}))
    ended = coop_in(tmp_path, monkeypatch, capsys)("dev", "--port", "0")
    told = "langgraph.json: graphs.gone: there is no ./extensions/gone/page.py"
    assert told in one_line(ended, USAGE)
