"""Conversion of answers in JSON fields into the tagged text that all other code reads.

Providers do not guarantee that an answer fits its schema. So fields are put into tags unchanged,
and the one parser of messages reports the fields' faults.

>>> tag_fields("act", {"thoughts": "Hm.", "action": "lever"})
'<CONSIDER>Hm.</CONSIDER><ACTION>lever</ACTION>'
>>> tag_fields("answer", {"decision": "accept", "offer": 2, "speech": "Fine."})
'<s>Fine.</s><ACCEPT>2</ACCEPT>'
>>> tag_fields("propose", {"clauses": None, "speech": None})
'<REJECT>'
"""

import json
import re
from collections.abc import Mapping
from typing import Any

from shapley_coop.deals.language.faults import Fault
from shapley_coop.deals.language.lenient_json import read_json
from shapley_coop.deals.language.reading import ANNOTATIONS
from shapley_coop.deals.language.thoughts import without_thoughts
from shapley_coop.seats.asked import find_question

Fields = Mapping[str, Any]
Form = Mapping[str, Any]
"""The JSON schema of an answer; its title is the question's name."""

_TAGS = re.compile(
    r"<\s*/?\s*(?:s|PROPOSAL|ACCEPT|REJECT|ACTION|CLAIM|CONSIDER|NOTES|CALL)\b", re.IGNORECASE
)
_BESIDE = {"thoughts", "notes"}
"""Fields of every schema that are no part of the answer itself."""


def tag_fields(act: str, fields: Any) -> str:
    """Return an answer as tagged text; put fields into tags, keep text, write out other JSON.

    Args:
        act: the name of the question.
        fields: JSON of the act's schema, or any other JSON that a model returned.
    """
    if not isinstance(fields, Mapping):
        return fields if isinstance(fields, str) else json.dumps(fields)
    question = find_question(act)
    return question.answer.tagged(fields) if question else json.dumps(fields)


def said_beside(words: str) -> str:
    """Return the words next to a tool call, or "" if they cannot be separated from thoughts."""
    said = without_thoughts(words)
    return "" if isinstance(said, Fault) else said


def fields_in(form: Form, text: str) -> Fields | None:
    """Return the answer of a schema in a text, or None if the text has no answer or several.

    Models that are asked for JSON may put the JSON into a fence, write words around it, or add a
    comma. Tags or another object beside the JSON are a second answer, so the result is None.

    >>> form = {"title": "act", "properties": {"thoughts": {}, "action": {}}}
    >>> fields_in(form, "Sure! {'action': 'lever',} So be it.")
    {'action': 'lever'}
    >>> fields_in(form, '{"action": "lever"} or {"action": "door"}') is None
    True
    >>> fields_in(form, '{"action": "door"}? No.</think>{"action": "lever"}')
    {'action': 'lever'}
    """
    said = without_thoughts(text)
    if isinstance(said, Fault):
        return None
    text = said
    start = text.find("{")
    found = read_json(text, start) if start >= 0 else ""
    if isinstance(found, str):
        return None
    around = text[:start] + text[found.end :]
    if "{" in around or _TAGS.search(around) or not answers(form, found.value):
        return None
    fields: Fields = found.value
    return fields


def answers(form: Form, fields: Any) -> bool:
    """Return whether fields answer a schema: some field decides, and no key is unknown."""
    if not isinstance(fields, Mapping):
        return False
    asked = form["properties"].keys()
    decides = asked - _BESIDE or asked
    return bool(decides & fields.keys()) and not unknown_keys(form, fields)


def unknown_keys(form: Form, fields: Fields) -> list[str]:
    """Return the keys that mean something and that no reader of this question's answers knows.

    >>> form = {"title": "answer", "properties": {"decision": {}}}
    >>> unknown_keys(form, {"decision": "accept", "offer": 2, "votes": None, "unless": "you pay"})
    ['unless']
    """
    question = find_question(str(form["title"]))
    known = form["properties"].keys() | ANNOTATIONS | (question.answer.known() if question else ())
    return [key for key, value in fields.items() if key not in known and value not in _NOTHING]


_NOTHING: tuple[Any, ...] = (None, "", [], {})
"""Values that say nothing under any key."""


def refuse_keys(act: str, words: str) -> Fault | None:
    """Return the fault of words that are an answer's JSON with unknown keys, else None.

    >>> refuse_keys("answer", '{"decision": "accept", "unless": "you pay"}').feedback
    '`unless` is no field of this answer: leave it out.'
    """
    start, question = words.find("{"), find_question(act)
    found = read_json(words, start) if start >= 0 and question else ""
    if isinstance(found, str) or question is None or not isinstance(found.value, Mapping):
        return None
    unknown = unknown_keys({"title": act, "properties": {}}, found.value)
    if not unknown or not found.value.keys() & question.answer.known():
        return None
    keys = ", ".join(f"`{str(key)[:40]}`" for key in unknown[:5])
    are = "is no field" if len(unknown) == 1 else "are no fields"
    return Fault("CLAUSE", f"{keys} {are} of this answer: leave it out.")
