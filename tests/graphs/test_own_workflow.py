"""The workflow of docs/own-workflow.md, installed as the page says, is played by every seat."""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from shapley_coop import RunConfig, extension
from shapley_coop.evals.verifying import verify_run
from shapley_coop.graphs import catalogue
from shapley_coop.graphs.preparing import prepare
from shapley_coop.graphs.running import follow, play
from shapley_coop.seats.records import Mail
from tests.coop_command import Coop
from tests.root import ROOT
from tests.scripted import Script

PAGE = (ROOT / "docs" / "own-workflow.md").read_text(encoding="utf-8")
FILES = re.findall(r'```\w+ title="([^"]+)"\n(.*?)```', PAGE, re.DOTALL)
COMMANDS = re.findall(r"^coop (.*)$", PAGE, re.MULTILINE)
CACHES = (extension._find_all, catalogue.builder, catalogue.compiled, catalogue.version)
TWO = RunConfig(game="prisoners_dilemma", params={"rounds": 1})


@pytest.fixture(autouse=True)
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The package, with the metadata that an installation would leave."""
    for name, text in FILES:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    (described := tmp_path / "first_offer-0.1.0.dist-info").mkdir()
    (described / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: first-offer\nVersion: 0.1.0\n"
    )
    entry = FILES[-1][1].partition('"shapley_coop.extensions"]')[2].replace('"', "")
    (described / "entry_points.txt").write_text(f"[shapley_coop.extensions]{entry}")
    monkeypatch.syspath_prepend(tmp_path)
    for cached in CACHES:
        cached.cache_clear()
    yield
    for name in [name for name in sys.modules if name.partition(".")[0] == "first_offer"]:
        del sys.modules[name]
    monkeypatch.undo()
    for cached in CACHES:
        cached.cache_clear()


def test_the_page_is_short_and_its_files_are_a_package() -> None:
    names = [name for name, _ in FILES]
    assert names == ["first_offer/page.py", "first_offer/__init__.py", "pyproject.toml"]
    code = [line for line in FILES[0][1].splitlines() if line.strip()]
    assert len(code) <= 40


@pytest.mark.parametrize("game", ["volunteers", "prisoners_dilemma", "escape_room", "public_goods"])
async def test_embedded_agents_play_it_and_it_verifies(game: str) -> None:
    outcome = await play("first_offer", RunConfig(game=game, seed=1))
    assert outcome["status"] in ("agreed", "no_deal")
    assert all(check.sound for check in await verify_run(outcome["run"]))


async def test_one_offer_is_made_and_a_counter_offer_binds_nobody(script: Script) -> None:
    offer = (
        '<PROPOSAL>{"clauses": [{"kind": "do", "agent": "Alice", "action": "cooperate"}, '
        '{"kind": "do", "agent": "Bob", "action": "cooperate"}]}</PROPOSAL>'
    )
    script["Alice", "propose"], script["Bob", "answer"] = offer, "<ACCEPT>"
    assert (await play("first_offer", TWO))["status"] == "agreed"
    script["Bob", "answer"] = f"<s>No: mine.</s><REJECT>{offer}"
    outcome = await play("first_offer", TWO)
    assert (outcome["status"], outcome["contract"]) == ("no_deal", None)
    assert [event["by"] for event in outcome["talk"]] == ["Alice", "Bob"]


async def test_a_person_takes_it() -> None:
    def reply(mail: Mail) -> str:
        return "<ACCEPT>" if mail.act == "answer" else f"<ACTION>{mail.facts['legal'][0]}</ACTION>"

    seats = {"Alice": "embedded:rational", "Bob": "human"}
    run = prepare("first_offer", TWO.model_copy(update={"seats": RunConfig(seats=seats).seats}))
    assert (await follow(run, person=reply))["status"] in ("agreed", "no_deal")


def test_its_commands_work(coop: Coop) -> None:
    assert len(COMMANDS) == 4
    for command in COMMANDS:
        done = coop(*command.split())
        waits = "human" in command
        assert done.code == 0 or (waits and "waits for Alice" in done.err), done.err
