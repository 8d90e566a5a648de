"""What an agent can do, where it is more than a letter should list: a rule in place of a list."""

from abc import abstractmethod
from collections.abc import Sequence


class ActionRule(Sequence[str]):
    """Actions that are worked out when they are asked for, and told in a few lines."""

    @abstractmethod
    def told(self) -> list[str]:
        """The actions in letters and facts; the game's own reader finds them again."""


def told_actions(actions: Sequence[str]) -> list[str]:
    """Actions as letters, facts and feedback tell them."""
    return actions.told() if isinstance(actions, ActionRule) else list(actions)
