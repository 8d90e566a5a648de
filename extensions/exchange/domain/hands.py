"""The form of actions that hand tasks over."""

from collections.abc import Container

HAND, TO = "hand ", " to "


def hand(task: str, to: str) -> str:
    """Return the action that hands a task to an agent."""
    return f"{HAND}{task}{TO}{to}"


def read_hand(action: str, tasks: Container[str], agents: Container[str]) -> tuple[str, str] | None:
    """Return the task and the receiver in an action; None if it is not a hand-over."""
    if not action.startswith(HAND):
        return None
    words = action.removeprefix(HAND).split(TO)
    for k in range(1, len(words)):
        task, to = TO.join(words[:k]), TO.join(words[k:])
        if task in tasks and to in agents:
            return task, to
    return None
