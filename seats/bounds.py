"""Bounds in the JSON schema of an answer, for self-hosted servers (llama.cpp, vLLM, SGLang).

If a server enforces a schema, a small model may think without end and invent names of agents. So
every text has a maximum length, and the names of agents, goods and actions are listed. Providers'
strict modes may refuse `maxLength` (OpenAI's does), so schemas for providers have no bounds. If a
gateway at an `http:` address refuses bounds for its provider, it is asked again without them.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from shapley_coop.deals.language.effects import OTHERS
from shapley_coop.deals.language.when import EVERYONE
from shapley_coop.deals.language.wire import MAX_NOTES
from shapley_coop.games.actions import actions_of_all
from shapley_coop.games.gives import actions_in
from shapley_coop.seats.clients import is_bounded
from shapley_coop.seats.schema import droppable, schema_of
from shapley_coop.seats.seat import Seat

_LONGEST = {"thoughts": 1_000, "notes": MAX_NOTES, "speech": 1_000}
"""Field → its maximum length; 150 words have about 1,000. llama.cpp takes no bound above 2,000."""
_SHORT = 200
"""The most characters of any other text: a name, an amount, an action."""
_WHOLE = {"content", "prose", "tasks"}
"""Fields that must not be cut: the text of a program or a contract, the words of tasks."""
_PARTIES = {"payer": [OTHERS], "payee": [OTHERS], "agent": [EVERYONE], "earned": [EVERYONE]}
_PARTIES |= {"giver": [], "receiver": []}
"""Field that names a party → the allowed names besides the names of agents."""
_EACH = {"Event", "Fraction"}
"""Objects with an `agent` who must be one agent, because "everyone" is admitted in duties alone."""
_MOST_NAMES, _MOST_ITEMS = 64, 32


def schema_for(seat: Seat, facts: Mapping[str, Any], carries: bool) -> dict[str, Any] | None:
    """Return the schema of the answer to a letter, bounded if the seat's endpoint is `http:`.

    Args:
        seat: the seat that answers.
        facts: the letter's facts, which name the agents and the goods.
        carries: whether an action in this game can have content, such as a file's text.
    """
    form = schema_of(facts, carries)
    if form is None or not is_bounded(seat):
        return form
    agents, offers = facts.get("agents", ()), "clauses" in form["properties"]
    parties = _PARTIES.items() if agents else ()
    named = {field: [*agents, *(more if offers else ())] for field, more in parties}
    named["good"] = list(facts.get("goods", ()))
    if agents and len(agents) <= _MOST_NAMES and "actions" in facts:
        named["action"] = actions_of_all(actions_in(facts))
    named["drops"] = droppable(facts)
    bounded: dict[str, Any] = _bound(form, "", named)
    defined, one = form.get("$defs", {}), {**named, "agent": agents}
    for name in _EACH & defined.keys():
        bounded["$defs"][name] = _bound(defined[name], "", one)
    return bounded


def _bound(schema: Any, field: str, named: Mapping[str, Sequence[str]]) -> Any:
    """Return a schema, or the part of one for `field`, with maximum lengths for its texts."""
    if isinstance(schema, list):
        return [_bound(one, field, named) for one in schema]
    if not isinstance(schema, dict):
        return schema
    if schema.get("type") == "string" and not {"enum", "const"} & schema.keys():
        if 0 < len(names := named.get(field, ())) <= _MOST_NAMES:
            return {**schema, "enum": list(names)}
        return schema if field in _WHOLE else {**schema, "maxLength": _LONGEST.get(field, _SHORT)}
    inner, most = ("properties", "$defs"), {}
    if schema.get("type") == "array":  # `drops` lists clauses of the contract
        most["maxItems"] = len(named[field]) if field == "drops" else _MOST_ITEMS
    return most | {
        key: {name: _bound(one, name, named) for name, one in value.items()}
        if key in inner
        else _bound(value, field, named)
        for key, value in schema.items()
    }
