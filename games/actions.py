"""Rules that describe an agent's actions where a list would be too long for a letter."""

from abc import abstractmethod
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence


class ActionRule(Sequence[str]):
    """A sequence of actions, computed on access, that letters describe in a few lines.

    Agents with equal descriptions have equal actions, except actions that name one of these agents.
    """

    @abstractmethod
    def told(self) -> list[str]:
        """Return the lines that describe the actions in letters; the game's parser reads them."""


def told_actions(actions: Sequence[str]) -> list[str]:
    """Return the lines that describe actions in letters, facts and feedback."""
    return actions.told() if isinstance(actions, ActionRule) else list(actions)


def actions_of_all(actions: Mapping[str, Sequence[str]]) -> list[str]:
    """Return the distinct actions of all agents; of agents with equal rules, only two are read.

    Args:
        actions: agent → its actions.
    """
    return list(dict.fromkeys(action for own in _orders_of_telling(actions) for action in own))


def _orders_of_telling(actions: Mapping[str, Sequence[str]]) -> Iterator[Sequence[str]]:
    asked: Counter[tuple[str, ...]] = Counter()
    for own in actions.values():
        if isinstance(own, ActionRule):
            asked[told := tuple(own.told())] += 1
            if asked[told] > 2:
                continue
        yield own
