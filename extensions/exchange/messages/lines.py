"""The allocations in delivered messages, and messages as lines of the history."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from shapley_coop.deals.language.wire import said_in
from shapley_coop.extensions.exchange.domain.scenario import Tasks
from shapley_coop.extensions.exchange.messages.checking import check_message


@lru_cache(maxsize=4096)
def masks_in(tasks: Tasks, by: str, text: str) -> dict[str, str] | None:
    """Return the allocation in a message: agent → its tasks as a bit string; None if invalid."""
    verdict = check_message(text, tasks, by)
    return None if verdict.label else verdict.masks


def line_of(tasks: Tasks, said: Mapping[str, Any], before: int = 0) -> dict[str, Any]:
    """Return a message of a talk over tasks as a line of the history.

    Args:
        tasks: the tasks and agents of the talk.
        said: the public message.
        before: the number of turns of talk that preceded this talk.
    """
    line: dict[str, Any] = {"turn": said["round"] - before, "by": said["by"], "does": said["act"]}
    message = said_in(said["text"])
    if isinstance(message.proposal, dict):
        line["proposes"] = message.proposal
    elif "<PROPOSAL>" in said["text"]:
        line["wrote"] = said["text"]
    if "proposes" in line or "wrote" in line:
        masks = masks_in(tasks, said["by"], said["text"]) or {}
        line |= {"masks": masks, "holds": _described(tasks, masks)} if masks else {}
    if words := message.speech or message.accept or message.reject:
        line["says"] = words
    return line


def _described(tasks: Tasks, masks: Mapping[str, str]) -> dict[str, str]:
    """Return agent → the exact description of its tasks, as a proposal must write it."""
    return {agent: tasks.registry.describe(int(bits, 2)) for agent, bits in masks.items()}
