"""The lookup of questions by name, for seats: a letter's facts hold only the question's name.

A program at a seat may run in a process that has loaded no workflow. So a question is imported by
its name, from `shapley_coop.questions` or from the extension that adds it.
"""

import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

from shapley_coop import extension
from shapley_coop.seats.answer import Answer

if TYPE_CHECKING:
    from shapley_coop.seats.embedded.bargaining import Agent

ROOM = "shapley_coop.questions"


@dataclass(frozen=True)
class Asked:
    """The part of a question that seats need; the `Question` of a workflow has more (`state.turn`).

    Attributes:
        name: the question's name in letters' facts, which also names its letter's template and its
            answer tool.
        title: the question in words, for the form in which a person answers.
        answer: the class of answers, from which tags, schema, tool and form are built.
        program: the function by which an embedded agent answers, or the `module:Class.method` of a
            subclass of `seats.embedded.letter_facts.Reader`, imported at its first use.
        takes_amounts: whether a split's parts may be amounts, which the question itself converts.
    """

    name: str
    title: str
    answer: type[Answer]
    program: "str | Callable[[Agent], str]"
    takes_amounts: bool = False


@lru_cache(maxsize=256)  # the cache is bounded, as a letter from outside may hold any name
def find_question(name: str) -> Asked | None:
    """Return the question of this name, or None if no such question is installed.

    Raises:
        BrokenExtension: the extension that adds the question cannot be imported.
    """
    if name in _shipped_names():
        return cast(Asked, import_module(f"{ROOM}.{name}").QUESTION)
    if name in extension.offered("questions"):
        return cast(Asked, extension.load("questions", name))
    return None


def without_deals(facts: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the answer of a program that only acts: it refuses deals and claims the share 1/n."""
    question = find_question(facts["ask"])
    return question.answer.declined(facts) if question else {}


def names() -> list[str]:
    """Return the sorted names of all questions, including those of installed extensions."""
    return sorted([*_shipped_names(), *extension.offered("questions")])


@cache
def _shipped_names() -> frozenset[str]:
    return frozenset(one.name for one in pkgutil.iter_modules(import_module(ROOM).__path__))
