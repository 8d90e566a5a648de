"""Python objects that a program puts at seats: functions, chat models and compiled graphs.

The record of a run names each object by its kind, module and qualified name, as in
`function:bots:careful`. The objects exist only in this process, and only during the call that
seats them (`seat_objects`). No table, letter or checkpoint holds an object. To resume a run, a
program must give the objects again.

>>> def careful(letter, facts): ...
>>> seat_for("Ann", careful).model.rpartition(":")[2]
'careful'
>>> seat_for("Ann", [])                                             # doctest: +ELLIPSIS
Traceback (most recent call last):
    ...
TypeError: Ann's seat: an object of class list is not a seat: give a function of (letter, facts)...
"""

import inspect
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from types import MappingProxyType
from typing import Any, NamedTuple

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.messages.ai import UsageMetadata, add_usage
from langgraph.pregel import Pregel

from shapley_coop.seats.awaited import AwaitedChatModel, on_its_own
from shapley_coop.seats.provider import Provider
from shapley_coop.seats.python_seat import CallableChatModel, PythonSeatError, failure_of
from shapley_coop.seats.seat import FUNCTION, GRAPH, MODEL, Seat, is_object

ALL = "*"
_FORMS = (
    "give a function of (letter, facts), a LangChain chat model, a compiled LangGraph graph, "
    "or a name as 'embedded:rational' or 'human'"
)
_PATIENCE = 3600.0
"""Most seconds for one attempt of an object; the program that plays may set tighter limits."""


class Seated(NamedTuple):
    """An object at a seat, and the seat that names the object."""

    seat: Seat
    given: Any


_seated: ContextVar[Mapping[str, Seated]] = ContextVar("seated", default=MappingProxyType({}))


def seat_for(agent: str, given: Any) -> Seat:
    """Return the seat that names an object.

    Raises:
        TypeError: the object cannot sit at a seat; one line names the agent and the valid kinds.
    """
    kind, known = _kind_of(agent, given), given if inspect.isroutine(given) else type(given)
    name = f"{kind}:{known.__module__}:{known.__qualname__}"
    # The label distinguishes models or graphs of one class by the names that the program gave.
    label = given.name if kind == GRAPH else _model_name(given) if kind == MODEL else ""
    return Seat(model=f"{name}:{label}" if label else name, timeout=_PATIENCE)


def _model_name(model: BaseChatModel) -> str:
    """Return the model's name in a chat model's attribute `model_name` or `model`, else ""."""
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
        raise TypeError(f"{agent}'s seat: an object of class {kind} is not a seat: {_FORMS}")
    try:
        inspect.signature(given).bind("letter", {})
    except TypeError:
        name = getattr(given, "__name__", type(given).__name__)
        raise TypeError(
            f"{agent}'s seat: {name}{inspect.signature(given)} cannot be called with "
            "(letter, facts), which a function at a seat must accept"
        ) from None
    except ValueError:  # a builtin without a signature
        pass
    return FUNCTION


def told_apart(seats: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Seated]]:
    """Return the seats with each object replaced by a seat that names it, and agent → its object.

    Raises:
        TypeError: an object cannot sit at a seat.
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
    """Seat objects within the `with` block and in the tasks that start there."""
    before = _seated.set(objects)
    try:
        yield
    finally:
        _seated.reset(before)


def check_seated(run: str, seats: Mapping[str, str]) -> None:
    """Refuse to resume a run until the objects at its seats are given again.

    Args:
        run: the run's name.
        seats: agent → the model of its seat.

    Raises:
        ValueError: objects are missing; the text names them, their agents and the right call.
    """
    missing = []
    for agent, model in seats.items():
        if is_object(model) and not _find_seated(model, agent):
            other = _given_to(agent)
            missing.append(f"{agent} ({model}{f', not {other.seat.model}' if other else ''})")
    if missing:
        raise ValueError(
            f"{run} needs the objects at its seats: {', '.join(missing)}; continue it with "
            f"{onward(run, seats)}"
        )


def onward(run: str, seats: Mapping[str, str]) -> str:
    """Return the Python call that resumes a run with objects at its seats; "" without objects."""
    given = ", ".join(f"{agent!r}: …" for agent, model in seats.items() if is_object(model))
    return f"shapley_coop.resume_sync({run!r}, seats={{{given}}})" if given else ""


def _given_to(agent: str) -> Seated | None:
    here = _seated.get()
    return here.get(agent) or here.get(ALL)


def _find_seated(model: str, agent: str) -> Seated | None:
    given = _given_to(agent)
    return given if given and given.seat.model == model else None


def model_of(seat: Seat, *, agent: str, seed: int = 0) -> BaseChatModel:
    """Return the chat model that answers letters with the object at a seat.

    Raises:
        ValueError: the object is not seated in this context.
    """
    found = _find_seated(seat.model, agent)
    if found is None:  # `agent` may be an outsider that uses the model of an agent's seat
        found = next((one for one in _seated.get().values() if one.seat.model == seat.model), None)
    if found is None:
        raise ValueError(
            f"{seat.model}: only a program can give an object as a seat: play(…, seats={{…}}) or "
            f"resume(…, seats={{…}})"
        )
    if seat.provider == MODEL:
        return found.given  # type: ignore[no-any-return]
    kind = FunctionChatModel if seat.provider == FUNCTION else GraphChatModel
    return kind(given=found.given)


class FunctionChatModel(CallableChatModel):
    """A chat model that answers a letter by a function of its words and facts."""

    given: Any

    @property
    def _llm_type(self) -> str:
        return FUNCTION

    def defined_in(self) -> str | None:
        """Return the name of the function's module."""
        return getattr(self.given, "__module__", None)

    def called(self, facts: dict[str, Any], words: str) -> Any:
        """Call the function and return its result."""
        return self.given(words, facts)

    async def answered(self, messages: list[BaseMessage]) -> str:
        """Return the function's answer as tagged text."""
        return await on_its_own(super().answered(messages))


class GraphChatModel(AwaitedChatModel):
    """A chat model that answers a letter by a compiled graph, whose last message is the answer."""

    given: Any

    @property
    def _llm_type(self) -> str:
        return GRAPH

    async def answered(self, messages: list[BaseMessage]) -> AIMessage:
        """Run the graph and return its last message, with the token usage of all its messages.

        Raises:
            PythonSeatError: the graph failed, stopped at an interrupt, or added no message.
        """
        try:
            state = await on_its_own(self.given.ainvoke({"messages": list(messages)}))
        except TimeoutError:
            raise
        except Exception as error:
            failure = failure_of(error, None)
        else:
            return _last(messages, state)
        raise failure  # not in `except`, as its context would quote private facts


def _last(asked: list[BaseMessage], state: Any) -> AIMessage:
    said = state.get("messages") if isinstance(state, Mapping) else None
    if isinstance(state, Mapping) and "__interrupt__" in state:
        raise PythonSeatError("its graph stopped at an interrupt: a graph at a seat must answer")
    if not said or said[-1].text == asked[-1].text:
        raise PythonSeatError(
            "its graph answered nothing: its input is {'messages': […]}, and it must append its "
            "answer as the last message"
        )
    used: UsageMetadata | None = None
    for message in said:
        if isinstance(message, AIMessage) and message.usage_metadata:
            used = add_usage(used, message.usage_metadata)
    return AIMessage(said[-1].text, usage_metadata=used)


def _check(seat: Seat) -> None:
    """Refuse an object that is not seated in this context."""
    model_of(seat, agent="")


PROVIDER = Provider(model_of, _check)
PROGRAM = Provider(model_of, _check, in_text=True)
"""Functions and graphs, which always answer in text."""
