"""The meter of a served seat's calls: it counts them, and stops them beyond a request's budget."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage
from langchain_core.outputs import ChatGeneration, LLMResult
from langchain_core.tracers.context import register_configure_hook

from shapley_coop.evals.prices import read_prices
from shapley_coop.extensions.a2a.costs import Budget, BudgetSpent, Cost, total
from shapley_coop.seats.awaited import AwaitedChatModel
from shapley_coop.seats.seat import Seat
from shapley_coop.seats.usage import parts


class Meter(BaseCallbackHandler):
    """A counter of the calls of one answer, also of those that a program at the seat makes.

    Attributes:
        stopped: why a call was refused; "" if none was.
    """

    raise_error = True
    run_inline = True

    def __init__(self, seat: Seat, budget: Budget) -> None:
        self._seat, self._budget, self._prices = seat, budget, read_prices()
        if budget.usd is not None and not self._prices.know([seat.model]):
            raise ValueError(f"budget: no price is known for {seat.model}: leave out usd")
        self._calls, self._costs, self._started = 0, list[Cost](), time.monotonic()
        self.stopped = ""

    @contextmanager
    def watching(self, model: BaseChatModel) -> Iterator[None]:
        """Count the calls that are made in a `with` block, in which the seat's model answers."""
        # The call of a program or graph is none of a model; those that it makes are counted.
        self._calls = -1 if isinstance(model, AwaitedChatModel) else 0
        token = _METER.set(self)
        try:
            yield
        finally:
            _METER.reset(token)

    def on_chat_model_start(self, *_: Any, **__: Any) -> None:
        """Count a call that begins, or refuse it.

        Raises:
            BudgetSpent: a part of the budget is used up.
        """
        try:
            seconds = time.monotonic() - self._started
            self._budget.left(max(self._calls, 0), self.counted, seconds)
        except BudgetSpent as error:
            self.stopped = str(error)
            raise
        self._calls += 1

    def on_llm_end(self, response: LLMResult, **_: Any) -> None:
        """Add the cost of a call that has ended."""
        said = response.generations[0][0]
        if isinstance(said, ChatGeneration) and isinstance(said.message, AIMessage):
            self._costs.append(self._cost(said.message))

    @property
    def counted(self) -> Cost:
        """The cost of the calls that have ended."""
        return total(self._costs)

    def cost(self, answer: AIMessage) -> Cost:
        """Return the cost of an answer: as the answer states it, or that of the counted calls."""
        return self._cost(answer) if answer.usage_metadata else self.counted

    def _cost(self, answer: AIMessage) -> Cost:
        if (used := answer.usage_metadata) is None:
            return Cost()
        read, written, model = used["input_tokens"], used["output_tokens"], self._seat.model
        if not self._prices.know([model]):
            return Cost(read, written)
        counts = {"input_tokens": read, "output_tokens": written, **parts({**used})}
        return Cost(read, written, self._prices.cost([{"model": model, **counts}]))


_METER: ContextVar[Meter | None] = ContextVar("a2a_meter", default=None)
register_configure_hook(_METER, inheritable=True)
