"""The row of a run, equal for equal runs, and an object with the fields that vary, such as times.

A row holds the run's whole public record (talk, offers, turns, contract, settlement) and its calls.
So tables, statistics and reports need nothing else. A row holds no letters and no answers.
"""

import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from shapley_coop.deals.language.deal import Deal
from shapley_coop.evals.cell import Cell, Row
from shapley_coop.evals.measures import reasons
from shapley_coop.evals.measures.reference_points import Yardstick, yardstick
from shapley_coop.games import Turn
from shapley_coop.graphs import builder
from shapley_coop.seats.records import BESIDE, Entry
from shapley_coop.state.evaluated import EvaluatedTable
from shapley_coop.state.outsiders import IMPARTIAL
from shapley_coop.state.result import result, seconds_by_phase
from shapley_coop.state.run_config import SUMMARISER
from shapley_coop.state.table import PublicMessage, Table

PARTS = ("cached_tokens", "reasoning_tokens", "batched")
"""The fields of a call, besides its tokens, on which its price depends; rows leave out zeros."""

_EACH_TIME = ("run", "episode", "timing", "talk", "events")


@dataclass(frozen=True)
class Finished:
    """A run's row (equal for equal runs) and the fields that vary, such as times."""

    row: Row
    volatile: Row


@dataclass
class Clock:
    """A counter of wall time by turn and phase, from the seconds that nodes report.

    The settlement's time is counted under an additional turn number after the last turn.

    Attributes:
        turn: the current turn, from 1.
        spent: turn → phase → seconds.
    """

    turn: int = 1
    spent: dict[int, dict[str, float]] = field(default_factory=dict)

    def __call__(self, node: str, written: dict[str, Any]) -> None:
        """Add the seconds in a node's update of the table (`graphs.running.Watcher`)."""
        for phase, cost in written.get("spent", {}).items():
            phases = self.spent.setdefault(self.turn, {})
            phases[phase] = phases.get(phase, 0.0) + cost.get("seconds", 0.0)
        self.turn += len(written.get("record", []))


def row_of(
    cell: Cell,
    table: Table,
    entries: Sequence[Entry] = (),
    reasoned: Sequence[reasons.Scored] | None = None,
) -> Row:
    """Return the row of a finished run.

    Args:
        cell: the cell that was played.
        table: the run's last state.
        entries: the journal's entries; without them, calls are counted by agent and phase.
        reasoned: scored reasoning that replaces the scores from the journal, if given.
    """
    outcome = result("", cell.graph, table)
    record, rule = table.get("record", []), yardstick(table["settings"], cell.graph)
    told = [_message_row(said, record, rule) for said in table.get("talk", [])]
    if own := builder(cell.graph).measures:
        told = [own.of_message(table, line) for line in told]
        outcome["measures"] = own.of_run(table, entries)
    if reasoned := reasons.score_reasons(table, entries) if reasoned is None else reasoned:
        outcome["reasons"] = list(reasoned)
        outcome["measures"] = {**outcome.get("measures", {}), **reasons.measures(reasoned)}
    return {
        "cell": cell.id,
        "suite": cell.suite,
        "labels": dict(cell.labels),
        "graph": cell.graph,
        "seed": cell.seed,
        "repetition": cell.repetition,
        "room": dict(table["settings"]),
        "result": {key: x for key, x in outcome.items() if key not in _EACH_TIME},
        "offers": told,
        "record": record,
        "clauses": _clauses(EvaluatedTable(table)),
        "calls": calls_of(entries) or count_calls(table),
        "refused": _count_refusals(table),
    }


def volatile_of(cell: Cell, table: Table, clock: Clock, started: float, **more: Any) -> Row:
    """Return the names, times and versions of a run; `started` is in monotonic seconds."""
    return {
        "cell": cell.id,
        "episode": table["episode"],
        "phases": seconds_by_phase(table["spent"]),
        "turns": [{"turn": turn, **phases} for turn, phases in clock.spent.items()],
        "seconds": time.monotonic() - started,
        "ended": datetime.now(UTC).isoformat(timespec="seconds"),
        **more,
    }


def _message_row(said: PublicMessage, record: Sequence[Turn], rule: Yardstick) -> dict[str, Any]:
    """Return a public message, with each agent's payoff if all kept the message's offer."""
    line: dict[str, Any] = dict(said)
    if "deal" in said:
        deal = Deal.model_validate(said["deal"])
        line["in_words"] = deal.text()
        played = record[: said["turn"] - 1]
        # An offer between turns only amends the contract, so the offer alone fixes no payoffs.
        amends = said["topic"] != "split" and played
        line["would_pay"] = None if amends else rule.value(deal, played)
    return line


def _clauses(evaluated: EvaluatedTable) -> list[dict[str, Any]]:
    """Return every signed clause, even if dropped, with its numbers of duties and of breaches."""
    contract, monitor = evaluated.contract, evaluated.signed.monitor
    owed = [duty.clause for asked in monitor.asked for duty in asked]
    broken = [breach.clause for breach in monitor.breaches]
    return [
        {
            **term,
            "in_words": Deal.model_validate({"clauses": [term["clause"]]}).clauses[0].words(),
            "duties": owed.count(term["id"]),
            "breaches": broken.count(term["id"]),
        }
        for term in (contract["terms"] if contract else [])
    ]


def calls_of(entries: Iterable[Entry]) -> list[dict[str, Any]]:
    """Return one object for each call, in an order that does not depend on timing."""
    fields = ("agent", "act", "attempt", "model", "letter")
    of_answer = ("input_tokens", "output_tokens", "cut")
    calls = [
        {name: getattr(entry, name) for name in fields}
        | {"calls": 1, **{name: getattr(entry.answer, name) for name in of_answer}}
        | {name: x for name in PARTS if (x := getattr(entry.answer, name))}
        for entry in entries
        if entry.act not in BESIDE
    ]
    return sorted(calls, key=lambda c: (c["agent"], c["act"], c["letter"], c["attempt"]))


def count_calls(table: Table) -> list[dict[str, Any]]:
    """Return the calls summed by agent and phase, from the table's counts."""
    seats = table["settings"]["seats"]
    unknown = dict.fromkeys(("attempt", "letter", "cut"))
    return [
        {
            **unknown,
            "agent": agent,
            "act": phase,
            "model": seats[agent]["model"] if agent in seats else _of_outsider(table),
            **{key: counts.get(key, 0) for key in ("calls", "input_tokens", "output_tokens")},
        }
        for phase, spent in sorted(table["spent"].items())
        for agent, counts in sorted(spent.get("agents", {}).items())
    ]


def _of_outsider(table: Table) -> str:
    """Return the model of a summariser without a seat: unknown if it drafted, else embedded."""
    by_it = [said for said in table.get("talk", []) if said["by"] == SUMMARISER]
    drafted = any("puts" in said or "label" in said for said in by_it)
    return "unknown:model" if drafted else IMPARTIAL.model


def _count_refusals(table: Table) -> dict[str, int]:
    """Return agent → the number of the agent's refused drafts."""
    counts = Counter(dict.fromkeys(table["agents"], 0))
    for spent in table["spent"].values():
        counts.update({a: n.get("refused", 0) for a, n in spent.get("agents", {}).items()})
    return dict(counts)
