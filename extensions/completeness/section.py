"""The section on completeness in the report of `coop contract check`."""

from collections.abc import Mapping
from textwrap import indent
from typing import Any

from shapley_coop.amounts import plain
from shapley_coop.deals.analysis.certificate import Certificate
from shapley_coop.deals.analysis.stage import NotFinite
from shapley_coop.deals.language.clauses import lines_of
from shapley_coop.escaping import visible
from shapley_coop.extensions.completeness.contingencies import Contingency
from shapley_coop.extensions.completeness.examining import Finding, examine
from shapley_coop.extensions.completeness.frontier import Distance, distance
from shapley_coop.extensions.completeness.repairing import Repair, propose


def section(certificate: Certificate, facts: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Return what is missing in a certified contract and its repair, as JSON and as lines."""
    try:
        found = examine(certificate.deal, facts, certificate.enforcement)
    except NotFinite as reason:  # the certificate's own note says so in words
        return {"searched": False, "why": str(reason)}, []
    away, repair = distance(found.tree.stage, found.payoffs), propose(found)
    return _record(found, away, repair), ["", away.words(), *_lines(found, repair)]


def _lines(found: Finding, repair: Repair | None) -> list[str]:
    if found.complete:
        return ["The contract is complete: no breach pays or is costless."]
    lines = ["The contract is not complete."]
    if found.nearest:
        lines += ["The nearest case:", indent(found.nearest.story(), "  ")]
    if repair is None:
        tried = "None of the tried clauses (fines, a split, duties) closes this"
        free = "" if found.tree.enforcement.executes else ", as nothing is enforced"
        return [*lines, f"{tried}{free}."]
    count = f"{len(repair.added)} clause{'s' if len(repair.added) > 1 else ''}"
    left = f"; {plain(repair.then.lost)} stays on the table" if repair.then.lost else ""
    lines.append(
        f"With {count} more, the certificate finds no breach that pays or is costless{left}:"
    )
    ids = repair.then.deal.ids()
    added = lines_of({cid: ids[cid] for cid in [*ids][-len(repair.added) :]})
    return [*lines, *map(visible, added)]


def _record(found: Finding, away: Distance, repair: Repair | None) -> dict[str, Any]:
    return {
        "searched": True,
        "complete": found.complete,
        "distance": {name: None if x is None else plain(x) for name, x in vars(away).items()},
        "contingencies": [_contingency(x.nearest) for x in found.exposures.values()],
        "repair": repair
        and {
            "added": [clause.model_dump(mode="json") for clause in repair.added],
            "contract": repair.then.deal.record(),
            "left_on_the_table": plain(repair.then.lost),
        },
    }


def _contingency(of: Contingency) -> dict[str, Any]:
    ends = {"by_keeping": of.payoffs(of.lawful), "by_breaking": of.payoffs(of.broken)}
    return {
        "agent": of.tree.stage.agents[of.i],
        "turn": of.position.turn,
        "gain": plain(of.gain),
        "surprises": of.surprises,
        **{key: {agent: plain(x) for agent, x in ends[key].items()} for key in ends},
        "story": of.story(),
    }
