"""Letters of extensions that are answered by a sealed proposal: what the core needs to know of one.

>>> sealed_letter("act") is None
True
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from shapley_coop import extension


@dataclass(frozen=True)
class SealedLetter:
    """A letter that asks for a proposal which nobody else sees: the part `letters` names it.

    Attributes:
        answer: its answer in fields.
        elements: a field of it → the element of the tagged text that it stands for.
        proposal: returns what of the fields is proposed, as JSON; nothing where they decline.
        written: how the proposal is written, for a person's client.
        choices: returns what a person's form needs beside its fields: of the turn, for an agent.
        in_words: returns what an agent's answer comes to, a line each: of the turn, agent and text.
        to_sign: returns what its author signs, or None where it binds itself to nothing: of the
            turn, agent and text.
    """

    answer: type[BaseModel]
    elements: Mapping[str, str]
    proposal: Callable[[Mapping[str, Any]], Any]
    written: str
    choices: Callable[[Any, str], Mapping[str, Any]]
    in_words: Callable[[Any, str, str], list[str]]
    to_sign: Callable[[Any, str, str], Any]


def sealed_letter(act: str) -> SealedLetter | None:
    """Return an extension's letter by its act; None for a letter of the core.

    Raises:
        BrokenExtension: the extension cannot be imported.
    """
    if act not in extension.offered("letters"):
        return None
    found: SealedLetter = extension.load("letters", act)
    return found
