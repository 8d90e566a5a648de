"""Objects of the program that plays at seats: functions, chat models and compiled graphs.

The record of a run names what sat there by its kind, module and qualified name, as in
`function:bots:careful`. The objects themselves are in this process alone, for as long as the call
lasts in which they sit (`seated`): no table, letter or checkpoint holds one, and a run goes on
where they are given again.

>>> def careful(letter, facts): ...
>>> seat_for("Ann", careful).model.rpartition(":")[2]
'careful'
>>> seat_for("Ann", [])                                             # doctest: +ELLIPSIS
Traceback (most recent call last):
    ...
TypeError: Ann's seat: an object of class list is no seat: give a function of (letter, facts), ...
"""

import inspect
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from types import MappingProxyType
from typing import Any, NamedTuple

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.messages.ai import UsageMetadata, add_usage
from langchain_core.outputs import ChatGeneration, ChatResult
from langgraph.pregel import Pregel

from shapley_coop.seats.awaited import AwaitedChatModel, on_its_own
from shapley_coop.seats.python_seat import CallableChatModel, PythonSeatError, failure_of
from shapley_coop.seats.seat import FUNCTION, GRAPH, MODEL, Seat, is_object

ALL = "*"
_FORMS = (
    "give a function of (letter, facts), a LangChain chat model, a compiled LangGraph graph, "
    "or a name as 'embedded:rational' or 'human'"
)
_PATIENCE = 3600.0
"""Seconds that one attempt of an object may take: the program that plays sets its own limits."""


class Seated(NamedTuple):
    """An object and the seat that names it."""

    seat: Seat
    given: Any


_seated: ContextVar[Mapping[str, Seated]] = ContextVar("seated", default=MappingProxyType({}))


def seat_for(agent: str, given: Any) -> Seat:
    """Return the seat that names an object.

    Raises:
        TypeError: it can sit nowhere; one line names the agent and what would be right.
    """
    kind, known = _kind_of(agent, given), given if inspect.isroutine(given) else type(given)
    name = f"{kind}:{known.__module__}:{known.__qualname__}"
    # Two models of one class, or two graphs, are told apart by what their makers call them.
    label = given.name if kind == GRAPH else _model_name(given) if kind == MODEL else ""
    return Seat(model=f"{name}:{label}" if label else name, timeout=_PATIENCE)


def _model_name(model: BaseChatModel) -> str:
    """Return what a chat model of a provider calls its model, which has two usual names."""
    found = getattr(model, "model_name", None) or getattr(model, "model", None)
    return found if isinstance(found, str) else ""


def _kind_of(agent: str, given: Any) -> str:
    if isinstance(given, BaseChatModel):
        return MODEL
    if isinstance(given, Pregel):
        return GRAPH
    if isinstance(given, type):
        raise TypeError(f"{agent}'s seat: {given.__name__} is a class: give an instance of it")
    if not callable(given):
        kind = type(given).__name__
        raise TypeError(f"{agent}'s seat: an object of class {kind} is no seat: {_FORMS}")
    try:
        inspect.signature(given).bind("letter", {})
    except TypeError:
        name = getattr(given, "__name__", type(given).__name__)
        raise TypeError(
            f"{agent}'s seat: {name}{inspect.signature(given)} cannot be called with "
            "(letter, facts), as a function at a seat is"
        ) from None
    except ValueError:  # a builtin that tells no signature
        pass
    return FUNCTION


def told_apart(seats: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Seated]]:
    """Return seats as a configuration takes them, and the objects among them.

    Raises:
        TypeError: one can sit nowhere.
    """
    if not isinstance(seats, Mapping):
        raise TypeError(f"seats: a {type(seats).__name__} is given: give agent → who sits there")
    objects = {
        agent: Seated(seat_for(agent, given), given)
        for agent, given in seats.items()
        if not isinstance(given, (str, Seat, Mapping))
    }
    return {**seats, **{agent: one.seat for agent, one in objects.items()}}, objects


@contextmanager
def seat_objects(objects: Mapping[str, Seated]) -> Iterator[None]:
    """Have objects answer at their seats inside the block, and in the tasks begun there."""
    before = _seated.set(objects)
    try:
        yield
    finally:
        _seated.reset(before)


