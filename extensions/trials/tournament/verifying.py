"""The check that a row follows from the match's messages, actions and contract.

The functions that computed the row compute it again, from a table rebuilt from the messages and
actions. Fields that no other field depends on, such as the words of a speech or the hash of a
letter, are protected only by the hash of all rows (`seal`).
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, cast

from shapley_coop.deals.contract import rebuilt
from shapley_coop.evals.cell import Cell, Row
from shapley_coop.evals.measures.reasons import scored_again
from shapley_coop.evals.rows import row_of
from shapley_coop.evals.verifying_books import differences
from shapley_coop.games.audits import audit
from shapley_coop.graphs import builder
from shapley_coop.state.evaluated import EvaluatedTable
from shapley_coop.state.messages import agreed_offers
from shapley_coop.state.result import COUNTED
from shapley_coop.state.run_config import RunConfig
from shapley_coop.state.settings import game_of, settings_of
from shapley_coop.state.settlement import decide, nothing_left, status_of
from shapley_coop.state.table import REFUSED, Table

PLAN, SPLIT = "plan", "split"
"""The topics of the bargaining over the contract and of the bargaining over the final split."""

UNTOLD = ("guess_error", "refused:", "attempts", "strict:", "first_messages")
"""Prefixes of measures that cannot be recomputed, since rows lack guesses and refused messages."""

_VALUED = ("in_words", "would_pay")
"""The keys of an offer in a row that the message with the offer did not contain."""


def wrong_in(row: Row, cell: Cell) -> list[str]:
    """Return a line for each difference between a row and its recomputation; empty if none.

    Args:
        row: a row of a sweep.
        cell: the match of the tournament whose result is in the row.
    """
    try:
        return [*_differences(row, cell), *_wrongly_counted(row)]
    except (LookupError, TypeError, AttributeError, ArithmeticError, ValueError) as error:
        told = " ".join(str(error).split())
        return [f"nothing can be recomputed from it ({type(error).__name__}: {told[:120]})"]


def seal(rows: Iterable[Row]) -> str:
    """Return the SHA-256 of rows in hexadecimal digits; the order of a row's keys has no effect."""
    found = hashlib.sha256()
    for row in rows:
        found.update(json.dumps(row, sort_keys=True).encode() + b"\n")
    return found.hexdigest()


def _differences(row: Row, cell: Cell) -> Iterator[str]:
    """Yield the row's differences from its recomputation; calls and guesses are taken as given."""
    told = row["result"]
    table = _settled(_talked(row, cell), cell, told)
    reasoned = scored_again(table, told.get("reasons", ()))
    again = {**row_of(cell, table, reasoned=reasoned), "calls": row["calls"]}
    if known := again["result"].get("measures"):
        rest = {name: x for name, x in known.items() if not name.startswith(UNTOLD)}
        own = {name: x for name, x in told["measures"].items() if name.startswith(UNTOLD)}
        again["result"]["measures"] = rest | own
    yield from differences(_plain(row), _plain(again))
    yield from filter(None, [EvaluatedTable(table).signed.wrongly_handed()])
    for _, wrong in audit(game_of(table["settings"]), table["record"]):
        yield from wrong


def _talked(row: Row, cell: Cell) -> Table:
    """Return the run's state before its settlement, rebuilt from a row's messages and actions."""
    told = row["result"]
    settings = settings_of(RunConfig.model_validate(dict(cell.room)).resolve())
    game, position = game_of(settings), game_of(settings).start()
    record = [{**turn, "turn": n} for n, turn in enumerate(row["record"], start=1)]
    for turn, after in zip(record, game.analysis.replay(cast(Any, record)), strict=True):
        turn["rewards"] = after.rewards
        if "pot" in turn or after.pot:
            turn["pot"] = after.pot
        position = after.position
    return cast(
        Table,
        {
            "episode": cell.id,
            "settings": settings,
            "agents": list(game.agents),
            "position": position,
            "record": record,
            "talk": [{k: x for k, x in said.items() if k not in _VALUED} for said in row["offers"]],
            "claims": {a: str(claim["claimed"]) for a, claim in told["credit"]["claims"].items()},
            "spent": _spent(told, settings),
            "lapsed": told["lapsed"],
        },
    )


def _settled(table: Table, cell: Cell, told: Mapping[str, Any]) -> Table:
    """Return the run's state with the contract, rebuilt from agreed offers, and the settlement."""
    agreed = agreed_offers(table, PLAN)
    chain = rebuilt(agreed)
    table = {**table, "contract": chain[-1] if chain else None}
    if chain and table["settings"]["renegotiate"] == "never":
        table["lapsed"] = None
    table["amendments"] = [
        {"turn": turn, "hash": one["hash"], "previous": one["previous"], **offer["deal"]}
        for one, (offer, turn) in zip(chain[1:], agreed[1:], strict=True)
    ]
    splits = [offer for offer, _ in agreed_offers(table, SPLIT)]
    table["offer"] = splits[-1] if splits else None
    nodes = builder(cell.graph).nodes
    if "attribute" in nodes:
        table["reckoning"] = {"skipped": nothing_left(EvaluatedTable(table)) or None}
    evaluated = EvaluatedTable(table)
    settlement = {**decide(evaluated), "ledger": "paid"}
    status = status_of(evaluated, settlement)
    if "fail" in nodes:  # only task exchanges have this node
        status = "error" if told["status"] == "error" and not chain else status
    return {**table, "settlement": settlement, "status": status}


def _spent(told: Mapping[str, Any], settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row's counts per phase and agent; refusals count in their agent's first phase."""
    spent: dict[str, Any] = {}
    labels = {a: dict(one["labels"]) for a, one in told["happened"]["answers"].items()}
    for phase, agents in told["spending"].items():
        counts = {}
        for agent, count in agents.items():
            named = {f"{REFUSED}{label}": n for label, n in labels.pop(agent, {}).items()}
            counts[agent] = {**count, **named}
        spent[phase] = {"agents": counts}
    if told["status"] == "budget" and spent:  # rows lack seconds: assume that the time was used up
        next(iter(spent.values()))["seconds"] = settings["budget"]["seconds"]
    return spent


def _wrongly_counted(row: Row) -> Iterator[str]:
    """Yield a line wherever calls, spending, seats and refusals contradict each other."""
    seats = row["result"]["seats"]
    for call in row["calls"]:
        if call["model"] != seats.get(call["agent"], call["model"]):
            yield f"a call of {call['agent']} is said to be answered by {call['model']}"
    for agent, answers in row["result"]["happened"]["answers"].items():
        if sum(answers["labels"].values()) > answers["unusable"]:
            yield f"{agent} has more labels of refusals than refusals"
    for key in COUNTED:
        listed: dict[str, int] = {}
        for call in row["calls"]:
            listed[call["agent"]] = listed.get(call["agent"], 0) + call[key]
        counted: dict[str, int] = {}
        for agents in row["result"]["spending"].values():
            for agent, count in agents.items():
                counted[agent] = counted.get(agent, 0) + count[key]
        yield from differences(listed, counted, f"calls: {key}")


def _plain(value: Any) -> Any:
    """Return a value as JSON would store it; rounding to 1e-9 removes floating-point errors."""
    return json.loads(json.dumps(value), parse_float=lambda number: round(float(number), 9))
