"""The contributors' consent to a split: the people who agreed, objected or did not answer.

Each contributor has a seat in the workflow `consent`, whose first offer is the counted split. A
person's seat waits for that person's answer. A model or an embedded agent answers at once, but its
answer is not a person's consent, so the report names these seats.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, cast

from shapley_coop.amounts import plain, to_micro
from shapley_coop.cli.console import finish
from shapley_coop.deals.language.deal import Deal
from shapley_coop.extensions.bounty.once import seats_of

AGREED = "redistribution"
"""The basis of a settlement by a split that all accepted."""

COUNTED = 1
"""The number of the first offer, which is the counted split."""

MOST_QUOTED = 300
"""The most characters of an objection that are printed; the run keeps the whole text."""

NOBODY_ASKED = "Nobody was asked whether they agree."
NOTHING_SIMULATED = "No seat was simulated."


def consent(
    run: Any, seats: Mapping[str, Any], names: Sequence[str], waiting: Sequence[str]
) -> dict[str, Any]:
    """Return the contributors that agreed to the split in force, and those that did not.

    The split in force is the one that all accepted, or else the split by counted work (offer 1). So
    a contributor that accepted only a failed counter-offer did not agree to it.

    Args:
        run: the run in which the contributors are asked.
        seats: contributor → seat; the key '*' gives the seat of all others.
        names: the contributors.
        waiting: the contributors whose answers the run waits for.

    Returns:
        `agreed`, `objected` (name → words) and `silent` name people; `simulated` and `models` name
        contributors whose seat is a program. `offer_by` is the author of the current counter-offer,
        or "". `failed` lists the others, each with `by`, `amounts` and `not_accepted_by`.
    """
    from shapley_coop.graphs.threads import table_of

    table, kinds = finish(table_of(run)), seats_of(names, seats)
    people = [name for name in names if kinds[name].human]
    settled, offer = table.get("settlement"), table.get("offer")
    unanimous = bool(settled and settled["basis"] == AGREED)
    said = _answers(table, offer["revision"] if offer and unanimous else COUNTED)
    agreed = [n for n in people if unanimous or said.get(n, {}).get("act") == "accept"]
    objected = {n: said[n]["text"] for n in people if said.get(n, {}).get("act") == "reject"}
    return {
        "run": run.run,
        "agreed": agreed,
        "objected": objected,
        "silent": [n for n in people if n not in (*agreed, *objected)] if settled else [],
        "waiting": list(waiting),
        "simulated": [n for n in names if kinds[n].simulated or kinds[n].of_simulation],
        "models": [n for n in names if not (kinds[n].human or kinds[n].simulated)],
        "unanimous": unanimous,
        "offer_by": offer["by"] if offer and offer["revision"] > COUNTED else "",
        "failed": _failed(table, offer["revision"] if offer else 0),
    }


def _failed(table: Mapping[str, Any], standing: int) -> list[dict[str, Any]]:
    """Return the counter-offers that were answered, but that not all accepted."""
    from shapley_coop.state.evaluated import EvaluatedTable

    talk = table.get("talk", [])
    return [
        {
            "by": said["by"],
            "amounts": {
                name: plain(x)
                for name, x in EvaluatedTable(cast(Any, table))
                .payoffs_under(Deal.model_validate(said["deal"]))
                .items()
            },
            "not_accepted_by": [
                one["by"]
                for one in talk
                if one.get("about") == said["puts"] and one["act"] != "accept"
            ],
        }
        for said in talk
        if said.get("puts", 0) > COUNTED and said["puts"] != standing
    ]


def _answers(table: Mapping[str, Any], revision: int) -> dict[str, Mapping[str, Any]]:
    """Return contributor → answer to an offer, for those who have answered so far."""
    heard = {one["by"]: one for one in table.get("talk", []) if one.get("about") == revision}
    offer = table.get("offer")
    held = (table.get("answers") or {}) if offer and offer["revision"] == revision else {}
    return {**heard, **held}


def is_agreed(ended: Mapping[str, Any]) -> bool:
    """Return whether all accepted the same split; otherwise the counted split is in force."""
    return any(e["kind"] == "settled" and e["basis"] == AGREED for e in ended["events"])


def payoffs_of(ended: Mapping[str, Any]) -> dict[str, int]:
    """Return contributor → payoff in an ended run, in millionths of the unit."""
    return {name: to_micro(str(amount)) for name, amount in ended["payoffs"].items()}


BY_WEIGHT = "Divided by Weighted Earned Value, by the middle of each weight in force."


def consent_words(report: Mapping[str, Any], by_value: str = BY_WEIGHT) -> list[str]:
    """Return sentences that say how a split was computed, and which contributors consented."""
    found = report.get("consent")
    if found is None:
        return [by_value, NOBODY_ASKED]
    objected = [
        f"{_named(name)} ({_quoted(why)})" if why else _named(name)
        for name, why in found["objected"].items()
    ]
    countered = bool(found["waiting"] and found["offer_by"])
    parts = [
        ("Agreed to this split: {}.", _names(found["agreed"])),
        ("Objected: {}.", ", ".join(objected)),
        ("Did not answer: {}.", _names(found["silent"])),
        ("Have not answered yet: {}.", _names([] if countered else found["waiting"])),
        ("Simulated, by an embedded agent that speaks for nobody: {}.", _names(found["simulated"])),
        ("A model answered in place of: {}.", _names(found["models"])),
    ]
    told = [words.format(names) for words, names in parts if names]
    for offer in found["failed"]:
        each = offer["amounts"].items()
        amounts = ", ".join(f"{_named(name)} {float(Fraction(x)):.2f}" for name, x in each)
        told.append(
            f"A counter-offer by {_named(offer['by'])} ({amounts}) was not accepted by "
            f"{_names(offer['not_accepted_by'])}."
        )
    if countered:
        told.append(
            f"A counter-offer by {_named(found['offer_by'])} is open, and "
            f"{_names(found['waiting'])} can still answer it; the lines above are about the "
            "counted split."
        )
    if not found["simulated"]:
        told.append(NOTHING_SIMULATED)
    if not found["unanimous"]:
        return [by_value, *told]
    stood_in = found["simulated"] or found["models"]
    how = "in a bargaining in which programs answered" if stood_in else "as its contributors agreed"
    by = f", on a counter-offer by {_named(found['offer_by'])}" if found["offer_by"] else ""
    return [f"Divided {how}{by}.", *told]


def part_of(report: Mapping[str, Any], name: str) -> list[str]:
    """Return sentences for a contributor: what it and the others are paid, and who agreed."""
    unit = report["currency"]
    paid = {who: f"{x['amount']} {unit}".strip() for who, x in report["contributors"].items()}
    others = [f"{_named(who)} gets {x}." for who, x in paid.items() if who != name]
    return [f"You get {paid[name]}.", *others, *consent_words(report)]


def _names(names: Sequence[str]) -> str:
    return ", ".join(map(_named, names))


def _named(name: str) -> str:
    """Return a name, in quotes if its characters could pass for several names or a sentence."""
    return name if all(c.isalnum() or c in " -'_" for c in name) else _quoted(name)


def _quoted(words: str) -> str:
    """Return words in curly quotes; curly quotes within become straight, so as not to end them."""
    said = " ".join(words.split()).translate({ord(mark): '"' for mark in "“”„‟"})
    return f"“{said if len(said) <= MOST_QUOTED else said[:MOST_QUOTED] + '…'}”"


def text_of(file: Path | None) -> str | bool:
    """Return a mailmap's text, or False if no file is given.

    Raises:
        ValueError: the file cannot be read.
    """
    from shapley_coop.files import read_text

    return read_text(file, "a mailmap") if file else False
