"""Four agents whose delegates bargain, and what is said in their runs."""

import json
from typing import Any

from shapley_coop.graphs.running import play
from shapley_coop.graphs.threads import table_of
from shapley_coop.state.run_config import RunConfig
from shapley_coop.state.storage.home import home
from shapley_coop.state.table import Table
from tests.scripted import Script

AGENTS = ["Ann", "Ben", "Cem", "Dee"]
FOUR = RunConfig(game="volunteers", params={"agents": AGENTS})
ACCEPT, REJECT, LEAVE = "<ACCEPT>", "<s>No.</s><REJECT>", "<ACTION>leave</ACTION>"


def do(agent: str, action: str) -> dict[str, Any]:
    return {"kind": "do", "agent": agent, "action": action}


def offer(*clauses: dict[str, Any]) -> str:
    return f"<s>As follows.</s><PROPOSAL>{json.dumps({'clauses': clauses})}</PROPOSAL>"


def four_wait() -> str:
    return offer(*(do(agent, "wait") for agent in AGENTS))


def all_vote(script: Script, *names: str) -> None:
    """Everybody votes for the first of some names that stands in its group."""
    for agent in AGENTS:
        script[agent, "elect"] = lambda told: (
            f"<ACTION>{next(name for name in [*names, *AGENTS] if name in told['legal'])}</ACTION>"
        )


def all_propose(script: Script, text: str) -> None:
    for agent in AGENTS:
        script[agent, "propose"] = text
        script[agent, "answer"] = ACCEPT


async def ended(config: RunConfig) -> tuple[dict[str, Any], Table]:
    outcome = await play("delegates", config)
    return outcome, await table_of(home().runs.get(outcome["run"]))


def members(table: Table) -> list[str]:
    return [a for g in table["groups"] for a in g["members"] if a != g["delegate"]]


def by(table: Table, act: str) -> list[str]:
    return [said["by"] for said in table["talk"] if said["act"] == act]
