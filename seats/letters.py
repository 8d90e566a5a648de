"""A letter as a seat receives it: a system part for all agents, and a part for one."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage

from shapley_coop.escaping import visible
from shapley_coop.seats.calls import Step, text_of

_FACTS = re.compile(r"^```json\n(.*?)\n```$", re.MULTILINE | re.DOTALL)
_EVENTS = re.compile(r"^```jsonl\n(.*?)\n?```$", re.MULTILINE | re.DOTALL)


MAX_SHOWN = 8_000
"""Characters of a refused answer that its author is shown again."""

# What could close a fence.
_ESCAPES = {ord(char): f"\\u{ord(char):04x}" for char in "<>`"}

FACTS = "facts"
"""Where a message to a program carries the letter's facts as an object."""


@dataclass(frozen=True)
class Letter:
    """What one agent is asked: words for a model, and the same facts as an object for a program.

    Attributes:
        system: the part that is the same for all agents, always.
        user: the part for this agent, now.
        facts: what both parts say, as JSON; the public history is under `history`.
        refused: the agent's own answer to the letter, if that could not be used.
        why: what was wrong with it, in words; empty where nothing was refused.
        steps: what the agent has asked tools since, and what they told it.
        returned: the refused answer and why, as messages, where it was in fields.
    """

    system: str
    user: str
    facts: Mapping[str, Any] = field(default_factory=dict)
    refused: str = ""
    why: str = ""
    steps: tuple[Step, ...] = ()
    returned: tuple[BaseMessage, ...] = ()

    def text(self) -> str:
        """Return all that the words say, as one text: `as_text` of the messages."""
        if self.steps:
            return as_text(self.messages())
        said = [self.system, self.user]
        if self.why:
            said += [_show_answer(self.refused), self.why]
        return "\n\n".join(said)

    def without_system(self) -> "Letter":
        """Return the letter with its system part in front of the part for its agent."""
        return replace(self, system="", user=f"{self.system}\n\n{self.user}")

    def messages(self, program: bool = False) -> list[BaseMessage]:
        """Return the letter as a conversation: a retry goes on where the refused answer stands.

        Args:
            program: whether a program answers it, which reads the facts and not the words.
        """
        rules = [SystemMessage(self.system)] if self.system else []
        talk: list[BaseMessage] = [*rules, HumanMessage(self.user)]
        if self.why:
            talk += self.returned or [AIMessage(_show_answer(self.refused)), HumanMessage(self.why)]
        if program:
            talk[-1].additional_kwargs[FACTS] = self.facts
        for number, step in enumerate(self.steps, start=1):
            talk += step.messages(number)
        return talk


def _show_answer(answer: str) -> str:
    """Return an agent's own answer as it is shown to it again; providers refuse an empty one."""
    if len(answer) > MAX_SHOWN:
        return f"{answer[:MAX_SHOWN]}\n[… {len(answer) - MAX_SHOWN} characters more]"
    return answer or "(no words)"


def facts_in(messages: Sequence[BaseMessage]) -> Mapping[str, Any]:
    """Return the facts that messages to a program carry; none if they are words alone."""
    found: Mapping[str, Any] = messages[-1].additional_kwargs.get(FACTS, {})
    return found


def as_text(messages: Sequence[BaseMessage]) -> str:
    """Return all that a seat is shown, as one text."""
    return "\n\n".join(text_of(message) for message in messages)


def with_facts(text: str, told: Mapping[str, Any]) -> str:
    """Return a letter's words with its facts behind them, for a program that is sent text alone."""
    data = visible(json.dumps(told, ensure_ascii=False).translate(_ESCAPES))
    return f"{text}\n\n```json\n{data}\n```"


def facts_of_text(text: str) -> dict[str, Any]:
    """All facts of a letter that holds them as text, as one does that is sent to a program."""
    known = facts(text)
    return known if "history" in known else {**known, "history": events(text)}


def facts(text: str) -> dict[str, Any]:
    """Return the facts of a letter, from its fenced JSON blocks; later blocks win."""
    merged: dict[str, Any] = {}
    for block in _FACTS.findall(text):
        merged |= json.loads(block)
    return merged


def events(text: str) -> list[dict[str, Any]]:
    """Return the public history of a letter: one JSON object a line."""
    # By "\n" alone: what agents say may hold other characters that end a line for `splitlines`.
    lines = [line for block in _EVENTS.findall(text) for line in block.split("\n")]
    return [json.loads(line) for line in lines if line.strip()]
