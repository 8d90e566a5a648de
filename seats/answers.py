"""Answers in fields, turned into the tagged text that everything else reads.

Providers do not guarantee their schemas: whatever comes back is put into tags as it is, and the
one reader of messages says what is wrong with it.

>>> tagged("act", {"thoughts": "Hm.", "action": "lever"})
'<CONSIDER>Hm.</CONSIDER><ACTION>lever</ACTION>'
>>> tagged("answer", {"decision": "accept", "offer": 2, "speech": "Fine."})
'<s>Fine.</s><ACCEPT>2</ACCEPT>'
>>> tagged("propose", {"clauses": None, "speech": None})
'<REJECT>'
"""

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from shapley_coop.deals.language.faults import Fault
from shapley_coop.deals.language.lenient_json import read_json
from shapley_coop.deals.language.reading import ANNOTATIONS
from shapley_coop.deals.language.thoughts import MARK, without_thoughts
from shapley_coop.sealed_letters import SealedLetter, sealed_letter

Fields = Mapping[str, Any]
Form = Mapping[str, Any]
"""The JSON schema of an answer; its title is the act."""

_TAGS = re.compile(
    r"<\s*/?\s*(?:s|PROPOSAL|ACCEPT|REJECT|ACTION|CLAIM|CONSIDER|NOTES|TRY|CALL)\b", re.IGNORECASE
)
_BESIDE = {"thoughts", "notes"}
"""Fields that every schema has beside the answer itself."""

# A tag within a field would end the field's own: what is quoted stays readable, and is no tag.
_OPENS = re.compile(r"<(?=\s{0,4}/?\s{0,4}[^\W\d_])")
_NUMBER = re.compile(r"\s*(\d+(\.\d+)?|\.\d+)\s*")
_ESCAPES = {ord("<"): "\\u003c", ord(">"): "\\u003e"}


def tagged(act: str, fields: Any) -> str:
    """An answer in fields, as a message of the wire; what is no object stays as it is.

    Args:
        act: what was asked for.
        fields: JSON of the act's schema, or what came in its place.
    """
    if not isinstance(fields, Mapping):
        return fields if isinstance(fields, str) else json.dumps(fields)
    writer = _writer(act)
    if writer is None:
        return json.dumps(fields)
    thoughts, notes = fields.get("thoughts"), fields.get("notes")
    private = _element("CONSIDER", thoughts, True) + _element("NOTES", notes, True)
    return private + _element("s", _public(act, fields)) + writer(fields)


def said_in(text: str) -> str:
    """Return an answer without its thoughts; whole where it is not clear what is thought.

    Then the reader of messages says so, and nothing of it is used.
    """
    said = without_thoughts(text)
    return text if isinstance(said, Fault) else said


def said_beside(words: str) -> str:
    """Return the words beside a call without their thoughts, which the call may have ended."""
    said = without_thoughts(words)
    return "" if isinstance(said, Fault) else said


def fields_in(form: Form, text: str) -> Fields | None:
    """The one answer of a schema in a text; None if there is none, or more than one.

    Models that are asked for JSON put it into a fence, write words around it, or a comma too many.
    Tags or another object beside it would be a second answer: then all of it is read as text.

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
    """Whether an object is an answer of a schema, with no key that could mean more than it asks."""
    if not isinstance(fields, Mapping):
        return False
    asked = form["properties"].keys()
    decides = asked - _BESIDE or asked
    return bool(decides & fields.keys()) and fields.keys() <= asked | ANNOTATIONS


def _public(act: str, fields: Fields) -> Any:
    """What is said to all, which for the outsiders' two acts is the answer itself."""
    if act == "contract_write":
        return fields.get("prose")
    if act == "contract_judge":
        found = [v for v in fields.get("verdicts") or [] if isinstance(v, Mapping)]
        return "\n".join(f"{v.get('clause')}: {v.get('verdict')}" for v in found)
    return fields.get("speech")


def _writer(act: str) -> Callable[[Fields], str] | None:
    """Return what writes an act's answer; None if nobody asks for such a one in fields."""
    sealed = sealed_letter(act)
    return _sealed(sealed) if sealed else _WRITERS.get(act)


def _sealed(letter: SealedLetter) -> Callable[[Fields], str]:
    def written(fields: Fields) -> str:
        proposal = letter.proposal(fields)
        return _element_of_json("PROPOSAL", proposal) if proposal else "<REJECT>"

    return written


