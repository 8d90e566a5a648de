"""Conversion of a refused answer from tagged text back into fields, to show its author.

The journal keeps each answer as tagged text (`seats.answers`). A model that answers by a schema or
a tool call must write no tags. Tagged text in its retry prompt would teach the model the tags.

>>> fields_of("act", "<CONSIDER>Hm.</CONSIDER><ACTION>window</ACTION>")
{'thoughts': 'Hm.', 'action': 'window'}
>>> fields_of("act", "I would rather not say.") is None
True
>>> fields_of("propose", "<PROPOSAL>{'clauses': []}</PROPOSAL>") is None
True
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import reduce
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.tools import BaseTool

from shapley_coop.seats.answer import Fields
from shapley_coop.seats.asked import find_question
from shapley_coop.seats.calls import READY, Step
from shapley_coop.seats.elements import In
from shapley_coop.seats.letters import MAX_SHOWN, Letter
from shapley_coop.seats.schema import how_written, in_fields

_OFFER = re.compile(r"<ACCEPT>(\d+)</ACCEPT>")
_CALL = "call_refused"


def in_form(
    letter: Letter, act: str, fields: Mapping[str, Any], called: bool, tools: str = ""
) -> Letter:
    """Return the letter with the answer's fields named at its end and, in a retry, in `why`.

    Args:
        letter: the letter in the journal.
        act: the name of the question.
        fields: field name → its JSON schema.
        called: whether the model answers by a tool call.
        tools: the sentence about the model's other tools that `tools_sentence` returns, or "".
    """
    told, how = in_fields(act, fields, called) + tools, how_written(act, fields)
    user = f"{letter.user.rstrip()}\n\n{told}\n"
    if not letter.why:
        return replace(letter, user=user)
    fault = reduce(lambda words, field: how[field].renamed(field, words), how, letter.why)
    why = f"{fault.rstrip()}\n\n{told}\n"
    return replace(letter, user=user, why=why, returned=_returned(act, letter.refused, why, called))


def tools_sentence(
    tools: Sequence[BaseTool], left: int, steps: Sequence[Step], called: bool
) -> str:
    """Return a sentence about the tools and the number of permitted calls, the same at each step.

    Args:
        tools: the tools that the model may call before it answers.
        left: how many calls the model still has.
        steps: the earlier steps, whose calls count in the total.
        called: whether the answer is a tool call, too.
    """
    if not tools or not left:
        return ""
    calls = left + sum(len(step.results) for step in steps)
    ready = "" if called else f"; call `{READY}` if you need none"
    listed = ", ".join(f"`{tool.name}`" for tool in tools)
    return f" Before that you may call {listed}, {calls} calls in all{ready}."


def _returned(act: str, refused: str, why: str, called: bool) -> tuple[BaseMessage, ...]:
    """Return messages with a refused answer's fields and its fault; none if it is text or long."""
    fields = fields_of(act, refused) if len(refused) <= MAX_SHOWN else None
    if fields is None:
        return ()
    if not called:
        return AIMessage(json.dumps(fields, ensure_ascii=False)), HumanMessage(why)
    call = {"name": act, "args": fields, "id": _CALL}
    return AIMessage("", tool_calls=[call]), ToolMessage(why, tool_call_id=_CALL, name=act)


def fields_of(act: str, text: str) -> Fields | None:
    """Return the fields whose tagged text equals the text; None if no fields give that text."""
    if (question := find_question(act)) is None:
        return None
    written = {"notes": In("NOTES"), **question.answer.written()}
    if not question.answer.heard():  # a model may speak without being asked to
        written["speech"] = In("s")
    try:  # a model may have written the text itself
        said = {name: how.untagged(text) for name, how in written.items()}
        deal = json.loads(In("PROPOSAL").untagged(text) or "{}")
    except ValueError:
        return None
    fields: dict[str, Any] = {name: value for name, value in said.items() if value is not None}
    if offer := _OFFER.search(text):
        fields["offer"] = int(offer[1])
    if isinstance(deal, dict):
        known = question.answer.known()
        fields |= {key: value for key, value in deal.items() if key in known}
    return fields if fields and question.answer.tagged(fields) == text else None
