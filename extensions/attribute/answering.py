"""Prepared answers to an app's `interrupt` calls, the same in every coalition.

As in LangGraph, an interrupted node runs again with the answer; the second call's output is kept.
"""

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.types import Command

from shapley_coop.extensions.attribute.app import Graph

Answers = Callable[[Any], Any] | Mapping[str, Any]
"""A function from an interrupt's value to its answer, or node → answer ("*": other nodes)."""


class Unanswered(ValueError):
    """The error if a node interrupts the run and no answer is given for the node."""


def check_answers(answers: Any) -> None:
    """Refuse answers of the wrong type.

    Raises:
        ValueError: the answers are neither a function nor a mapping.
    """
    if answers is not None and not callable(answers) and not isinstance(answers, Mapping):
        raise ValueError(
            f"answers is a {type(answers).__name__}: give a function of the interrupt's value, or "
            f'{{"node": answer}}'
        )


async def answered(graph: Graph, config: RunnableConfig, answers: Answers | None) -> Command[Any]:
    """Return the command that resumes an interrupted play with the prepared answers.

    Raises:
        Unanswered: no answer is given for the interrupted node.
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
