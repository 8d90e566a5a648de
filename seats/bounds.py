"""Bounds in the JSON schema of an answer, for self-hosted servers (llama.cpp, vLLM, SGLang).

If a server enforces a schema, a small model may think without end, invent names of agents, or offer
what no rule of deals admits. So every text has a maximum length, the names of agents, goods and
actions are listed, and turns are those of the game. An agent is offered only its own actions, and
no payment to itself. Providers' strict modes may refuse such bounds (OpenAI's refuses `maxLength`),
so schemas for providers have none. If a gateway at an `http:` address refuses bounds for its
provider, it is asked again without them.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from shapley_coop.deals.language.effects import OTHERS
from shapley_coop.deals.language.when import EVERYONE, MAX_TURN
from shapley_coop.deals.language.wire import MAX_NOTES
from shapley_coop.games.actions import actions_of_all
from shapley_coop.games.gives import actions_in
from shapley_coop.seats.asked import find_question
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
_PAIRS = {"payer": "payee", "giver": "receiver", "agent": "action"}
"""Field → the field beside it whose allowed values depend on it."""
_TURNS = {"turn", "turns", "from", "to", "start"}
"""Fields that hold turns of the game."""
_COUNTS = {*_TURNS, "every", "at_least", "quantity"}
"""Fields whose whole numbers begin at 1."""
_NUMBER = "^[0-9]{1,9}([.][0-9]{1,9}|/[1-9][0-9]{0,8})?%s$"
"""The texts that `amounts.parse_exact` reads, but for signs: at most nine decimals."""
_AMOUNTS = dict.fromkeys(("amount", "fraction", "percent"), _NUMBER % "%?")
_AMOUNTS["price"] = _NUMBER % ""
"""Field whose text is a number → the pattern of that text; no price is a part of something."""
_MOST_NAMES, _MOST_ITEMS, _FEW_AGENTS = 64, 32, 8


def schema_for(seat: Seat, facts: Mapping[str, Any], carries: bool) -> dict[str, Any] | None:
    """Return the schema of the answer to a letter, bounded if the seat's endpoint is `http:`.

    Args:
        seat: the seat that answers.
        facts: the letter's facts, which name the agents and the goods.
        carries: whether an action in this game can have content, such as a file's text.
    """
    form, question = schema_of(facts, carries), find_question(str(facts.get("ask", "")))
    if form is None or question is None or not is_bounded(seat):
        return form
    agents, offers = facts.get("agents", ()), "clauses" in form["properties"]
    parties = _PARTIES.items() if agents else ()
    named = {field: [*agents, *(more if offers else ())] for field, more in parties}
    named["good"] = list(facts.get("goods", ()))
    if agents and len(agents) <= _MOST_NAMES and "actions" in facts:
        named["action"] = actions_of_all(actions_in(facts))
    named["drops"], named["norm"] = droppable(facts), list(facts.get("norms", ()))
    last = facts.get("procedure", {}).get("turns", MAX_TURN)
    bounded: dict[str, Any] = _bound(form, "", named, last)
    defined, one = bounded.get("$defs", {}), {**named, "agent": agents}
    for name in _EACH & defined.keys():
        defined[name] = _bound(form["$defs"][name], "", one, last)
    if 0 < len(agents) <= _FEW_AGENTS:
        own = actions_in(facts) if "actions" in facts else {}
        defined |= {name: _paired(each, own) for name, each in defined.items()}
    return question.answer.bounded(bounded, facts)


def _bound(schema: Any, field: str, named: Mapping[str, Sequence[str]], last: int) -> Any:
    """Return a schema, or the part of one for `field`, with bounds for its texts and numbers.

    Args:
        named: field → the names that it allows, if they are known.
        last: the last turn of the game.
    """
    if isinstance(schema, list):
        return [_bound(one, field, named, last) for one in schema]
    if not isinstance(schema, dict):
        return schema
    if schema.get("type") == "string" and not {"enum", "const"} & schema.keys():
        if 0 < len(names := named.get(field, ())) <= _MOST_NAMES:
            return {**schema, "enum": list(names)}
        shape = {"pattern": _AMOUNTS[field]} if field in _AMOUNTS else {}
        most = {} if field in _WHOLE else {"maxLength": _LONGEST.get(field, _SHORT)}
        return {**schema, **most, **shape}
    if schema.get("type") == "integer" and field in _COUNTS:
        return {**schema, "minimum": 1, **({"maximum": last} if field in _TURNS else {})}
    inner, items = ("properties", "$defs"), {}
    if schema.get("type") == "array":  # `drops` lists ids of clauses of the contract
        items["maxItems"] = len(named[field]) if field == "drops" else _MOST_ITEMS
    return items | {
        key: {name: _bound(one, name, named, last) for name, one in value.items()}
        if key in inner
        else _bound(value, field, named, last)
        for key, value in schema.items()
    }


def _paired(schema: dict[str, Any], actions: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """Return an object's schema, or one variant for each group of agents with other limits.

    Nobody pays or gives to itself, and an agent has its own actions alone.

    Args:
        actions: agent → its actions; empty if they are not known.
    """
    fields = schema.get("properties", {})
    first = next((one for one in _PAIRS if "enum" in fields.get(one, ())), "")
    second = _PAIRS.get(first, "")
    if "enum" not in fields.get(second, ()) or (first == "agent" and not actions):
        return schema
    groups: dict[tuple[str, ...], list[str]] = {}
    for name in fields[first]["enum"]:
        known = fields[second]["enum"]
        own = _open_to(name, actions) if first == "agent" else {*known} - {name}
        groups.setdefault(tuple(one for one in known if one in own), []).append(name)
    groups.pop((), None)

    def variant(names: Sequence[str], beside: Sequence[str]) -> dict[str, Any]:
        limited = {first: [*names], second: [*beside]}
        told = {key: {**fields[key], "enum": listed} for key, listed in limited.items()}
        return {**schema, "properties": fields | told}

    found = [variant(names, beside) for beside, names in groups.items()]
    return {"anyOf": found} if len(found) > 1 else (found or [schema])[0]


def _open_to(name: str, actions: Mapping[str, Sequence[str]]) -> set[str]:
    """Return the actions of an agent or, for "everyone", those that all agents have."""
    return {*actions[name]} if name in actions else set.intersection(*map(set, actions.values()))