def check_seated(run: str, seats: Mapping[str, str]) -> None:
    """Refuse to go on with a run before its objects are given again.

    Args:
        run: its name.
        seats: agent → the model of its seat.

    Raises:
        ValueError: names the agents, the objects that are missing, and how to give them.
    """
    missing = []
    for agent, model in seats.items():
        if is_object(model) and not _find_seated(model, agent):
            other = _given_to(agent)
            missing.append(f"{agent} ({model}{f', not {other.seat.model}' if other else ''})")
    if missing:
        raise ValueError(
            f"{run} needs the objects at its seats: {', '.join(missing)}; "
            f"go on with {onward(run, seats)}"
        )


def onward(run: str, seats: Mapping[str, str]) -> str:
    """Return the call that goes on with a run at whose seats objects sit; empty without any."""
    given = ", ".join(f"{agent!r}: …" for agent, model in seats.items() if is_object(model))
    return f"shapley_coop.resume_sync({run!r}, seats={{{given}}})" if given else ""


def _given_to(agent: str) -> Seated | None:
    here = _seated.get()
    return here.get(agent) or here.get(ALL)


def _find_seated(model: str, agent: str) -> Seated | None:
    given = _given_to(agent)
    return given if given and given.seat.model == model else None


def model_of(seat: Seat, agent: str) -> BaseChatModel:
    """Return the chat model by which an object answers.

    Raises:
        ValueError: it does not sit here.
    """
    found = _find_seated(seat.model, agent)
    if found is None:  # an outsider, who borrows the model of an agent
        found = next((one for one in _seated.get().values() if one.seat.model == seat.model), None)
    if found is None:
        raise ValueError(
            f"{seat.model}: an object sits only where a program gives it itself: "
            "play(…, seats={…}) or resume(…, seats={…})"
        )
    if seat.provider == MODEL:
        return found.given  # type: ignore[no-any-return]
    kind = FunctionChatModel if seat.provider == FUNCTION else GraphChatModel
    return kind(given=found.given)


class FunctionChatModel(CallableChatModel):
    """Answers a letter by a function of its words and facts."""

    given: Any

    @property
    def _llm_type(self) -> str:
        return FUNCTION

    def defined_in(self) -> str | None:
        """Return the function's module."""
        return getattr(self.given, "__module__", None)

    def called(self, facts: dict[str, Any], words: str) -> Any:
        """Return what the function gives."""
        return self.given(words, facts)

    async def answered(self, messages: list[BaseMessage]) -> str:
        """Return what the function answers, as tagged text."""
        return await on_its_own(super().answered(messages))


class GraphChatModel(AwaitedChatModel):
    """Answers a letter by a compiled graph, whose last message is the answer."""

    given: Any

    @property
    def _llm_type(self) -> str:
        return GRAPH

    async def answered(self, messages: list[BaseMessage]) -> str:
        """Return the text of the graph's last message."""
        return str((await self._asked(messages)).text)

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=await self._asked(messages))])

    async def _asked(self, messages: list[BaseMessage]) -> AIMessage:
        """Return the graph's last message, with what all of its calls used.

        Raises:
            PythonSeatError: it failed, waits for somebody, or added no message.
        """
        try:
            state = await on_its_own(self.given.ainvoke({"messages": list(messages)}))
        except TimeoutError:
            raise
        except Exception as error:
            failure = failure_of(error, None)
        else:
            return _last(messages, state)
        raise failure  # outside the handler: what a program says of an error may be private


def _last(asked: list[BaseMessage], state: Any) -> AIMessage:
    said = state.get("messages") if isinstance(state, Mapping) else None
    if isinstance(state, Mapping) and "__interrupt__" in state:
        raise PythonSeatError("its graph waits at an interrupt: one at a seat has to answer")
    if not said or said[-1].text == asked[-1].text:
        raise PythonSeatError(
            "its graph answered nothing: it is given {'messages': […]} and has to add its answer "
            "as the last of them"
        )
    used: UsageMetadata | None = None
    for message in said:
        if isinstance(message, AIMessage) and message.usage_metadata:
            used = add_usage(used, message.usage_metadata)
    return AIMessage(said[-1].text, usage_metadata=used)
