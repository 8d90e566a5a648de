"""Whether a match's row is what its own words, actions and contract come to, field by field.

A table is rebuilt from what was said and done, and its row made of it by the functions that made
the first one. What nothing else follows from, as the wording of a speech or the hash of a letter,
is held by the seal of all rows alone (`seal`).
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, cast

from shapley_coop.deals.contract import rebuilt
from shapley_coop.evals.measures.reasons import scored_again
from shapley_coop.evals.sweeps.cells import Cell
from shapley_coop.evals.sweeps.rows import row_of
from shapley_coop.evals.sweeps.stored import Row
from shapley_coop.evals.verifying_books import differences
from shapley_coop.games.audits import audit
from shapley_coop.graphs import builder
from shapley_coop.state.evaluated import EvaluatedTable
from shapley_coop.state.exchange import REFUSED
from shapley_coop.state.messages import agreed_offers
from shapley_coop.state.result import COUNTED
from shapley_coop.state.run_config import RunConfig
from shapley_coop.state.settings import game_of, settings_of
from shapley_coop.state.settlement import decide, nothing_left, status_of
from shapley_coop.state.table import Table

PLAN, SPLIT = "plan", "split"
"""The bargaining whose agreements are the contract, and the one about the division at the end."""

UNTOLD = ("guess_error", "refused:", "attempts")
"""How measures begin of what agents thought of others' tasks, or sent in vain: it is in no row."""

_VALUED = ("in_words", "would_pay")
"""What a row says of an offer beside what was said."""


def wrong_in(row: Row, cell: Cell) -> list[str]:
    """Return where a row differs from what its match comes to; empty where it does not.

    Args:
        row: of a sweep.
        cell: the match that it is of.
    """
    try:
        return [*_differences(row, cell), *_wrongly_counted(row)]
    except (LookupError, TypeError, AttributeError, ArithmeticError, ValueError) as error:
        told = " ".join(str(error).split())
        return [f"nothing can be recomputed from it ({type(error).__name__}: {told[:120]})"]


def seal(rows: Iterable[Row]) -> str:
    """Return the SHA-256 of rows, whatever the order of their keys, in hexadecimal digits."""
    found = hashlib.sha256()
    for row in rows:
        found.update(json.dumps(row, sort_keys=True).encode() + b"\n")
    return found.hexdigest()


def _differences(row: Row, cell: Cell) -> Iterator[str]:
    """Where the row is not the one that words and actions come to; calls, thoughts are as told."""
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
    """Return the table before its settlement."""
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
    """Return the same with its contract, as agreed, and its settlement."""
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
    if "fail" in nodes:  # a task exchange
        status = "error" if told["status"] == "error" and not chain else status
    return {**table, "settlement": settlement, "status": status}


def _spent(told: Mapping[str, Any], settings: Mapping[str, Any]) -> dict[str, Any]:
    """What the table counted, with the labels of refusals in the first phase of each agent."""
    spent: dict[str, Any] = {}
    labels = {a: dict(one["labels"]) for a, one in told["happened"]["answers"].items()}
    for phase, agents in told["spending"].items():
        counts = {}
        for agent, count in agents.items():
            named = {f"{REFUSED}{label}": n for label, n in labels.pop(agent, {}).items()}
            counts[agent] = {**count, **named}
        spent[phase] = {"agents": counts}
    if told["status"] == "budget" and spent:  # seconds are in no row
        next(iter(spent.values()))["seconds"] = settings["budget"]["seconds"]
    return spent


def _wrongly_counted(row: Row) -> Iterator[str]:
    """Yield where calls, spending, seats and refusals do not say the same."""
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
    """A value as JSON gives it back, its amounts to a billionth: sums leave dust below that."""
    return json.loads(json.dumps(value), parse_float=lambda number: round(float(number), 9))
