"""Tool calls: their form in a seat's answer, and the messages with their results.

A model calls tools by its provider's API. The journal keeps each call as `<CALL>{"tool": …,
"arguments": {…}}</CALL>` after the model's words. Calls are read only from the journal's text. So
an answer has the same effect when it arrives, after a restart, and in a recording.

>>> told = kept_call("history", {"agent": "Bob"})
>>> told
'<CALL>{"tool": "history", "arguments": {"agent": "Bob"}}</CALL>'
>>> calls_in(f"Let me see. {told}")
(Call(tool='history', arguments={'agent': 'Bob'}),)
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, ToolMessage

READY = "answer_now"
"""The tool that a seat in mode "schema" calls when it needs no other tool and will answer."""

_CALL = re.compile(r"<CALL>(.*?)</CALL>", re.DOTALL)
# Escape the characters that could end the element that holds the JSON.
_ESCAPES = {ord("<"): "\\u003c", ord(">"): "\\u003e"}


@dataclass(frozen=True)
class Call:
    """One call of a tool, with its arguments as plain JSON."""

    tool: str
    arguments: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Step:
    """An answer that called tools, and the tools' results.

    Attributes:
        answer: the answer's text in the journal.
        results: one text for each call, in the order of the calls.
    """

    answer: str
    results: tuple[str, ...]

    def messages(self, number: int) -> list[BaseMessage]:
        """Return the step as chat messages.

        Args:
            number: the step's number, from 1. The ids of its calls contain the number,
                because providers' ids differ each time and equal conversations need equal text.
        """
        calls = calls_in(self.answer)
        asked = [
            {"name": call.tool, "args": dict(call.arguments), "id": f"call_{number}_{n}"}
            for n, call in enumerate(calls, start=1)
        ]
        told = [
            ToolMessage(text, tool_call_id=call["id"], name=call["name"])
            for call, text in zip(asked, self.results, strict=True)
        ]
        return [AIMessage(_CALL.sub("", self.answer), tool_calls=asked), *told]


def kept_call(tool: str, arguments: Mapping[str, Any]) -> str:
    """Return a call as the text that the journal keeps."""
    told = json.dumps({"tool": tool, "arguments": arguments}, ensure_ascii=False)
    return f"<CALL>{told.translate(_ESCAPES)}</CALL>"


def text_of(message: BaseMessage) -> str:
    """Return a message as one text: its words, then its calls."""
    calls = message.tool_calls if isinstance(message, AIMessage) else []
    words = message.content if isinstance(message.content, str) else str(message.text)
    return words + "".join(kept_call(call["name"], call["args"]) for call in calls)


def calls_in(answer: str) -> tuple[Call, ...]:
    """Return the calls in an answer, in order; unreadable calls are skipped."""
    found = (_call(told) for told in _CALL.findall(answer))
    return tuple(call for call in found if call)


def _call(told: str) -> Call | None:
    try:
        match json.loads(told):
            case {"tool": str(tool), "arguments": dict(arguments)}:
                return Call(tool, arguments)
    except (ValueError, RecursionError):
        pass
    return None
