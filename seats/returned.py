"""A refused answer in fields, shown to its author again as the fields that they were.

The journal keeps each answer as tagged text (`seats.answers`). Shown as that to a model that
answers by a schema or a call, it would teach the tags that it has to leave out.

>>> fields_of("act", "<CONSIDER>Hm.</CONSIDER><ACTION>window</ACTION>")
{'thoughts': 'Hm.', 'action': 'window'}
>>> fields_of("act", "I would rather not say.") is None
True
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.tools import BaseTool

from shapley_coop.seats.answer import Fields
from shapley_coop.seats.asked import find_question
from shapley_coop.seats.calls import READY, Step
from shapley_coop.seats.elements import In
from shapley_coop.seats.letters import MAX_SHOWN, Letter
from shapley_coop.seats.schema import in_fields

_OFFER = re.compile(r"<ACCEPT>(\d+)</ACCEPT>")
_CALL = "call_refused"


def in_form(
    letter: Letter, act: str, fields: Mapping[str, Any], called: bool, tools: str = ""
) -> Letter:
    """Return a letter that tells which fields its answer has, also behind a refused one.

    Args:
        letter: as the journal keeps it.
        act: what is asked for.
        fields: of the answer's schema.
        called: whether it is given by calling a tool.
        tools: which tools it may call before, in words.
    """
    told = in_fields(act, fields, called) + tools
    user = f"{letter.user.rstrip()}\n\n{told}\n"
    if not letter.why:
        return replace(letter, user=user)
    why = f"{letter.why.rstrip()}\n\n{told}\n"
    return replace(letter, user=user, why=why, returned=_returned(act, letter.refused, why, called))


def may_call(tools: Sequence[BaseTool], left: int, steps: Sequence[Step], called: bool) -> str:
    """Say which tools can be called before an answer, and how often in all: the same at each step.

    Args:
        tools: which there are.
        left: how many calls are left.
        steps: those that were made.
        called: whether the answer is a call of its own, too.
    """
    if not tools or not left:
        return ""
    calls = left + sum(len(step.results) for step in steps)
    ready = "" if called else f"; call `{READY}` if you need none"
    listed = ", ".join(f"`{tool.name}`" for tool in tools)
    return f" Before that you may call {listed}, {calls} calls in all{ready}."


def _returned(act: str, refused: str, why: str, called: bool) -> tuple[BaseMessage, ...]:
    """Return a refused answer and why, in the form that it had; none if it was in words."""
    fields = fields_of(act, refused) if len(refused) <= MAX_SHOWN else None
    if fields is None:
        return ()
    if not called:
        return AIMessage(json.dumps(fields, ensure_ascii=False)), HumanMessage(why)
    call = {"name": act, "args": fields, "id": _CALL}
    return AIMessage("", tool_calls=[call]), ToolMessage(why, tool_call_id=_CALL, name=act)


def fields_of(act: str, text: str) -> Fields | None:
    """Return the fields that were written as a tagged text; None if it was not made of any."""
    if (question := find_question(act)) is None:
        return None
    written = {"notes": In("NOTES"), "speech": In("s"), **question.answer.written()}
    said = {name: how.untagged(text) for name, how in written.items()}
    fields: dict[str, Any] = {name: value for name, value in said.items() if value is not None}
    if offer := _OFFER.search(text):
        fields["offer"] = int(offer[1])
    if deal := In("PROPOSAL").untagged(text):
        fields |= json.loads(deal)
    return fields if fields and question.answer.tagged(fields) == text else None
