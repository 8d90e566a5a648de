"""Bounds in the JSON schema of an answer: no text is endless, and a name is a party's or a good's.

A model that generates by a grammar can end a string whenever it likes, and a small one never does.
It also writes any name into a field for one. Servers of one's own (llama.cpp, vLLM, SGLang) enforce
both bounds; providers' strict modes may refuse `maxLength`, so their schemas go without.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from shapley_coop.deals.language.effects import OTHERS
from shapley_coop.deals.language.when import EVERYONE
from shapley_coop.deals.language.wire import MAX_NOTES
from shapley_coop.seats.schema import schema_of
from shapley_coop.seats.seat import Seat

_LONGEST = {"thoughts": 1_000, "notes": MAX_NOTES, "speech": 1_000}
"""Field → its most characters; 150 words are about 1,000. llama.cpp takes no bound above 2,000."""
_WHOLE = {"content", "prose"}
"""Fields of work that must not be cut: a program's text, a contract's."""
_SHORT = 200
"""The most characters of any other field: a name, an amount, an action."""

_PARTIES: Mapping[str, tuple[str, ...]] = {
    "agent": (EVERYONE,),
    "earned": (EVERYONE,),
    **dict.fromkeys(("payer", "payee"), (OTHERS,)),
    **dict.fromkeys(("giver", "receiver"), ()),
}
"""Field that names a party → the names that it may hold besides the agents'."""
_MOST_NAMES = 64


def schema_for(seat: Seat, facts: Mapping[str, Any], carries: bool) -> dict[str, Any] | None:
    """Return the schema of the answer to a letter, bounded if a server of one's own enforces it.

    Args:
        seat: the seat that answers; a server of one's own speaks plain HTTP.
        facts: the letter's facts, which name the agents and the goods.
        carries: whether an action can have content besides its name in this game.
    """
    form = schema_of(facts, carries)
    if form is None or not (seat.base_url or "").startswith("http:"):
        return form
    agents, goods = list(facts.get("agents", ())), list(facts.get("goods", ()))
    known = {field: [*agents, *more] for field, more in _PARTIES.items() if agents} | {
        "good": goods
    }
    names = {field: some for field, some in known.items() if 0 < len(some) <= _MOST_NAMES}
    bounded: dict[str, Any] = _bound(form, "", names)
    return bounded


def _bound(schema: Any, field: str, names: Mapping[str, Sequence[str]]) -> Any:
    if isinstance(schema, list):
        return [_bound(one, field, names) for one in schema]
    if not isinstance(schema, dict):
        return schema
    kept = {
        key: {name: _bound(one, name, names) for name, one in value.items()}
        if key in ("properties", "$defs")
        else _bound(value, field, names)
        for key, value in schema.items()
    }
    if schema.get("type") == "string" and not {"enum", "const"} & schema.keys():
        if field in names:
            kept["enum"] = list(names[field])
        elif field not in _WHOLE:
            kept["maxLength"] = _LONGEST.get(field, _SHORT)
    return kept