def _offer(fields: Fields) -> str:
    return _proposal(fields) or "<REJECT>"


def _reply(fields: Fields) -> str:
    decision = str(fields.get("decision", "")).lower()
    if decision == "accept":
        named = fields.get("offer")
        # Beside an acceptance no offer can stand: what is there is left for the reader to refuse.
        return (f"<ACCEPT>{named}</ACCEPT>" if named else "<ACCEPT>") + _proposal(fields)
    return ("<REJECT>" if decision in ("reject", "counter") else "") + _proposal(fields)


def _claim(fields: Fields) -> str:
    percent = fields.get("percent")
    if isinstance(percent, str) and not _NUMBER.fullmatch(percent):
        return _element("CLAIM", percent)  # in words, which have a unit of their own
    if percent is None:
        return ""
    # Up to 1, under the name of per cent, it could be a part as well: the reader asks back.
    doubtful = isinstance(percent, int | float | str) and 0 < float(percent) <= 1
    return _element("CLAIM", f"percent: {percent}" if doubtful else f"{percent}%")


def _written(fields: Fields) -> str:
    return _proposal(fields) + _element("REJECT", fields.get("impossible"))


def _trade(fields: Fields) -> str:
    decision, held = str(fields.get("decision", "")).lower(), fields.get("allocation") or []
    allocation = {h.get("agent"): h.get("tasks") for h in held if isinstance(h, Mapping)}
    mark = {"accept": "<ACCEPT>", "reject": "<REJECT>"}.get(decision, "")
    return mark + (_element_of_json("PROPOSAL", allocation) if allocation else "")


def _ratification(fields: Fields) -> str:
    marks = {"sign": "<ACCEPT>", "veto": "<REJECT>", "leave": "<ACTION>leave</ACTION>"}
    return marks.get(str(fields.get("decision", "")).lower(), "")


def _action(fields: Fields) -> str:
    action, content = fields.get("action"), fields.get("content")
    if action is None:
        return ""
    carried = f" {str(content).translate(_ESCAPES)}" if content else ""
    return _element("ACTION", f"{action}{carried}")


def _proposal(fields: Fields) -> str:
    """The offer in an answer, in the words of the clause language."""
    clauses = fields.get("clauses")
    if not clauses:
        return ""
    listed = clauses if isinstance(clauses, list) else [clauses]
    deal: dict[str, Any] = {"clauses": [_clause(clause) for clause in listed]}
    if drops := fields.get("drops"):
        deal["drops"] = drops
    return _element_of_json("PROPOSAL", deal)


def _clause(clause: Any) -> Any:
    """One clause as letters teach it: without what does not apply, and shares by agent."""
    if not isinstance(clause, Mapping):
        return clause
    told = {key: value for key, value in clause.items() if value is not None}
    if "per" in told:
        told["basis"] = told.pop("per")
    fractions = told.get("fractions")
    if isinstance(fractions, list) and all(isinstance(f, Mapping) for f in fractions):
        told["fractions"] = {f.get("agent"): f.get("fraction") for f in fractions}
    return told


def _element(tag: str, text: Any, private: bool = False) -> str:
    """A field as an element.

    A mark of thoughts in what others get to see stays one, so that it is asked back; in a private
    field something stands in its place, so that what is around it does not become a tag.
    """
    if text in (None, ""):
        return ""
    told, parts, at = str(text), "", 0
    for mark in MARK.finditer(told):
        parts += _OPENS.sub("‹", told[at : mark.start()]) + ("…" if private else mark.group())
        at = mark.end()
    return f"<{tag}>{parts}{_OPENS.sub('‹', told[at:])}</{tag}>"


def _element_of_json(tag: str, value: Any) -> str:
    return f"<{tag}>{json.dumps(value, ensure_ascii=False)}</{tag}>"


_WRITERS: dict[str, Callable[[Fields], str]] = {
    "reason": lambda _: "",
    "consider": lambda _: "",
    "propose": _offer,
    "propose_split": _offer,
    "contract_propose": _offer,
    "answer": _reply,
    "answer_split": _reply,
    "answer_bounty": _reply,
    "contract_answer": _reply,
    "contract_sign": _reply,
    "ratify": _ratification,
    "elect": _action,
    "claim": _claim,
    "contract_write": _written,
    "contract_judge": lambda _: "",
    "exchange": _trade,
    "act": _action,
}
