"""What chat models share whose whole answer is awaited from elsewhere."""

import asyncio
from abc import abstractmethod
from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any, TypeVar

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables.config import set_config_context

if TYPE_CHECKING:  # asking asks these models
    from shapley_coop.seats.asking import Enquiry
    from shapley_coop.seats.records import Journal


T = TypeVar("T")


async def on_its_own(answer: Coroutine[Any, Any, T]) -> T:
    """Await what plays or answers by graphs of its own, as no part of the graph that is running.

    LangGraph takes a graph that is called inside a node for a subgraph, and gives it the saver of
    that node's graph: what is said in one would be in the checkpoints of the other.
    """
    with set_config_context({}) as context:
        return await asyncio.create_task(answer, context=context)


class AwaitedChatModel(BaseChatModel):
    """A chat model whose subclass says in `answered` how a letter is answered."""

    @abstractmethod
    async def answered(self, messages: list[BaseMessage]) -> str:
        """Return the whole text of the answer."""

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
        text = await self.answered(messages)
        message = AIMessage(text, response_metadata={"finish_reason": "stop"})
        return ChatResult(generations=[ChatGeneration(message=message)])


class LetterChatModel(AwaitedChatModel):
    """A chat model that is given all of a letter, where others read its words alone.

    It answers in text, repeats no requests of its own, and raises `SeatFault` to say in its own
    words why there is no answer.
    """

    @abstractmethod
    def for_letter(self, question: "Enquiry", journal: "Journal") -> "LetterChatModel":
        """Return the model that answers this one letter.

        Args:
            question: the letter, with what it is asked for and by which attempt.
            journal: where the model may keep what a resume goes on with.
        """
