"""The task exchange of agents who meet in pairs: they trade before the play, and then all work."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from pydantic import Field

from shapley_coop.extensions.institutions.pairs.hands import handed_over
from shapley_coop.games import GameError, Params, Position, Turn
from shapley_coop.games.exchange.market import WAIT
from shapley_coop.games.exchange.params import TaskExchangeParams
from shapley_coop.games.exchange.scenario import Masks, is_partition
from shapley_coop.games.exchange.words import worth_of
from shapley_coop.games.task_exchange import TaskExchange


class MeetingsParams(TaskExchangeParams):
    """Which tasks, whose tastes, the protocol's limits, and how often agents meet."""

    meetings: int = Field(
        default=3, ge=1, le=1000, description="How often everybody meets another."
    )


class ExchangeInPairs(TaskExchange):
    """A task exchange in which agents meet in pairs, as many as there are.

    Its letters tell of the two who meet alone. What a pair accepts the workflow hands over
    (`swap`), so that no agent hands over anything by an action of its own.
    """

    workflow = "pairwise_exchange"
    by_hand = False
    Params: ClassVar[type[Params]] = MeetingsParams
    params: MeetingsParams

    @classmethod
    def called(cls, params: Mapping[str, Any]) -> str:
        """Return how errors call it: by the parameter that makes it what it is."""
        return f"{cls.name} with meetings"

    def make_ready(self) -> None:
        """Take any number of agents."""

    def hands(
        self, masks: Masks, holds: Masks | None = None, closing: bool = True
    ) -> list[dict[str, str]]:
        """Return the joint actions that turn one allocation into another, and close the trade.

        Each agent hands over what others are to have, one task a turn; none does in the last.
        Nobody is left without a task in between: who has one alone waits until it is given another.

        Args:
            masks: who is to hold what.
            holds: who holds what; by default as at the start.
            closing: whether trade closes by it.

        Raises:
            GameError: the masks are not a partition among the agents.
        """
        if set(masks) != set(self.agents) or not is_partition(masks, self.tasks.n):
            raise GameError(f"{masks} is not a partition of the tasks: each task to one agent")
        before = holds or self.tasks.initial
        return [*handed_over(self.tasks.names, before, masks), *([{}] if closing else [])]

    def agreed(self, record: Sequence[Turn]) -> bool:
        """Whether anything was traded: to accept what each holds already is no trade."""
        return any(self.handed(action) for turn in record for action in turn["actions"].values())

    def private(self, agent: str) -> dict[str, Any]:
        """Return its taste; what tasks are worth to it is told in the talk over them."""
        return self.taste(agent)

    def view(self, position: Position, agent: str) -> dict[str, Any]:
        """Return how many tasks are left to an agent to do."""
        left = self.undone(position, agent).bit_count()
        return {"turn": position["turn"], "tasks_left_to_you": left}

    def rules(self) -> str:
        """Return how agents meet: the same for all, and no longer with many of them."""
        times = "Once" if self.params.meetings == 1 else f"{self.params.meetings} times"
        meet = (
            f"**Task exchange in pairs**. {len(self.agents)} players hold {self.tasks.n} "
            f"indivisible tasks. {times}, players are drawn by lot into pairs, and the two of a "
            "pair may trade the tasks that they hold at the moment; nobody else is told of their "
            "talk, and what both accept changes hands at once. Of an odd number of players one is "
            "left over."
        )
        work = (
            "Then all work: each turn a player does one of the tasks that it holds (the action is "
            f"its name), or does `{WAIT}`. At most {self.turns} turns are played, those of handing "
            "over included."
        )
        return "\n".join([meet, "", worth_of(self.scenario), "", work])

    def facts(self) -> dict[str, Any]:
        """Return who plays, and how long; the tasks of two are told in their talk."""
        limits = {"turns": self.turns, "meetings": self.params.meetings}
        return {"game": self.name, "agents": self.tasks.agents, **limits}
