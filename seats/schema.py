"""JSON schemas of answers, for models that answer by a schema or a tool call.

`schema_of` turns the class of an answer (`seats.answer`) into the JSON schema that a provider
enforces. `answers.tag_fields` turns the returned fields into the tagged text that all other code
reads. The fields have the names that the letters use.
"""

from collections.abc import Mapping, Set
from functools import lru_cache
from typing import Any

from pydantic import Field, create_model

from shapley_coop.deals.language.clauses import KINDS
from shapley_coop.seats.answer import Answer, Thought
from shapley_coop.seats.asked import find_question
from shapley_coop.seats.elements import Choice, How, In


def in_fields(act: str, fields: Mapping[str, Any], called: bool) -> str:
    """Return the sentence at a letter's end that names each field and its element in the rules.

    >>> in_fields("claim", {"speech": {}, "percent": {}}, called=True)
    'You answer by calling `claim`, without tags: `speech` is `<s>`, `percent` is `<CLAIM>`.'
    """
    how = how_written(act, fields).items()
    told = ", ".join(f"`{field}` is {one.told()}" for field, one in how)
    return f"You answer {'by calling' if called else 'as JSON of'} `{act}`, without tags: {told}."


def how_written(act: str, fields: Mapping[str, Any]) -> dict[str, How]:
    """Return field → the rule that writes it as tagged text, for the fields that a letter asks."""
    question = find_question(act)
    how: dict[str, How] = {**(question.answer.written() if question else {}), "notes": In("NOTES")}
    for field, one in how.items():  # a letter may permit only some of its question's values
        if isinstance(one, Choice) and "enum" in fields.get(field, ()):
            how[field] = one.only(fields[field]["enum"])
    return {field: how[field] for field in fields if field in how}


_NOTES = Field(description="Notes for yourself, replacing the former ones; null keeps those.")


def schema_of(facts: Mapping[str, Any], carries: bool = False) -> dict[str, Any] | None:
    """Return the JSON schema of the answer to a letter, or None if the letter permits no answer.

    Every field is required, and null if it does not apply, because strict mode demands this.

    Args:
        facts: the letter's facts (`Letter.facts`): `ask`, and for an action `legal`.
        carries: whether an action in this game can have content, such as a file's text.
    """
    name = str(facts.get("ask", ""))
    question = find_question(name)
    answer = question.answer.narrowed(facts, carries) if question else None
    return None if answer is None else _as_taught(_schema_of(name, answer), facts)


@lru_cache(maxsize=256)  # pydantic takes 9 ms, so a hundred answers at once would wait a second
def _schema_of(name: str, answer: type[Answer]) -> dict[str, Any]:
    # A `Thought` itself becomes the agent's notes; a separate field would overwrite these notes.
    more: Any = {} if issubclass(answer, Thought) else {"notes": (str | None, _NOTES)}
    noted = create_model(name, __base__=answer, __doc__=answer.__doc__, **more)
    schema: dict[str, Any] = _strict(noted.model_json_schema())
    return schema


_TIMED = {"Turns", "Span", "Every", "Count", "Earned"}
_ACTING, _HANDING = {"Do", "Forbid", "Give"}, {"Pay", "Share", "Fraction", "Earned", "Give"}
"""The parts of an offer that letters leave out in games of one turn, after the play, and where
deals hold nothing but actions."""


def _as_taught(schema: dict[str, Any], facts: Mapping[str, Any]) -> dict[str, Any]:
    """Return an answer's schema without the parts of an offer that its letter leaves out."""
    over = "own_rewards" in facts
    out = set(_TIMED) if facts.get("procedure", {}).get("turns") == 1 else set[str]()
    out |= _HANDING if facts.get("payments") is False else set()
    out |= {"when"} if out >= _TIMED | _HANDING else set()  # nothing precedes the only turn
    out |= {*_ACTING, "when", "per", "drops"} if over else set()
    out |= set() if droppable(facts) else {"drops"}
    found: dict[str, Any] = _without(schema, out)
    return _numbered(found, facts)


def _numbered(schema: dict[str, Any], facts: Mapping[str, Any]) -> dict[str, Any]:
    """Return an answer's schema that lets an acceptance name no offer but the letter's.

    An acceptance means that offer, so any other number is refused. The number is a `const`, as not
    all providers take an `enum` of numbers.
    """
    number, fields = (facts.get("offer") or {}).get("revision"), schema["properties"]
    if number is not None and "offer" in fields:
        one = {"type": "integer", "const": number}
        fields["offer"] = {**fields["offer"], "anyOf": [one, {"type": "null"}]}
    return schema


def droppable(facts: Mapping[str, Any]) -> list[str]:
    """Return the ids of the payments, gifts and shares in force, which an offer can end."""
    contract = facts.get("contract") or {}
    told = zip(contract.get("ids", ()), contract.get("clauses", ()), strict=False)
    return [cid for cid, clause in told if KINDS[clause["kind"]].lasts]


def _without(schema: Any, out: Set[str]) -> Any:
    """Return a JSON schema without the definitions and properties that have these names."""
    if isinstance(schema, list):
        refs = {f"#/$defs/{name}" for name in out}
        kept = [x for x in schema if not (isinstance(x, dict) and x.get("$ref") in refs)]
        return [_without(x, out) for x in kept]
    if not isinstance(schema, dict):
        return schema
    found = {key: _without(x, out) for key, x in schema.items()}
    for key in found.keys() & {"properties", "$defs"}:
        found[key] = {name: x for name, x in found[key].items() if name not in out}
    if "properties" in found:
        found["required"] = list(found["properties"])
    return found


def _strict(schema: Any) -> Any:
    """Return a JSON schema without defaults and fields' titles, with every property required."""
    if isinstance(schema, list):
        return [_strict(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    kept = {key: _strict(value) for key, value in schema.items() if key != "default"}
    if "properties" in kept:
        kept["required"] = list(kept["properties"])
        for field in kept["properties"].values():
            field.pop("title", None)
    return kept
