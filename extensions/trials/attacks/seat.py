"""The adversary's seat: a chat model that answers from a script.

A scripted agent sees its own letters only, like any other agent. Where its script returns nothing,
a careful embedded agent that keeps its contracts answers instead.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from langchain_core.callbacks import BaseRunManager
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult

from shapley_coop.games import Turn
from shapley_coop.seats.clients import clients_here
from shapley_coop.seats.embedded import EmbeddedChatModel
from shapley_coop.seats.letters import as_text, facts_in, facts_of_text
from shapley_coop.seats.seat import Seat

PROVIDER = "scripted"
HONEST = "contract_keeper"
"""The embedded character that answers where the script returns None."""


@dataclass(frozen=True)
class Asked:
    """One letter as a scripted agent reads it.

    Attributes:
        facts: the letter's facts; `you` is the agent that is asked.
        history: the public history, one event per item.
        attempt: from 1; a refused message is asked for again with the next number.
    """

    facts: dict[str, Any]
    history: list[dict[str, Any]] = field(default_factory=list)
    attempt: int = 1

    @property
    def me(self) -> str:
        """The agent that is asked."""
        return str(self.facts["you"])

    @property
    def act(self) -> str:
        """What is asked for: propose, answer, act, …"""
        return str(self.facts["ask"])

    @property
    def others(self) -> list[str]:
        """All other agents, in speaking order."""
        return [agent for agent in self.facts["agents"] if agent != self.me]

    @property
    def record(self) -> list[Turn]:
        """The turns played so far."""
        return [
            {"turn": line["turn"], "actions": line["did"], "rewards": line["earned"]}
            for line in self.history
            if "did" in line
        ]


Answer = str | Callable[[Asked], str | None]
"""A text, or a function from the letter to one; None leaves the answer to the embedded agent."""

Script = Mapping[str, Answer]
"""Act → answer; acts that it does not name are left to the embedded agent."""

Pace = Callable[[Asked], Awaitable[None]]
"""Awaited before each answer."""


async def at_once(asked: Asked) -> None:
    """Wait for nothing."""


class ScriptedChatModel(EmbeddedChatModel):
    """An embedded agent that a script speaks for, where it has an answer; asked on an event loop.

    Args:
        script: its answers.
        pace: awaited before each answer.
    """

    script: Script
    pace: Pace = at_once
    character: str = HONEST
    disable_streaming: bool = True  # a stream would be the embedded agent's own

    @property
    def _llm_type(self) -> str:
        return PROVIDER

    async def ainvoke(self, *given: Any, **options: Any) -> AIMessage:
        """Answer as LangChain asks, with the run's metadata, which say the number of the try."""
        return await super().ainvoke(*given, **options)

    async def _agenerate(  # type: ignore[override]
        self, messages: list[BaseMessage], *_: Any, run_manager: BaseRunManager, **__: Any
    ) -> ChatResult:
        known = dict(facts_in(messages)) or facts_of_text(as_text(messages))
        asked = Asked(known, known["history"], run_manager.metadata.get("attempt", 1))
        await self.pace(asked)
        given = self.script.get(asked.act)
        said = given(asked) if callable(given) else given
        if said is None:
            return self._generate(messages)
        metadata = {"finish_reason": "stop", "model_name": PROVIDER}
        message = AIMessage(said, response_metadata=metadata)
        return ChatResult(generations=[ChatGeneration(message=message)])


def seated(model: ScriptedChatModel, name: str, timeout: float) -> Seat:
    """Give a scripted agent a seat, for as long as this event loop's clients are open.

    The model is put where `seats.chat_model` keeps the models that it has built on this loop.

    Args:
        model: the scripted agent.
        name: of the seat; each run needs its own, since scripts have state.
        timeout: seconds for one answer.
    """
    seat = Seat(model=f"{PROVIDER}:{name}", timeout=timeout)
    clients_here().models[seat] = model
    return seat
