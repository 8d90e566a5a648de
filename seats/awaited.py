"""Base classes of chat models that give their whole answer at once: by code, or awaited."""

import asyncio
from abc import abstractmethod
from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any, TypeVar

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables.config import set_config_context

if TYPE_CHECKING:  # not imported at run time: `seats.asking` imports this module
    from shapley_coop.seats.asking import Enquiry
    from shapley_coop.seats.records import Journal


T = TypeVar("T")


async def on_its_own(answer: Coroutine[Any, Any, T]) -> T:
    """Await a coroutine that may run graphs, outside the context of the running graph.

    LangGraph treats a graph called inside a node as a subgraph and gives it the outer graph's
    checkpointer. Then the inner graph's messages would be in the outer graph's checkpoints.
    """
    with set_config_context({}) as context:
        return await asyncio.create_task(answer, context=context)


class AnsweringChatModel(BaseChatModel):
    """A chat model that answers by its method `answer`, which subclasses define."""

    @abstractmethod
    def answer(self, messages: list[BaseMessage]) -> AIMessage:
        """Return the whole answer."""

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=self.answer(messages))])


class AwaitedChatModel(BaseChatModel):
    """A chat model that answers by its asynchronous method `answered`, which subclasses define."""

    @abstractmethod
    async def answered(self, messages: list[BaseMessage]) -> str | AIMessage:
        """Return the whole text of the answer, or a message that also has its token usage."""

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        return asyncio.run(self._agenerate(messages))

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        said = await self.answered(messages)
        if isinstance(said, str):
            said = AIMessage(said, response_metadata={"finish_reason": "stop"})
        return ChatResult(generations=[ChatGeneration(message=said)])


class LetterChatModel(AwaitedChatModel):
    """A chat model that gets the letter as an object, with the number of the attempt.

    The model answers in text and does not retry requests. If there is no answer, the model raises
    a `SeatFault` with the reason.
    """

    @abstractmethod
    def for_letter(self, question: "Enquiry", journal: "Journal") -> "LetterChatModel":
        """Return the model that answers this one letter.

        Args:
            question: the letter with its act and attempt.
            journal: the journal, where the model may keep data that a resumed run needs.
        """
