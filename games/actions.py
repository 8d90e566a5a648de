"""What an agent can do, where it is more than a letter should list: a rule in place of a list."""

from abc import abstractmethod
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence


class ActionRule(Sequence[str]):
    """Actions that are worked out when they are asked for, and told in a few lines.

    Rules that are told alike hold the same actions, but for those that name their own agent.
    """

    @abstractmethod
    def told(self) -> list[str]:
        """Return the actions in letters and facts; the game's own reader finds them again."""


def told_actions(actions: Sequence[str]) -> list[str]:
    """Actions as letters, facts and feedback tell them."""
    return actions.told() if isinstance(actions, ActionRule) else list(actions)


def actions_of_all(actions: Mapping[str, Sequence[str]]) -> list[str]:
    """Every action that anybody has, once; of the agents whose rules are told alike two are asked.

    Args:
        actions: agent → what it can do.
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
