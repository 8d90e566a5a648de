"""A letter as a seat receives it: a system part that is the same for all, and a part for one."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage

_FACTS = re.compile(r"^```json\n(.*?)\n```$", re.MULTILINE | re.DOTALL)
_EVENTS = re.compile(r"^```jsonl\n(.*?)\n?```$", re.MULTILINE | re.DOTALL)


# What could close a fence, or end a line for some reader of the text.
_ESCAPES = {ord(char): f"\\u{ord(char):04x}" for char in "<>`\x85\u2028\u2029"}

FACTS = "facts"
"""Where a message to a program carries the letter's facts as an object."""


@dataclass(frozen=True)
class Letter:
    """What one agent is asked: words for a model, and the same facts as an object for a program.

    Attributes:
        system: the part that is the same for all agents, always.
        user: the part for this agent, now.
        facts: what both parts say, as JSON; the public history is under `history`.
    """

    system: str
    user: str
    facts: Mapping[str, Any] = field(default_factory=dict)

    def messages(self, program: bool = False) -> list[BaseMessage]:
        """The letter as chat messages.

        Args:
            program: whether a program answers it, which reads the facts and not the words.
        """
        beside = {FACTS: self.facts} if program else {}
        return [SystemMessage(self.system), HumanMessage(self.user, additional_kwargs=beside)]


def facts_in(messages: Sequence[BaseMessage]) -> Mapping[str, Any]:
    """The facts that messages to a program carry; none if they are words alone."""
    found: Mapping[str, Any] = messages[-1].additional_kwargs.get(FACTS, {})
    return found


def as_text(messages: Sequence[BaseMessage]) -> str:
    """All that a seat is shown, as one text."""
    return "\n\n".join(str(message.text) for message in messages)


def with_facts(text: str, told: Mapping[str, Any]) -> str:
    """A letter's words with its facts behind them, for a program that is sent text alone."""
    return f"{text}\n\n```json\n{json.dumps(told, ensure_ascii=False).translate(_ESCAPES)}\n```"


def facts_of_text(text: str) -> dict[str, Any]:
    """All facts of a letter that holds them as text, the history included.

    So do letters of earlier versions, and those that are sent to a program behind an endpoint.
    """
    known = facts(text)
    return known if "history" in known else {**known, "history": events(text)}


def facts(text: str) -> dict[str, Any]:
    """The facts of a letter, from its fenced JSON blocks; later blocks win."""
    merged: dict[str, Any] = {}
    for block in _FACTS.findall(text):
        merged |= json.loads(block)
    return merged


def events(text: str) -> list[dict[str, Any]]:
    """The public history of a letter: one JSON object a line."""
    # By "\n" alone: what agents say may hold other characters that end a line for `splitlines`.
    lines = [line for block in _EVENTS.findall(text) for line in block.split("\n")]
    return [json.loads(line) for line in lines if line.strip()]
