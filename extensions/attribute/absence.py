"""Stand-ins for absent agents: an emptied update, no update, a function, or a model."""

import inspect
from collections.abc import Callable, Collection, Mapping
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import BaseMessage, HumanMessage
from langchain_core.runnables import Runnable, RunnableConfig, RunnableLambda

from shapley_coop.extensions.attribute.canonical import canonical, fields_of
from shapley_coop.extensions.attribute.instead import OtherModel
from shapley_coop.extensions.attribute.naming import name_of
from shapley_coop.files import did_you_mean

Baseline = Callable[..., Any] | Runnable[Any, Any]
Absent = str | Baseline | Mapping[str, str | Baseline]
"""`blank`, `silent`, a model, or a function (or runnable) of the input; or agent → stand-in."""

KINDS = ("blank", "silent")


def stand_in(choice: Any) -> Runnable[Any, Any]:
    """Return the runnable that stands in for an agent; a chat model's runnable returns text."""

    async def model_words(state: Any, config: RunnableConfig) -> str:
        # A state without messages becomes one message that contains the whole state as text.
        talk: Any = fields_of(state).get("messages") or [HumanMessage(canonical(state)[0])]
        answer: BaseMessage = await choice.ainvoke(list(talk), config)
        return str(answer.text)

    async def output(state: Any) -> Any:
        found = choice(state)
        return await found if inspect.isawaitable(found) else found

    if isinstance(choice, BaseChatModel):
        return RunnableLambda(model_words)
    return choice if isinstance(choice, Runnable) else RunnableLambda(output)


def described(absent: Absent) -> Any:
    """Return the stand-in as JSON, for the result and for the keys of cached calls."""
    if isinstance(absent, Mapping):
        return {agent: described(one) for agent, one in absent.items()}
    if isinstance(absent, str):
        return absent
    if isinstance(absent, OtherModel):
        return str(absent)
    if isinstance(absent, BaseChatModel):
        return f"model {name_of(absent)}"
    name = getattr(absent, "__qualname__", None) or getattr(absent, "name", None)
    return f"function {name or type(absent).__name__}"


def in_words(choice: Any) -> str:
    """Return in words what `described` returns: one stand-in, or agent → stand-in."""
    if isinstance(choice, Mapping):
        return ", ".join(f"{one} for {agent}" for agent, one in choice.items())
    return str(choice)


def check_absent(absent: Absent, agents: Collection[str]) -> None:
    """Refuse an invalid stand-in.

    Raises:
        ValueError: a stand-in has a wrong type or name, or its agent is unknown.
    """
    if isinstance(absent, Mapping):
        if stray := [agent for agent in absent if agent not in agents]:
            meant = did_you_mean(stray[0], agents) or f": they are {', '.join(agents)}"
            raise ValueError(f"absent: {stray[0]!r} is not an agent{meant}")
        for one in absent.values():
            check_absent(one, agents)
    elif isinstance(absent, str) and absent not in KINDS:
        raise ValueError(f"absent is {absent!r}: give blank, silent, a function or a chat model")
    elif not isinstance(absent, str) and not callable(absent) and not isinstance(absent, Runnable):
        raise ValueError(f"absent is a {type(absent).__name__}: give a function or a chat model")
