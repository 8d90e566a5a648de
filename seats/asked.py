"""What seats know of a question: they get its name with a letter's facts, and look it up.

A program behind a chat model may run where no page of a workflow is loaded: a question is imported
by its name, from the room of questions, or from the extension that brings it.
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
    """One thing that is asked, as far as seats know it.

    A workflow's `Question` (`state.turn`) has these parts and more; away from tables this is all.

    Attributes:
        name: what letters' facts call it.
        title: what it asks, as a person's page says it.
        answer: what it is answered with.
        program: how an embedded agent answers it.
    """

    name: str
    title: str
    answer: type[Answer]
    program: "Callable[[Agent], str]"


@lru_cache(maxsize=256)  # a letter from elsewhere may name anything
def find_question(name: str) -> Asked | None:
    """Look a question up by its name; None if nothing here asks it.

    Raises:
        BrokenExtension: the extension that brings it cannot be imported.
    """
    if name in _shipped_names():
        return cast(Asked, import_module(f"{ROOM}.{name}").QUESTION)
    if name in extension.offered("questions"):
        return cast(Asked, extension.load("questions", name))
    return None


def without_deals(facts: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return what a program answers that only acts: it takes part in no deal, and claims 1/n."""
    question = find_question(facts["ask"])
    return question.answer.declined(facts) if question else {}


def names() -> list[str]:
    """Name every question there is, sorted."""
    return sorted([*_shipped_names(), *extension.offered("questions")])


@cache
def _shipped_names() -> frozenset[str]:
    return frozenset(one.name for one in pkgutil.iter_modules(import_module(ROOM).__path__))
