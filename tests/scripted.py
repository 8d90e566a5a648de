"""Seats that say what a test wants, and keep every letter they are shown."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage

from shapley_coop.seats.awaited import AnsweringChatModel
from shapley_coop.seats.embedded import EmbeddedChatModel
from shapley_coop.seats.letters import as_text, facts_in, facts_of_text
from shapley_coop.seats.seat import Seat

Line = str | Exception | Callable[[dict[str, Any]], str]
"""An answer, a failure, or a function from the letter's facts to an answer."""


class Shown(str):
    """A letter's words, with its facts as an object beside them."""

    facts: dict[str, Any]


def told_in(messages: list[BaseMessage]) -> dict[str, Any]:
    """The facts of a letter, beside its words or behind them."""
    return dict(facts_in(messages)) or facts_of_text(as_text(messages))


def shown(messages: list[BaseMessage]) -> Shown:
    """A letter as text that keeps its facts."""
    text = Shown(as_text(messages))
    text.facts = told_in(messages)
    return text


def facts(letter: str) -> dict[str, Any]:
    """The facts of a letter that was shown, or that an endpoint was sent as text."""
    return letter.facts if isinstance(letter, Shown) else facts_of_text(letter)


def events(letter: str) -> list[dict[str, Any]]:
    """The public history of a letter."""
    found: list[dict[str, Any]] = facts(letter)["history"]
    return found


@dataclass
class Script:
    """What each agent answers to each kind of letter.

    A list is gone through one letter at a time, and its last line is said from then on. Where the
    script has no line, the embedded agent answers.

    Attributes:
        letters: every letter shown so far: agent, what was asked, and the messages.
    """

    lines: dict[tuple[str, str], list[Line]] = field(default_factory=dict)
    letters: list[tuple[str, str, list[BaseMessage]]] = field(default_factory=list)

    def __setitem__(self, key: tuple[str, str], lines: Line | list[Line]) -> None:
        self.lines[key] = list(lines) if isinstance(lines, list) else [lines]

    def chat_model(self, seat: Seat, *, agent: str, seed: int) -> BaseChatModel:
        """In the place of `seats.asking.chat_model`."""
        stand_in = EmbeddedChatModel(character="rational", agent=agent, seed=seed)
        return ScriptedChatModel(script=self, agent=agent, stand_in=stand_in)

    def shown_to(self, agent: str, act: str | None = None) -> list[Shown]:
        """The letters an agent was shown, oldest first, as text."""
        return [shown(m) for a, b, m in self.letters if a == agent and act in (None, b)]


class ScriptedChatModel(AnsweringChatModel):
    """Reads its line off the script."""

    reads_facts: ClassVar[bool] = True

    script: Script
    agent: str
    stand_in: EmbeddedChatModel

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def answer(self, messages: list[BaseMessage]) -> AIMessage:
        known = told_in(messages)
        key = (self.agent, known["ask"])
        self.script.letters.append((*key, messages))
        lines = self.script.lines.get(key)
        if not lines:
            return self.stand_in.answer(messages)
        line = lines.pop(0) if len(lines) > 1 else lines[0]
        if isinstance(line, Exception):
            raise line
        return AIMessage(line if isinstance(line, str) else line(known))
