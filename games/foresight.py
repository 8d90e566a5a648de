"""Foresight: an embedded agent's predictions of a game, from the facts of its letter alone.

A predictable game sets `foresight` to a subclass of `Foresight`, and its facts give the game's name
as `game`. A game whose facts list all payoffs needs no subclass, since `games.enumeration`
predicts any table of payoffs. In every other game, agents say that they cannot look ahead.

A `Foresight` reads and returns plain data. The class does not know deals: a caller passes the
duties of a deal as a function of the record and the turn.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

from shapley_coop.games.turns import Turn

Payoffs = dict[str, float]


class Missing(LookupError):
    """The error raised if the letter lacks a fact that the decision needs."""


def check_facts(facts: Mapping[str, Any], *names: str) -> None:
    """Check that a letter has the needed facts.

    Raises:
        Missing: a fact is absent; the error names each one.
    """
    if lacking := [name for name in names if name not in facts]:
        raise Missing(f"the letter lacks {', '.join(lacking)}")


def looks_far(facts: Mapping[str, Any]) -> bool:
    """Return whether the letter asks for, or contains, reasoning about the joint result."""
    return facts.get("ask") == "reason" or bool(facts.get("reasoning"))


class Owed(Protocol):
    """A duty: an action that an agent must take, or must not take, at a turn."""

    @property
    def agent(self) -> str: ...  # noqa: D102
    @property
    def action(self) -> str: ...  # noqa: D102
    @property
    def forbidden(self) -> bool: ...  # noqa: D102


Asked = Callable[[Sequence[Turn], int], Iterable[Owed]]
"""(the earlier turns, a turn's number) → the duties of a deal at this turn."""


@dataclass(frozen=True)
class Part:
    """One agent's action in a plan, for all turns, a range of turns, or turns at an interval."""

    agent: str
    action: str
    turns: tuple[int, int] | None = None
    every: tuple[int, int] | None = None  # (interval, first turn)


@dataclass(frozen=True)
class Foreseen:
    """A prediction of the rest of the game.

    Attributes:
        record: the recorded turns, then the predicted ones.
        holds: each agent's payoff after these turns, before any payment or split.
        whole: whether the last of these turns ends the game; only then can a deal split the total.
    """

    record: list[Turn]
    holds: Payoffs
    whole: bool = True


class Foresight(ABC):
    """One agent's prediction of a game, from this turn to the end.

    Args:
        facts: the facts of the agent's letter.
        record: the turns played.
        standing: the duties of the contract in force.

    Raises:
        Missing: names the absent facts.
    """

    FACTS: ClassVar[tuple[str, ...]] = ()
    """The facts that the class needs besides `you`, `agents` and `turn`."""

    sure_of_habits: ClassVar[bool] = True
    """Whether promising an action adds nothing if the agent would take this action anyway."""

    speaks_of_all: ClassVar[bool] = False
    """Whether the class accepts a duty of `EVERYONE`; if not, callers pass a duty per agent."""

    writes: ClassVar[bool] = False
    """Whether actions have content, so that only `habit` can write a complete action."""

    def __init__(self, facts: Mapping[str, Any], record: list[Turn], standing: Asked) -> None:
        check_facts(facts, "you", "agents", "turn", *self.FACTS)
        self.me: str = facts["you"]
        self.agents: list[str] = list(facts["agents"])
        self.turn = int(facts["turn"])
        self.record = record
        self.standing = standing
        self.far_sighted = looks_far(facts)
        try:
            self.read(facts)
        except KeyError as lost:
            raise Missing(f"the letter's facts lack {lost.args[0]}") from None

    @abstractmethod
    def read(self, facts: Mapping[str, Any]) -> None:
        """Read this game's facts."""

    @abstractmethod
    def foresee(self, asked: Asked, mine: str | None = None) -> Foreseen:
        """Predict the remaining turns if every agent keeps its duties.

        Args:
            asked: the duties of a deal.
            mine: my own action for this turn, which replaces my duty.
        """

    @abstractmethod
    def together(self) -> list[Part]:
        """Return the best plan for all agents that I can find."""

    @abstractmethod
    def wish(self) -> list[Part]:
        """Return the plan that I prefer for my own payoff; empty if I want nothing."""

    @abstractmethod
    def habit(self, legal: list[str]) -> str:
        """Return my action without a deal."""

    def options(self, legal: list[str]) -> list[str]:
        """Return the actions that are worth considering this turn."""
        return legal

    def is_habit(self, action: str) -> bool:
        """Return whether I would take this action without a deal, now or later."""
        return False
