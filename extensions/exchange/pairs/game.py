"""Task exchange in pairs: agents trade tasks in meetings, and then do their tasks."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from pydantic import Field

from shapley_coop.extensions.exchange.domain.market import WAIT
from shapley_coop.extensions.exchange.domain.params import TaskExchangeParams
from shapley_coop.extensions.exchange.domain.scenario import Masks, is_partition
from shapley_coop.extensions.exchange.domain.words import worth_of
from shapley_coop.extensions.exchange.game import TaskExchange
from shapley_coop.extensions.exchange.pairs.hands import handed_over
from shapley_coop.games import GameError, Params, Position, Turn


class MeetingsParams(TaskExchangeParams):
    """The tasks, the agents' preferences, the protocol's limits, and the number of meetings."""

    meetings: int = Field(
        default=3, ge=1, le=1000, description="The number of rounds in which agents are paired."
    )


class ExchangeInPairs(TaskExchange):
    """A task exchange in which any number of agents meet in pairs.

    Its letters describe only the two agents of a pair. The workflow transfers the tasks of accepted
    proposals (`swap`), so no agent hands over tasks by an action of its own.
    """

    workflow = "pairwise_exchange"
    by_hand = False
    Params: ClassVar[type[Params]] = MeetingsParams
    params: MeetingsParams

    @classmethod
    def called(cls, params: Mapping[str, Any]) -> str:
        """Return the game's name for errors, with the parameter that selects this variant."""
        return f"{cls.name} with meetings"

    def make_ready(self) -> None:
        """Accept any number of agents, unlike `TaskExchange`."""

    def hands(
        self, masks: Masks, holds: Masks | None = None, closing: bool = True
    ) -> list[dict[str, str]]:
        """Return the joint actions that turn one allocation of the tasks into another.

        Each agent hands over at most one task a turn to the task's new holder. An agent with a
        single task gives it only in a turn in which the agent receives another.

        Args:
            masks: agent → the mask of its tasks after the hand-overs.
            holds: agent → the mask of its tasks before them; by default the initial tasks.
            closing: whether to append a turn without hand-overs, which closes the trade.

        Raises:
            GameError: the masks do not give each task to exactly one agent.
        """
        if set(masks) != set(self.agents) or not is_partition(masks, self.tasks.n):
            raise GameError(f"{masks} is not a partition of the tasks: each task to one agent")
        before = holds or self.tasks.initial
        return [*handed_over(self.tasks.names, before, masks), *([{}] if closing else [])]

    def agreed(self, record: Sequence[Turn]) -> bool:
        """Return whether any task was traded; accepting an unchanged allocation is not a trade."""
        return any(self.handed(action) for turn in record for action in turn["actions"].values())

    def private(self, agent: str) -> dict[str, Any]:
        """Return the agent's taste; the letters of the talk give its utilities."""
        return self.taste(agent)

    def view(self, position: Position, agent: str) -> dict[str, Any]:
        """Return the turn and the number of tasks that an agent has left to do."""
        left = self.undone(position, agent).bit_count()
        return {"turn": position["turn"], "tasks_left_to_you": left}

    def rules(self) -> str:
        """Return the rules of meetings and work, of the same length for any number of agents."""
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
        return "\n".join([meet, "", worth_of(self.scenario, self.turns), "", work])

    def facts(self) -> dict[str, Any]:
        """Return the agents and the limits; the letters of the talk give the tasks of a pair."""
        limits = {"turns": self.turns, "meetings": self.params.meetings}
        return {"game": self.name, "agents": self.tasks.agents, **limits}
