"""The clause of docs/own-clause.md, installed as the page says, is told, signed and paid."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.root import ROOT

PAGE = (ROOT / "docs" / "own-clause.md").read_text(encoding="utf-8")
FILES = re.findall(r'```\w+ title="([^"]+)"\n(.*?)```', PAGE, re.DOTALL)
PLAYED = """
import asyncio, json, sys
from shapley_coop.graphs.preparing import prepare
from shapley_coop.graphs.running import follow
from shapley_coop.graphs.threads import table_of
from shapley_coop.seats.schema import schema_of
from shapley_coop.state.run_config import RunConfig

quota, letters = json.loads(sys.argv[1]), []
clause = {"kind": "pay_if_quota", "payer": "Agent1", "payee": "Agent2", "amount": 3}
offer = json.dumps({"clauses": [{**clause, "action": "Give", "quota": quota}]})

def reply(mail):
    letters.append(mail.letter_text)
    if mail.act == "propose":
        return f"<s>This.</s><PROPOSAL>{offer}</PROPOSAL>" if mail.agent == "Agent1" else "<REJECT>"
    if mail.act == "act":
        return f"<ACTION>{'keep' if mail.agent == 'Agent3' else 'give'}</ACTION>"
    return "<ACCEPT>"

async def played():
    seats = {agent: "human" for agent in ("Agent1", "Agent2", "Agent3")}
    room = RunConfig(game="public_goods", params={"agents": 3, "rounds": 2}, seats=seats, rounds=1)
    run = prepare("negotiation_priced", room, "quota")
    outcome = await follow(run, person=reply)
    table = await table_of(run)
    schema = schema_of({"ask": "propose"})
    print(json.dumps([letters[0], schema, table["contract"], outcome], default=str))

asyncio.run(played())
"""


@pytest.fixture
def installed(tmp_path: Path) -> dict[str, str]:
    """The environment of a program that finds the package, as an installation leaves it."""
    for name, text in FILES:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    (described := tmp_path / "quota-0.1.0.dist-info").mkdir()
    (described / "METADATA").write_text("Metadata-Version: 2.1\nName: quota\nVersion: 0.1.0\n")
    entry = FILES[-1][1].partition('"shapley_coop.extensions"]')[2].replace('"', "")
    (described / "entry_points.txt").write_text(f"[shapley_coop.extensions]{entry}")
    path = os.pathsep.join([str(tmp_path), str(ROOT)])
    return {**os.environ, "PYTHONPATH": path, "COOP_HOME": str(tmp_path / "home")}


@pytest.mark.parametrize(
    ("quota", "paid"), [("2/3", 3), pytest.param(1, 0, marks=pytest.mark.slow)]
)
def test_it_goes_from_a_letter_to_the_settlement(
    installed: dict[str, str], quota: object, paid: int
) -> None:
    command = [sys.executable, "-c", PLAYED, json.dumps(quota)]
    done = subprocess.run(command, env=installed, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    letter, schema, contract, outcome = json.loads(done.stdout.splitlines()[-1])
    assert '"kind": "pay_if_quota"' in letter
    offered = schema["$defs"]["PayIfQuota"]
    assert offered["required"] == ["kind", "payer", "payee", "amount", "action", "quota", "when"]
    assert offered["description"].startswith("`payer` pays `payee` once")
    assert "Agent1 pays Agent2 3, once" in contract["text"]
    # Two of three give in both turns, so that each of them earns less than who keeps.
    given = {agent: outcome["payoffs"][agent] for agent in ("Agent1", "Agent2")}
    assert given["Agent2"] - given["Agent1"] == 2 * paid
