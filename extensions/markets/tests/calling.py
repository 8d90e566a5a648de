"""A call market of three agents, and what they send in."""

import json
from typing import Any

from shapley_coop.evals.verifying import verify_run
from shapley_coop.graphs.running import play
from shapley_coop.graphs.threads import table_of
from shapley_coop.state.run_config import RunConfig
from shapley_coop.state.storage.home import home
from shapley_coop.state.table import Table
from tests.scripted import Script

AGENTS = ["Ann", "Ben", "Cem"]
ROOM: dict[str, Any] = {"game": "trade", "params": {"agents": AGENTS}}


def order(side: str, good: str, quantity: int, price: float) -> dict[str, Any]:
    return {"side": side, "good": good, "quantity": quantity, "price": price}


def send(*orders: dict[str, Any]) -> str:
    return f"<PROPOSAL>{json.dumps({'orders': orders})}</PROPOSAL>"


async def ended(**room: Any) -> tuple[dict[str, Any], Table]:
    outcome = await play("call_market", RunConfig.model_validate({**ROOM, **room}))
    return outcome, await table_of(home().runs.get(outcome["run"]))


async def sound(outcome: dict[str, Any]) -> None:
    wrong = [check for check in await verify_run(outcome["run"]) if not check.sound]
    assert not wrong


def two_trade(script: Script) -> None:
    """Ann holds wood, Ben stone, Cem wool: Ben buys two wood of Ann; nobody else is served."""
    script["Ann", "order"] = send(order("sell", "wood", 2, 4))
    script["Ben", "order"] = send(order("buy", "wood", 2, 8))
    script["Cem", "order"] = "<REJECT>"


def passed(table: Table) -> list[tuple[str, str]]:
    return [(s["by"], s.get("label", "")) for s in table["talk"] if s["act"] == "pass"]
