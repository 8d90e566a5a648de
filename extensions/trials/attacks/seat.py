"""The adversary's seat: a chat model that answers from a script.

Like any other agent, a scripted agent sees only the letters sent to it. Where the script returns
None, an embedded agent that keeps its contracts answers instead.
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
"""The embedded character that answers when the script returns None."""


@dataclass(frozen=True)
class Asked:
    """A letter as a scripted agent reads it: facts, public history, and the attempt from 1."""

    facts: dict[str, Any]
    history: list[dict[str, Any]] = field(default_factory=list)
    attempt: int = 1

    @property
    def me(self) -> str:
        """The name of the letter's recipient."""
        return str(self.facts["you"])

    @property
    def act(self) -> str:
        """The kind of answer that the letter asks for: propose, answer, act, …"""
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
"""An answer's text, or a function from a letter to it; None lets the embedded agent answer."""

Script = Mapping[str, Answer]
"""Act → answer; the embedded agent answers all acts that the script does not name."""

Pace = Callable[[Asked], Awaitable[None]]
"""A function awaited before each answer."""


async def at_once(asked: Asked) -> None:
    """Return at once: the pace of a seat that does not wait."""


class ScriptedChatModel(EmbeddedChatModel):
    """A chat model that answers from a script; if the script has no answer, an embedded agent does.

    Args:
        script: act (propose, answer, …) → a function from the letter to the answer.
        pace: an async function that is awaited before each answer.
    """

    script: Script
    pace: Pace = at_once
    character: str = HONEST
    disable_streaming: bool = True  # streaming would bypass the script

    @property
    def _llm_type(self) -> str:
        return PROVIDER

    async def ainvoke(self, *given: Any, **options: Any) -> AIMessage:
        """Call LangChain's `ainvoke`; its run metadata give `_agenerate` the attempt's number."""
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
    """Return a seat for a scripted agent; it works as long as this event loop's clients are open.

    The model is put into the cache in which `seats.chat_model` looks up this loop's models.

    Args:
        model: the scripted agent.
        name: the seat's name; each run needs a new name, because scripts have state.
        timeout: the time limit for one answer, in seconds.
    """
    seat = Seat(model=f"{PROVIDER}:{name}", timeout=timeout)
    clients_here().models[seat] = model
    return seat
