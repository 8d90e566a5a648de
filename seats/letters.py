"""A letter as a seat receives it: a system part that is the same for all, and a part for one."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage

_FACTS = re.compile(r"^```json\n(.*?)\n```$", re.MULTILINE | re.DOTALL)
_EVENTS = re.compile(r"^```jsonl\n(.*?)\n?```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Letter:
    """What one agent is asked: Markdown, with its facts as fenced JSON."""

    system: str
    user: str

    def messages(self) -> list[BaseMessage]:
        """The letter as chat messages."""
        return [SystemMessage(self.system), HumanMessage(self.user)]


def as_text(messages: Sequence[BaseMessage]) -> str:
    """All that a seat is shown, as one text."""
    return "\n\n".join(str(message.text) for message in messages)


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
