"""What a run came to, as one plain object: the same for the command line, the server and sweeps.

The shape is documented in `docs/run.schema.json`. Amounts are numbers in the game's unit.
"""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from shapley_coop.amounts import MICRO
from shapley_coop.deals import in_force
from shapley_coop.state.run_config import config_of, name_of
from shapley_coop.state.table import Table

COUNTED = ("calls", "input_tokens", "output_tokens")


def result(run: str, graph: str, table: Table) -> dict[str, Any]:
    """Summarise a finished table.

    Args:
        run: the run's name.
        graph: the workflow's name.
        table: its last state.
    """
    room = config_of(table["settings"])
    return {
        "run": run,
        "game": name_of(room),
        "graph": graph,
        "seed": room.seed,
        "status": table["status"],
        "episode": table["episode"],
        "agents": table["agents"],
        "seats": {agent: seat.model for agent, seat in room.seats.items()},
        **_settled(table),
        **_course(table),
        "timing": {
            phase: table["spent"].get(phase, {}).get("seconds", 0.0)
            for phase in ("negotiation", "action", "settlement")
        },
        "usage": usage(table["spent"]),
        "spending": _spending(table["spent"]),
        "simulated": any(seat.simulated for seat in room.seats.values()),
    }


def _settled(table: Table) -> dict[str, Any]:
    """Who ended with what, and why."""
    settled, contract = table["settlement"] or {}, table.get("contract")
    return {
        "rewards": _units(settled["rewards"]),
        "transfers": [{**t, "amount": t["amount"] / MICRO} for t in settled["transfers"]],
        "payoffs": _units(settled["payoffs"]),
        "ledger": settled["ledger"],
        "credit": _credit(table, settled),
        "contract": contract
        and {
            "hash": contract["hash"],
            "clauses": [c.model_dump(mode="json") for c in in_force(contract).values()],
            "text": contract["text"],
        },
        "amendments": table.get("amendments", []),
        "breaches": settled["breaches"],
        "enforcement": settled.get("enforcement", "enforced"),
        "forfeits": _units(settled.get("forfeits", {})),
        "audit": settled.get("audit"),
    }


def _course(table: Table) -> dict[str, Any]:
    """What was said and done on the way."""
    talk, record = table.get("talk", []), table.get("record", [])
    return {
        "talk": [{"id": s["id"], "by": s["by"], "to": "all", "text": s["text"]} for s in talk],
        "turns_played": len(record),
        "acted": {
            agent: sum(agent in turn["actions"] for turn in record) for agent in table["agents"]
        },
        "rounds_of_talk": len({(s["topic"], s["turn"], s["round"]) for s in talk}),
        "agreed_at": _agreed_at(table),
    }


def usage(spent: Mapping[str, Any]) -> dict[str, int]:
    """Calls and tokens over all phases and agents."""
    counts = [count for phase in spent.values() for count in phase.get("agents", {}).values()]
    return {key: sum(count.get(key, 0) for count in counts) for key in COUNTED}


def _spending(spent: Mapping[str, Any]) -> dict[str, dict[str, dict[str, int]]]:
    """The same for each agent in each phase, with the drafts that were sent back."""
    return {
        phase: {
            agent: {key: count.get(key, 0) for key in (*COUNTED, "refused")}
            for agent, count in sorted(cost.get("agents", {}).items())
        }
        for phase, cost in sorted(spent.items())
    }


def _units(amounts: Mapping[str, int]) -> dict[str, float]:
    return {account: amount / MICRO for account, amount in amounts.items()}


def _credit(table: Table, settled: Mapping[str, Any]) -> dict[str, Any]:
    credit = settled["credit"]
    total = sum(settled["payoffs"].values())
    return {
        "method": credit["method"],
        "worth_of_all": float(Fraction(credit["total"])),
        "shapley": {a: float(Fraction(x)) for a, x in credit["shapley"].items()},
        "standard_error": credit["standard_error"],
        "claims": {
            agent: _claim(Fraction(part), Fraction(credit["shares"][agent]), agent, settled, total)
            for agent, part in table.get("claims", {}).items()
        },
    }


def _claim(
    part: Fraction, recorded: Fraction, agent: str, settled: Mapping[str, Any], total: int
) -> dict[str, float | None]:
    """A claim beside the record: parts of the total; the over-claim index is their difference."""
    return {
        "claimed": float(part),
        "recorded": float(recorded),
        "agreed": settled["payoffs"][agent] / total if total > 0 else None,
        "over_claim": float(part - recorded),
    }


def _agreed_at(table: Table) -> dict[str, Any] | None:
    """The round and message with which all agents had accepted the contract."""
    contract = table.get("contract")
    if contract is None:
        return None
    revision = next(iter(contract["signatures"].values()))["revision"]
    said = [
        s
        for s in table["talk"]
        if s["topic"] == "plan" and s["act"] == "accept" and s.get("about") == revision
    ]
    return {"round": said[-1]["round"], "message": said[-1]["id"]} if said else None
