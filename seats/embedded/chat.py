"""An embedded agent as an ordinary LangChain chat model."""

import json
import re
from collections.abc import Iterator, Mapping
from random import Random
from typing import Any, ClassVar

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models.base import LangSmithParams
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.messages.ai import UsageMetadata
from langchain_core.outputs import ChatGenerationChunk, ChatResult

from shapley_coop import extension
from shapley_coop.games import Turn
from shapley_coop.seats.awaited import AnsweringChatModel
from shapley_coop.seats.embedded.bargaining import Agent
from shapley_coop.seats.embedded.characters import Character, character
from shapley_coop.seats.embedded.letter_facts import with_duties
from shapley_coop.seats.letters import as_text, facts_in, facts_of_text


class EmbeddedChatModel(AnsweringChatModel):
    """A simulated agent that answers from the letter only; the same letter gives the same answer.

    Args:
        character: one of `seats.embedded.CHARACTERS`.
        agent: the agent's name; two agents with the same character differ a little.
        seed: the seed of the agent's traits and random choices.
    """

    reads_facts: ClassVar[bool] = True
    """Whether the model is a program that gets a letter's facts as an object with the words."""

    character: str = "rational"
    agent: str = ""
    seed: int = 0

    @property
    def _llm_type(self) -> str:
        return "embedded"

    @property
    def _identifying_params(self) -> dict[str, Any]:
        return {"character": self.character, "seed": self.seed, "simulated": True}

    def _get_ls_params(self, stop: list[str] | None = None, **kwargs: Any) -> LangSmithParams:
        return LangSmithParams(
            ls_provider="embedded", ls_model_name=self.character, ls_model_type="chat"
        )

    def _reply(self, messages: list[BaseMessage]) -> str:
        known = dict(facts_in(messages)) or facts_of_text(as_text(messages))
        own = _draw_character(character(self.character), self.seed, self.agent)
        rng = Random(f"{self.seed}/{self.agent}/{_moment(known)}")
        history = known.get("history", [])
        known, record = _at_hand(known, _turns(history))
        text = Agent(with_duties(known, record), record, own, rng, history, self.seed).answer()
        careless = rng.random() < own.sloppiness and known.get("ask") != "reason"
        return _spoil(text, rng) if careless else text

    def answer(self, messages: list[BaseMessage]) -> AIMessage:
        """Return the agent's answer to a letter."""
        text = self._reply(messages)
        return AIMessage(
            text,
            usage_metadata=_usage(messages, text),
            response_metadata={"finish_reason": "stop", "model_name": self.character},
        )

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        # Computing the answer takes microseconds, less than starting a thread would.
        return self._generate(messages)

    def _stream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> Iterator[ChatGenerationChunk]:
        for chunk in self._chunks(messages):
            if run_manager:
                run_manager.on_llm_new_token(chunk.text, chunk=chunk)
            yield chunk

    def _chunks(self, messages: list[BaseMessage]) -> Iterator[ChatGenerationChunk]:
        text = self._reply(messages)
        for word in re.findall(r"\s*\S+\s*$|\s*\S+", text):
            yield ChatGenerationChunk(message=AIMessageChunk(content=word))
        yield ChatGenerationChunk(
            message=AIMessageChunk(
                content="",
                usage_metadata=_usage(messages, text),
                response_metadata={"finish_reason": "stop", "model_name": self.character},
                chunk_position="last",
            )
        )


def _draw_character(of: Character, seed: int, agent: str) -> Character:
    """Return the individual traits of an agent, the same for all of its letters."""
    return of.drawn(Random(f"{seed}/{agent}"))


def _moment(known: Mapping[str, Any]) -> str:
    """Return a seed from a letter's question and time; the letter's words do not affect it."""
    fault = (known.get("fault") or {}).get("label", "")
    when = (known.get("ask"), known.get("turn"), known.get("round"), len(known.get("history", [])))
    return "/".join(map(str, (*when, fault)))


def _at_hand(known: dict[str, Any], record: list[Turn]) -> tuple[dict[str, Any], list[Turn]]:
    """Return the letter's facts and record; for an action, an extension may convert them first."""
    named = (name for name in extension.offered("readings") if name in known)
    if known.get("ask") == "act" and (name := next(named, None)):
        known, record = extension.load("readings", name)(known, record)
    return known, record


def _turns(history: list[dict[str, Any]]) -> list[Turn]:
    return [
        {
            "turn": event["turn"],
            "actions": event["did"],
            "rewards": event["earned"],
            "pot": event.get("pot", 0),
            "effects": event.get("effects", []),
        }
        for event in history
        if "did" in event
    ]


def _usage(messages: list[BaseMessage], text: str) -> UsageMetadata:
    """Return estimated tokens, at four characters each, as embedded agents have no tokeniser."""
    shown, said = len(as_text(messages)) // 4, len(text) // 4
    return UsageMetadata(input_tokens=shown, output_tokens=said, total_tokens=shown + said)


def _spoil(text: str, rng: Random) -> str:
    """Return an answer's text with one of the faults by which models break the protocol."""
    return rng.choice(
        [
            text[: len(text) // 2],
            text.replace("<PROPOSAL>", "<PROPOSAL>```json\n").replace(
                "</PROPOSAL>", "\n```</PROPOSAL>"
            ),
            text.replace("<ACCEPT>", "").replace("<REJECT>", ""),
            text.replace("<s>", "<S>").replace("</s>", "</S>"),
            text + "<s>One more thing.</s>",
            json.dumps({"answer": text}).replace("<", ""),
        ]
    )
