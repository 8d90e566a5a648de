"""Adversaries' seats: a chat model that answers from a script.

A scripted agent gets the same letters as all others and nothing more. Where its script returns
nothing, an embedded agent that is careful and keeps its contracts answers.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult

from shapley_coop.games import Turn
from shapley_coop.seats import Seat, as_text
from shapley_coop.seats.clients import clients_here
from shapley_coop.seats.embedded import EmbeddedChatModel
from shapley_coop.seats.letters import events, facts

PROVIDER = "scripted"
HONEST = "contract_keeper"
"""The embedded character that answers where a script returns nothing."""


@dataclass(frozen=True)
class Asked:
    """One letter as a scripted agent reads it.

    Attributes:
        facts: the letter's facts; `you` is who is asked.
        history: the public history, a line each.
        attempt: from 1; a message that was sent back is asked for again under the next number.
    """

    facts: dict[str, Any]
    history: list[dict[str, Any]] = field(default_factory=list)
    attempt: int = 1

    @property
    def me(self) -> str:
        """Who is asked."""
        return str(self.facts["you"])

    @property
    def act(self) -> str:
        """What for: propose, answer, act, …"""
        return str(self.facts["ask"])

    @property
    def others(self) -> list[str]:
        """Everybody else, in speaking order."""
        return [agent for agent in self.facts["agents"] if agent != self.me]

    @property
    def record(self) -> list[Turn]:
        """The turns played."""
        return [
            {"turn": line["turn"], "actions": line["did"], "rewards": line["earned"]}
            for line in self.history
            if "did" in line
        ]


Script = Callable[[Asked], str | None]
"""What to answer; None leaves it to the embedded agent."""

Pace = Callable[[Asked], Awaitable[None]]
"""What to wait for before answering."""


def says(**replies: str | Script) -> Script:
    """A script with a reply, or a function that makes one, for each act that it is asked for."""

    def script(asked: Asked) -> str | None:
        reply = replies.get(asked.act)
        return reply(asked) if callable(reply) else reply

    return script


async def at_once(asked: Asked) -> None:
    """Do not wait."""


class ScriptedChatModel(BaseChatModel):
    """A chat model that answers from a script.

    Args:
        script: what it says.
        pace: what it waits for first.
        agent: whose seat it is.
        seed: of the embedded agent that answers where the script returns nothing.
    """

    script: Script
    pace: Pace = at_once
    agent: str = ""
    seed: int = 0

    @property
    def _llm_type(self) -> str:
        return PROVIDER

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        return self._said(messages, _asked(messages, run_manager))

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        asked = _asked(messages, run_manager)
        await self.pace(asked)
        return self._said(messages, asked)

    def _said(self, messages: list[BaseMessage], asked: Asked) -> ChatResult:
        text = self.script(asked)
        if text is None:
            honest = EmbeddedChatModel(character=HONEST, agent=self.agent, seed=self.seed)
            return honest._generate(messages)
        metadata = {"finish_reason": "stop", "model_name": PROVIDER}
        message = AIMessage(text, response_metadata=metadata)
        return ChatResult(generations=[ChatGeneration(message=message)])


def seated(model: ScriptedChatModel, name: str, timeout: float) -> Seat:
    """Give a scripted agent a seat, for as long as this event loop's clients are open.

    `seats.chat_model` finds it where it keeps every model that it has built on this loop.

    Args:
        model: who sits there.
        name: of the seat; every run has its own, for scripts remember.
        timeout: seconds for one answer.
    """
    seat = Seat(model=f"{PROVIDER}:{name}", timeout=timeout)
    clients_here().models[seat] = model
    return seat


def _asked(
    messages: list[BaseMessage],
    manager: CallbackManagerForLLMRun | AsyncCallbackManagerForLLMRun | None,
) -> Asked:
    text = as_text(messages)
    attempt = manager.metadata.get("attempt", 1) if manager else 1
    return Asked(facts(text), events(text), attempt)
