"""Agents of several owners at one table: each with a machine, a home, a key and a policy."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from shapley_coop.graphs.running import play
from shapley_coop.state.run_config import RunConfig
from tests.root import ROOT
from tests.server_process import Server

pytestmark = pytest.mark.slow


async def test_a_chat_agent_of_a_langgraph_server_plays_unmodified(tmp_path: Path) -> None:
    server = Server(tmp_path)
    server.serve_too(ROOT / "extensions" / "a2a" / "tests" / "chat_agent.py")
    with server:
        found = server.client().assistants.search(graph_id="chat_agent")
        bob = f"a2a:{server.url}/a2a/{found[0]['assistant_id']}"
        room = {"game": "escape_room", "seats": {"*": "embedded:rational", "Bob": bob}}
        outcome = await play("negotiation_priced", RunConfig.model_validate(room))
    assert outcome["status"] == "agreed"
    assert outcome["happened"]["acted"] == ["Alice", "Bob"]
    assert sum(outcome["payoffs"].values()) == 9


class Machine:
    """One owner's: a folder with a home, in which all of its programs run."""

    def __init__(self, folder: Path, owner: str) -> None:
        folder.mkdir()
        self.folder, self.owner = folder, owner
        self._environment = {
            **os.environ,
            "COOP_HOME": str(folder / "home"),
            "PYTHONPATH": str(ROOT),
        }
        self.coop("keys", "new", owner)
        self.public = folder / f"{owner}.pem"
        self.public.write_text(self.coop("keys", "show", owner))

    def coop(self, *argv: str) -> str:
        """Run a command, which has to succeed, and give what it prints."""
        done = subprocess.run(
            [sys.executable, "-m", "shapley_coop", *argv],
            cwd=self.folder,
            env=self._environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    @contextmanager
    def agent(self, least: float) -> Iterator[str]:
        """Its agent, which signs nothing that would pay it less; the address."""
        with subprocess.Popen(
            [sys.executable, "-m", "extensions.a2a.tests.a2a_owner", self.owner, str(least)],
            cwd=self.folder,
            env=self._environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        ) as process:
            assert process.stdout is not None
            assert process.stdin is not None
            try:
                yield process.stdout.readline().strip()
            finally:
                process.stdin.close()

    def plays_with(self, guest: "Machine", least: float) -> dict[str, object]:
        """Play at its own table: its own agent is Alice, the guest's is Bob, who signs himself."""
        keys = ("--key", f"Alice={self.owner}", "--key", f"Bob={guest.public}", "--require-signed")
        with guest.agent(least) as url:
            argv = ("run", "escape_room", "--graph", "shapley_coop", *keys, "--name", "r", "--json")
            told: dict[str, object] = json.loads(self.coop(*argv, "--agent", f"Bob=a2a:{url}"))
        return told

    def checks(self, other: "Machine") -> set[str]:
        """Check what another machine exported, with the keys of both; what was checked."""
        export = other.folder / "deal.dsse.json"
        known = {"operator": other.public, "Alice": other.public, "Bob": self.public}
        keys = [part for name, path in known.items() for part in ("--key", f"{name}={path}")]
        need = ("--need", "Alice", "--need", "Bob")
        found = json.loads(self.coop("check", str(export), *keys, *need, "--json"))
        assert found["sound"]
        return {check["what"] for check in found["checks"]}


def test_two_owners_play_at_each_others_table_and_check_each_others_exports(
    tmp_path: Path,
) -> None:
    ann, ben = Machine(tmp_path / "ann", "ann"), Machine(tmp_path / "ben", "ben")
    for host, guest in ((ann, ben), (ben, ann)):
        outcome = host.plays_with(guest, least=4)
        assert outcome["status"] == "agreed"
        assert outcome["payoffs"] == {"Alice": 4.5, "Bob": 4.5}
        host.coop("verify", "r")
        host.coop("prove", "r", "-o", "deal.dsse.json", "--key", host.owner)
    for one, other in ((ann, ben), (ben, ann)):
        assert {"play", "transfers", "payoffs"} <= one.checks(other)


def test_an_owners_policy_signs_nothing_that_pays_too_little(tmp_path: Path) -> None:
    ann, ben = Machine(tmp_path / "ann", "ann"), Machine(tmp_path / "ben", "ben")
    outcome = ann.plays_with(ben, least=5)
    assert outcome["status"] == "no_deal"
    assert outcome["transfers"] == []
