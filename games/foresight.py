"""Foresight: what an agent pictures of a world, from the facts of its letter alone.

A world that can be looked ahead in brings a subclass of `Foresight`, bound to `FORESIGHT` beside
its `GAME`, and gives its name in its facts as `game`. A game whose facts list all payoffs needs
none: `games.enumeration` looks ahead in any such table. In every other game agents cannot look
ahead, and say so.

A foresight reads plain facts and gives plain data back. It knows no deal: what one asks for comes
in as a function of the record and the turn.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

from shapley_coop.games.turns import Turn

Payoffs = dict[str, float]


class Missing(LookupError):
    """The letter lacks a fact that the decision needs."""


def check_facts(facts: Mapping[str, Any], *names: str) -> None:
    """Insist on facts.

    Raises:
        Missing: names those that are not there.
    """
    if lacking := [name for name in names if name not in facts]:
        raise Missing(f"the letter does not say: {', '.join(lacking)}")


def looks_far(facts: Mapping[str, Any]) -> bool:
    """Return whether an agent was asked to reason about what all together could achieve."""
    return facts.get("ask") == "reason" or bool(facts.get("reasoning"))


class Owed(Protocol):
    """One thing that an agent must do, or must not do, at a turn."""

    @property
    def agent(self) -> str: ...  # noqa: D102
    @property
    def action(self) -> str: ...  # noqa: D102
    @property
    def forbidden(self) -> bool: ...  # noqa: D102


Asked = Callable[[Sequence[Turn], int], Iterable[Owed]]
"""(the turns before, the turn) → what a deal asks for at that turn."""


@dataclass(frozen=True)
class Part:
    """What one agent does in a plan: always, from one turn to another, or at even intervals."""

    agent: str
    action: str
    turns: tuple[int, int] | None = None
    every: tuple[int, int] | None = None  # (interval, first turn)


@dataclass(frozen=True)
class Foreseen:
    """How the rest of the game is pictured.

    Attributes:
        record: the turns played, and those pictured.
        holds: what each agent has at their end, before any payment or split.
        whole: whether that is the end of the game, where a split of the total would apply.
    """

    record: list[Turn]
    holds: Payoffs
    whole: bool = True


class Foresight(ABC):
    """A world as one agent pictures it, from this turn to the end.

    Args:
        facts: the letter's.
        record: the turns played.
        standing: what the contract in force asks for.

    Raises:
        Missing: names the facts that are not there.
    """

    FACTS: ClassVar[tuple[str, ...]] = ()
    """The facts that it reads beside `you`, `agents` and `turn`."""

    sure_of_habits: ClassVar[bool] = True
    """Whether promising what all would do anyway adds nothing."""

    speaks_of_all: ClassVar[bool] = False
    """Whether it takes what is owed by everyone as one, and plans so; else it is told of each."""

    writes: ClassVar[bool] = False
    """Whether actions carry content, so that only `habit` can tell a whole one."""

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
        """Keep what this world's letters say."""

    @abstractmethod
    def foresee(self, asked: Asked, mine: str | None = None) -> Foreseen:
        """Picture the turns left if everyone does what is asked of it.

        Args:
            asked: what a deal asks for.
            mine: an action of my own for this turn, in place of what is asked of me.
        """

    @abstractmethod
    def together(self) -> list[Part]:
        """Return the best plan for all that I can think of."""

    @abstractmethod
    def wish(self) -> list[Part]:
        """Return what I would like to be done for my own good; nothing if I want nothing."""

    @abstractmethod
    def habit(self, legal: list[str]) -> str:
        """Return what I do without a deal."""

    def options(self, legal: list[str]) -> list[str]:
        """Return what is worth weighing this turn."""
        return legal

    def is_habit(self, action: str) -> bool:
        """Return whether I would do this sooner or later without being asked."""
        return False
