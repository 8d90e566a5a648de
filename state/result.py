"""The result of a run as one plain object for the command line, the server and sweeps.

`docs/run.schema.json` documents the shape. Amounts are numbers in the game's unit.
"""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from shapley_coop.amounts import MICRO, normalise
from shapley_coop.deals.contract import in_force
from shapley_coop.state.conduct import state_conduct
from shapley_coop.state.evaluated import EvaluatedTable
from shapley_coop.state.outcome import summarise
from shapley_coop.state.settings import config_of, name_of
from shapley_coop.state.table import Table
from shapley_coop.state.timeline import timeline

COUNTED = ("calls", "input_tokens", "output_tokens")


def result(run: str, graph: str, table: Table) -> dict[str, Any]:
    """Return the result of a finished run.

    Args:
        run: the run's name.
        graph: the workflow's name.
        table: the run's last state.
    """
    config = config_of(table["settings"])
    seats = {agent: seat.model for agent, seat in config.seats.items()}
    return {
        "run": run,
        "game": name_of(config),
        "graph": graph,
        "seed": config.seed,
        "status": table["status"],
        "happened": summarise(table, seats),
        "episode": table["episode"],
        "agents": table["agents"],
        "seats": seats,
        **_settlement(table),
        **_course(table),
        "timing": seconds_by_phase(table["spent"]),
        "usage": usage(table["spent"]),
        "spending": _spending_by_phase(table["spent"]),
        "simulated": any(seat.simulated or seat.of_simulation for seat in config.seats.values()),
    }


def in_units(settlement: Mapping[str, Any]) -> dict[str, Any]:
    """Return a settlement's rewards, transfers and payoffs, in the game's unit."""
    transfers = [{**t, "amount": t["amount"] / MICRO} for t in settlement["transfers"]]
    return {
        "rewards": _units(settlement["rewards"]),
        "transfers": transfers,
        "payoffs": _units(settlement["payoffs"]),
    }


def _settlement(table: Table) -> dict[str, Any]:
    """Return the payoffs, and the credit, contract and breaches that explain the payoffs."""
    settled, contract = table["settlement"] or {}, table.get("contract")
    return {
        **in_units(settled),
        "ledger": settled["ledger"],
        "credit": _credit(table, settled),
        "contract": contract
        and {
            "hash": contract["hash"],
            "clauses": [c.model_dump(mode="json") for c in in_force(contract).values()],
            "text": contract["text"],
        },
        "lapsed": table.get("lapsed"),
        "amendments": table.get("amendments", []),
        "breaches": settled["breaches"],
        "enforcement": settled.get("enforcement", "enforced"),
        "forfeits": _units(settled.get("forfeits", {})),
        "audit": settled.get("audit"),
    }


def _course(table: Table) -> dict[str, Any]:
    """Return the messages and events of the run, and how the agents acted in it."""
    talk, record = table.get("talk", []), table.get("record", [])
    return {
        "talk": [
            {"id": s["id"], "by": s["by"], "to": s.get("to", "all"), "text": s["text"]}
            for s in talk
        ],
        "events": timeline(EvaluatedTable(table)),
        "turns_played": len(record),
        "acted": {
            agent: sum(agent in turn["actions"] for turn in record) for agent in table["agents"]
        },
        "conduct": state_conduct(table["agents"], record, (table["settlement"] or {})["breaches"]),
        "rounds_of_talk": len({(s["topic"], s["turn"], s["round"]) for s in talk}),
        "agreed_at": _agreed_at(table),
    }


def seconds_by_phase(spent: Mapping[str, Any]) -> dict[str, float]:
    """Return the seconds that each phase took."""
    phases = ("negotiation", "action", "settlement")
    return {phase: spent.get(phase, {}).get("seconds", 0.0) for phase in phases}


def usage(spent: Mapping[str, Any]) -> dict[str, int]:
    """Return the calls and tokens of all phases and agents together."""
    counts = [count for phase in spent.values() for count in phase.get("agents", {}).values()]
    return {key: sum(count.get(key, 0) for count in counts) for key in COUNTED}


def _spending_by_phase(spent: Mapping[str, Any]) -> dict[str, dict[str, dict[str, int]]]:
    """Return phase → agent → the numbers of calls, tokens and refused answers."""
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
    marginal, alone = credit["marginal"], credit.get("alone")
    return {
        "rule": credit["rule"],
        "method": credit["method"],
        "baseline": credit.get("baseline"),
        "alone": alone and _numbers(alone),
        "worth_of_all": float(Fraction(credit["total"])),
        "shapley": _numbers(credit["shapley"]),
        "standard_error": credit["standard_error"],
        "marginal": _numbers(marginal),
        "leave_one_out": _leave_one_out(marginal, Fraction(credit["total"])),
        "skipped": (table.get("reckoning") or {}).get("skipped"),
        "claims": {
            agent: _claim(Fraction(part), credit, agent, settled)
            for agent, part in table.get("claims", {}).items()
        },
    }


def _numbers(amounts: Mapping[str, str]) -> dict[str, float]:
    return {agent: float(Fraction(x)) for agent, x in amounts.items()}


def _leave_one_out(marginal: Mapping[str, str], total: Fraction) -> dict[str, float]:
    """Return marginal contributions adjusted to sum to v(N); the norm does not adjust them."""
    parts = normalise(total, [Fraction(x) for x in marginal.values()])
    return {agent: float(part) for agent, part in zip(marginal, parts, strict=True)}


def _claim(
    part: Fraction, credit: Mapping[str, Any], agent: str, settled: Mapping[str, Any]
) -> dict[str, float | None]:
    """Return which fractions of the gain over the baseline an agent claimed, caused and received.

    Without a baseline, the fractions refer to the total of all payoffs.
    """
    shares, alone = credit["shares"], credit.get("alone")
    recorded = None if shares is None else Fraction(shares[agent])
    before = Fraction(alone[agent]) if alone else Fraction(0)
    whole = (
        Fraction(credit["total"]) if alone else Fraction(sum(settled["payoffs"].values()), MICRO)
    )
    got = Fraction(settled["payoffs"][agent], MICRO) - before
    return {
        "claimed": float(part),
        "recorded": None if recorded is None else float(recorded),
        "agreed": float(got / whole) if whole > 0 else None,
        "over_claim": None if recorded is None else float(part - recorded),
    }


def _agreed_at(table: Table) -> dict[str, Any] | None:
    """Return the round and the message id of the contract's last acceptance, or None."""
    contract = table.get("contract")
    if contract is None:
        return None
    revision = next(iter(contract["signatures"].values()))["revision"]
    turn = max((term["from_turn"] for term in contract["terms"]), default=1)
    # Compare the turn too, because each bargaining numbers its offers (revisions) from 1.
    said = [
        s
        for s in table["talk"]
        if (s["topic"], s["act"], s["turn"]) == ("plan", "accept", turn)
        and s.get("about") == revision
    ]
    return {"round": said[-1]["round"], "message": said[-1]["id"]} if said else None
