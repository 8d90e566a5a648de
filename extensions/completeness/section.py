"""The section on completeness in the report of `coop contract check`."""

from collections.abc import Mapping
from typing import Any

from shapley_coop.amounts import plain
from shapley_coop.deals.analysis.certificate import Certificate
from shapley_coop.deals.analysis.stage import NotFinite
from shapley_coop.deals.language.clauses import lines_of
from shapley_coop.escaping import visible
from shapley_coop.extensions.completeness.contingencies import Contingency
from shapley_coop.extensions.completeness.examining import Finding, examine
from shapley_coop.extensions.completeness.frontier import Distance
from shapley_coop.extensions.completeness.repairing import Repair, propose


def section(certificate: Certificate, facts: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Return what is missing in a certified contract and its repair, as JSON and as lines."""
    try:
        found = examine(certificate.deal, facts, certificate.enforcement)
    except NotFinite as reason:  # the certificate's own note says so in words
        return {"searched": False, "why": str(reason)}, []
    repair = propose(found)
    return _record(found, repair), [visible(line) for line in _lines(found, repair)]


def _lines(found: Finding, repair: Repair | None) -> list[str]:
    lines = ["", found.distance.words()]
    if found.complete:
        return [*lines, "The contract is complete: no breach pays or is costless."]
    if found.nearest:
        lines += ["The contract is not complete. The nearest case:"]
        lines += [f"  {line}" for line in found.nearest.story().splitlines()]
    if repair is None:
        return [*lines, "None of the tried clauses (fines, a split, duties) closes this."]
    count = "one clause" if len(repair.added) == 1 else f"{len(repair.added)} clauses"
    left = f"; {plain(repair.lost)} stays on the table" if repair.lost else ""
    lines.append(
        f"With {count} more, the certificate finds no breach that pays or is costless{left}:"
    )
    ids = repair.deal.ids()
    return [*lines, *lines_of({cid: ids[cid] for cid in [*ids][-len(repair.added) :]})]


def _record(found: Finding, repair: Repair | None) -> dict[str, Any]:
    return {
        "searched": True,
        "complete": found.complete,
        "distance": _distance(found.distance),
        "contingencies": [_contingency(x.nearest) for x in found.exposures.values()],
        "repair": repair
        and {
            "added": [clause.model_dump(mode="json") for clause in repair.added],
            "contract": repair.deal.record(),
            "left_on_the_table": plain(repair.lost),
        },
    }


def _distance(of: Distance) -> dict[str, str | None]:
    amounts = {**vars(of), "with_money": of.with_money}
    return {name: None if x is None else plain(x) for name, x in amounts.items()}


def _contingency(of: Contingency) -> dict[str, Any]:
    plays = [dict(zip(of.agents, play, strict=True)) for play in (*of.past, of.broken)]
    return {
        "agent": of.agent,
        "turn": of.turn,
        "plays": plays,
        "instead": of.lawful[of.agents.index(of.agent)],
        "owed": list(of.owed),
        "surprises": of.surprises,
        "gain": plain(of.gain),
        "by_keeping": dict(zip(of.agents, map(plain, of.by_keeping), strict=True)),
        "by_breaking": dict(zip(of.agents, map(plain, of.by_breaking), strict=True)),
        "story": of.story(),
    }
