"""What people say whom an app asks (`interrupt`): given beforehand, alike in every coalition.

A node that asks is asked once more with the answer, as LangGraph does; what it then writes is kept.
"""

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.types import Command

from shapley_coop.extensions.attribute.app import Graph

Answers = Callable[[Any], Any] | Mapping[str, Any]
"""A function of what is asked, or node → answer, "*" for all others."""


class Unanswered(ValueError):
    """A node asks a person, and there is no answer for it."""


def check_answers(answers: Any) -> None:
    """Refuse what answers nothing.

    Raises:
        ValueError: it is neither a function nor an object.
    """
    if answers is not None and not callable(answers) and not isinstance(answers, Mapping):
        raise ValueError(
            f"answers is a {type(answers).__name__}: give a function of what is asked, or "
            '{"node": answer}'
        )


async def answered(graph: Graph, config: RunnableConfig, answers: Answers | None) -> Command[Any]:
    """Return how a play goes on that stopped to ask.

    Raises:
        Unanswered: there is no answer for who asks.
    """
    if answers is None and not graph.checkpointer:
        raise _unanswered()
    state = await graph.aget_state(config)
    asked = [(task.name, one) for task in state.tasks for one in task.interrupts]
    return Command(resume={one.id: await _answer(node, one.value, answers) for node, one in asked})


async def _answer(node: str, asked: Any, answers: Answers | None) -> Any:
    if callable(answers):
        found = answers(asked)
        return await found if inspect.isawaitable(found) else found
    for name in (node, "*"):
        if name in (answers or {}):
            return (answers or {})[name]
    raise _unanswered(node)


def _unanswered(node: str = "") -> Unanswered:
    example = f'{{"{node or "NODE"}": what it is told}}'
    return Unanswered(
        f"{node or 'a node'} asks a person (interrupt): give --answers, a file that holds "
        f"{example}, or path.py:function of what is asked"
    )
