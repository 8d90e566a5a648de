"""Letters as seats receive them: a system part that all agents share, and a part for one agent."""

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
"""Most characters of a refused answer that its author is shown again."""

# Characters that could close a fenced block or form a tag.
_ESCAPES = {ord(char): f"\\u{ord(char):04x}" for char in "<>`"}

FACTS = "facts"
"""The key in a message's `additional_kwargs` that holds the letter's facts for a program."""


@dataclass(frozen=True)
class Letter:
    """The prompt for one agent: words for a model, and the same content as an object for programs.

    Attributes:
        system: the part that is the same for all agents and at every turn.
        user: the part for this agent at this turn.
        facts: the content of both parts as JSON; the public history is under `history`.
        refused: the agent's last answer to this letter if that was refused, else "".
        why: the fault of the refused answer, in words; "" if no answer was refused.
        steps: the agent's tool calls before its answer, with their results.
        returned: messages with the refused answer and the fault; empty for an answer in text.
    """

    system: str
    user: str
    facts: Mapping[str, Any] = field(default_factory=dict)
    refused: str = ""
    why: str = ""
    steps: tuple[Step, ...] = ()
    returned: tuple[BaseMessage, ...] = ()

    def text(self) -> str:
        """Return the whole letter as one text, equal to `as_text` of its messages."""
        if self.steps:
            return as_text(self.messages())
        said = [self.system, self.user]
        if self.why:
            said += [_show_answer(self.refused), self.why]
        return "\n\n".join(said)

    def without_system(self) -> "Letter":
        """Return the letter without a system part, whose text is put before the user part."""
        return replace(self, system="", user=f"{self.system}\n\n{self.user}")

    def messages(self, program: bool = False) -> list[BaseMessage]:
        """Return the letter as a conversation; a retry continues after the refused answer.

        Args:
            program: whether a program answers the letter and needs the facts in the last message.
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
    """Return a refused answer for its author, shortened, and never empty: providers forbid that."""
    if len(answer) > MAX_SHOWN:
        return f"{answer[:MAX_SHOWN]}\n[… {len(answer) - MAX_SHOWN} characters more]"
    return answer or "(no words)"


def facts_in(messages: Sequence[BaseMessage]) -> Mapping[str, Any]:
    """Return the facts in the last of the messages to a program; empty if there are none."""
    found: Mapping[str, Any] = messages[-1].additional_kwargs.get(FACTS, {})
    return found


def as_text(messages: Sequence[BaseMessage]) -> str:
    """Return the messages to a seat as one text."""
    return "\n\n".join(text_of(message) for message in messages)


def with_facts(text: str, told: Mapping[str, Any]) -> str:
    """Append a letter's facts to its words as JSON, for programs that receive text only."""
    data = visible(json.dumps(told, ensure_ascii=False).translate(_ESCAPES))
    return f"{text}\n\n```json\n{data}\n```"


def facts_of_text(text: str) -> dict[str, Any]:
    """Return all facts in a letter's text, with the public history under `history`."""
    known = facts(text)
    return known if "history" in known else {**known, "history": events(text)}


def facts(text: str) -> dict[str, Any]:
    """Return the facts of a letter, from its fenced JSON blocks; later blocks win."""
    merged: dict[str, Any] = {}
    for block in _FACTS.findall(text):
        merged |= json.loads(block)
    return merged


def events(text: str) -> list[dict[str, Any]]:
    """Return the public history in a letter's text, which has one JSON object a line."""
    # Split at "\n" only: agents' words may hold other line ends that `splitlines` would split at.
    lines = [line for block in _EVENTS.findall(text) for line in block.split("\n")]
    return [json.loads(line) for line in lines if line.strip()]
