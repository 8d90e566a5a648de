"""The reader of clauses as agents write them: lenient in form, strict in meaning.

>>> from shapley_coop.deals.language.terms import Terms
>>> terms = Terms(["Ann", "Bob"], {"Ann": ["lever"], "Bob": ["door"]}, turns=5)
>>> do = {"type": "do", "agent": "Ann", "action": "Lever", "when": {"turns": [1, 3]}, "id": 1}
>>> found = read_proposal({"clauses": [do]}, terms)
>>> print(found.deal.text())
c1. Ann does lever at turns 1 and 3.
>>> found.repairs
('clause 1: read type as kind', 'clause 1: left out id', 'clause 1: read Lever as lever')
>>> print(read_proposal([{"kind": "pay", "from": "Ann", "to": "Bob", "amount": "some"}]).feedback)
clause 1, `amount`: 'some' is no number: write one, as in "amount": 3.

Input that would need a guess is refused: an unknown key that may matter (`unless`), 3 % for a
number, two conditions in one object. Keys that only explain (`reason`, `id`, `note`) are left out.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from shapley_coop.deals.language.clauses import KINDS, Clause
from shapley_coop.deals.language.condition_form import ranges_of
from shapley_coop.deals.language.deal import MAX_CLAUSES, Deal
from shapley_coop.deals.language.faults import Fault, list_faults
from shapley_coop.deals.language.spelling import Notes, condition, show
from shapley_coop.deals.language.terms import Terms

ANNOTATIONS = {
    *("reason", "reasoning", "rationale", "explanation", "why", "id", "cid", "no", "number"),
    *("note", "notes", "comment", "comments", "description", "title", "label", "text"),
}
"""Keys that only explain a clause. They are left out, and the author is informed."""

_SHAPE = 'write one object: {"clauses": [{"kind": …}, …]}'


@dataclass(frozen=True)
class Reading:
    """A deal that was read, and the repairs of its form, in words."""

    deal: Deal
    repairs: tuple[str, ...] = ()


def read_deal(raw: Any) -> Deal | Fault:
    """Return the deal that an agent wrote as JSON, or a fault (CLAUSE).

    For the JSON of a record use `Deal.model_validate`: there a list of two turns is a range.
    """
    found = read_proposal(raw)
    return found if isinstance(found, Fault) else found.deal


def read_proposal(raw: Any, terms: Terms | None = None) -> Reading | Fault:
    """Return the deal that an agent wrote as JSON and the repairs, or one fault listing all faults.

    Args:
        raw: the parsed JSON of the proposal.
        terms: the agents and actions. Names are compared with these, ignoring case and quotes.
    """
    notes = Notes(currency=terms.currency if terms else "")
    body = _body(raw, notes)
    if body is None:
        return Fault("CLAUSE", f"The proposal is no deal: {_SHAPE}.")
    clauses, drops = body
    sound: list[int] = []
    read = []
    for n, clause in enumerate(clauses[: MAX_CLAUSES + 1], start=1):
        before = len(notes.faults)
        read.append(_clause(clause, notes.at(f"clause {n}"), terms))
        if len(notes.faults) == before:
            sound.append(n)
    if len(clauses) > MAX_CLAUSES:
        notes.faults.append(f"the proposal has {len(clauses)} clauses: at most {MAX_CLAUSES}")
    if notes.faults:
        return Fault("CLAUSE", list_faults([f"{one}." for one in notes.faults]), _soundly(sound))
    try:
        return Reading(Deal(clauses=tuple(read), drops=drops), tuple(notes.repairs))
    except (ValidationError, RecursionError) as error:
        return Fault("CLAUSE", list_faults(_in_words(error)))


def _body(raw: Any, notes: Notes) -> tuple[list[Any], tuple[str, ...]] | None:
    """Return the raw clauses and the dropped ids of a proposal; None if `raw` is not a proposal."""
    if isinstance(raw, list):
        notes.repairs.append("read a list as the clauses")
        return raw, ()
    if not isinstance(raw, Mapping):
        return None
    if "clauses" not in raw:
        if not {"kind", "type"} & raw.keys():
            return None
        notes.repairs.append("read one clause as the whole proposal")
        return [dict(raw)], ()
    clauses, drops = raw["clauses"], raw.get("drops") or []
    if isinstance(clauses, Mapping):
        clauses = [clauses]
    if not isinstance(clauses, list):
        return None
    if not isinstance(drops, list) or not all(isinstance(cid, str) for cid in drops):
        notes.faults.append('`drops`: list the ids of clauses that end, as in ["c2"]')
        drops = []
    no_other_keys(raw, {"clauses", "drops"}, notes)
    return clauses, tuple(drops)


def _clause(raw: Any, notes: Notes, terms: Terms | None) -> dict[str, Any]:
    """Return one clause as records write it; add faults to `notes`."""
    if not isinstance(raw, Mapping):
        notes.wrong("", f"{show(raw)} is no clause: write an object with a kind")
        return {}
    given = dict(raw)
    if "kind" not in given and "type" in given:
        given["kind"] = given.pop("type")
        notes.repaired("read type as kind")
    kind = given.get("kind")
    kind = kind.strip().lower() if isinstance(kind, str) else kind
    cls = KINDS.get(kind) if isinstance(kind, str) else None
    if cls is None:
        said = "is missing" if kind is None else f"is {show(kind)}"
        also = ", give" if terms and terms.goods else ""
        notes.wrong("kind", f"it {said}: write do, forbid, pay{also} or share")
        return {}
    _by_other_keys(given, cls, notes)
    no_other_keys(given, cls.keys(), notes)
    read: dict[str, Any] = {"kind": kind}
    if "when" in cls.model_fields:
        read["when"] = condition(given.get("when"), notes, terms)
    return read | cls.read(given, notes, terms)


def _by_other_keys(given: dict[str, Any], cls: type[Clause], notes: Notes) -> None:
    """Replace synonyms of keys that the kind knows, and remove keys without an effect."""
    for said, meant in cls.also.items():
        if said in given and meant not in given:
            given[meant] = given.pop(said)
            notes.repaired(f"read {said} as {meant}")
    for key, said in cls.needless.items():
        if given.get(key) == said:
            del given[key]
            notes.repaired(f"left out {key}")


def no_other_keys(given: Mapping[str, Any], known: Collection[str], notes: Notes) -> None:
    """Check unknown keys: a key that only explains is left out, any other is a fault."""
    for key in given:
        if key in known:
            continue
        if str(key).lower() in ANNOTATIONS:
            notes.repaired(f"left out {key}")
        else:
            notes.wrong(str(key)[:40], f"there is no such key here: {', '.join(sorted(known))}")


def _soundly(clauses: list[int]) -> tuple[str, ...]:
    """Return the clauses without a fault, in words: "clauses 1–3", "clause 5"."""
    return tuple(
        f"clause {first}" if first == last else f"clauses {first}–{last}"
        for first, last in ranges_of(clauses)
    )


def _in_words(error: ValidationError | RecursionError) -> list[str]:
    """Return pydantic's errors in words that name the clause and the field instead of a path."""
    if isinstance(error, RecursionError):
        return ["A condition is nested too deeply: write it flat."]
    told = []
    for one in error.errors(include_url=False, include_context=False, include_input=False):
        where = [part for part in one["loc"] if part in _FIELDS]
        numbers = [part for part in one["loc"] if isinstance(part, int)]
        place = f"clause {numbers[0] + 1}" if numbers else "the proposal"
        field = f", `{where[-1]}`" if where else ""
        told.append(f"{place}{field}: {one['msg'].removeprefix('Value error, ').lower()}.")
    return told


_FIELDS = {key for cls in KINDS.values() for key in cls.keys() - {"kind"}}
