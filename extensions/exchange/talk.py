"""The talk of a task exchange, and the facts about the talk in one agent's letter."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from typing_extensions import TypedDict

from shapley_coop.deals.language.wire import said_in
from shapley_coop.extensions.exchange.domain.masks import members
from shapley_coop.extensions.exchange.domain.scenario import Tasks
from shapley_coop.extensions.exchange.game import TaskExchange
from shapley_coop.extensions.exchange.messages.lines import line_of, masks_in
from shapley_coop.games.params import GameError
from shapley_coop.state.evaluated import EvaluatedTable
from shapley_coop.state.table import PublicMessage, Table
from shapley_coop.state.topics import Topic
from shapley_coop.state.turn import Question, TurnContext

TRADE = Topic("plan")
"""The subject of the talk; `messages` checks the proposals."""


class Pending(TypedDict):
    """The current proposal."""

    by: str
    turn: int  # the turn of talk in which the proposal was made
    wrote: str  # the author's text as delivered, which may be invalid
    accepted: list[str]  # the agents that accepted, including the author


def exchange_of(evaluated: EvaluatedTable) -> TaskExchange:
    """Return the table's game, which must be a task exchange.

    Raises:
        GameError: the game is not a task exchange.
    """
    game = evaluated.game
    if not isinstance(game, TaskExchange):
        raise GameError(f"task_exchange plays only the game task_exchange, not {game.name}")
    return game


def pending_of(table: Table) -> Pending | None:
    """Return the current proposal in its author's words, or None if there is none."""
    if not (offer := table.get("offer")):
        return None
    put = next(said for said in _talk(table) if said.get("puts") == offer["revision"])
    return {
        "by": offer["by"],
        "turn": put["round"],
        "wrote": put["text"],
        "accepted": offer["accepted"],
    }


@dataclass(frozen=True, eq=False)
class Talk:
    """A talk over tasks among some or all agents.

    Attributes:
        game: the whole exchange, of which the talk may concern a part.
        tasks: the tasks and agents of this talk.
        said: this talk's messages so far.
        before: how many turns other talks took before this one.
        pending: the current proposal, if there is one.
    """

    game: TaskExchange
    tasks: Tasks
    said: list[PublicMessage]
    before: int
    pending: Pending | None

    def to_answer(self, agent: str) -> Pending | None:
        """Return the current proposal if another agent made it, else None."""
        return self.pending if self.pending and self.pending["by"] != agent else None

    def is_final(self, agent: str, now: int) -> bool:
        """Return whether too few turns are left for all to accept a counter-proposal.

        The paper's rules, which `exact` tasks follow, demand a counter-proposal in every turn.
        """
        left = self.game.params.talk - (now - self.before)
        late = not self.tasks.exact and left < len(self.tasks.agents) - 1
        return late and self.to_answer(agent) is not None

    def worth(self, agent: str, bits: str) -> float:
        """Return an agent's utility for a set of this talk's tasks, given as bits."""
        tasks = self.game.tasks
        return self.game.scenario.utility(agent, tasks.within(self.tasks, int(bits, 2)))

    def valued(self, agent: str, bits: str) -> dict[str, Any]:
        """Return an agent's utility for a set of this talk's tasks, and for a better part of it.

        The key `best` is absent if no part of the set, done alone, is worth more than the set.
        """
        found: dict[str, Any] = {"your_utility": self.worth(agent, bits)}
        scenario, tasks = self.game.scenario, self.game.tasks
        held = tasks.within(self.tasks, int(bits, 2))
        if (part := scenario.best_part(agent, held)) != held:
            inside = self.tasks.named(tasks.names[i] for i in members(part, tasks.n))
            mask, worth = self.tasks.bits(inside), scenario.utility(agent, part)
            found["best"] = {"mask": mask, "your_utility": worth}
        return found

    def history(self) -> list[dict[str, Any]]:
        """Return a line of history for each message of the talk, which all its agents see."""
        return [line_of(self.tasks, said, self.before) for said in self.said]


def talk_of(turn: TurnContext, agent: str = "") -> Talk:
    """Return the talk of all agents."""
    table, game = turn.table, exchange_of(turn.evaluated)
    return Talk(game, game.tasks, _talk(table), 0, pending_of(table))


@dataclass(frozen=True)
class TradeQuestion(Question[Any]):
    """A question in a talk over tasks.

    Attributes:
        talk: (turn, agent) → the agent's talk; by default the talk of all agents.
    """

    talk: Callable[[TurnContext, str], Talk] = talk_of


def talk_in(turn: TurnContext, agent: str) -> Talk:
    """Return the talk to which an agent's current question belongs."""
    assert isinstance(turn.question, TradeQuestion)
    return turn.question.talk(turn, agent)


def trade_talk(talk: Talk, now: int, agent: str) -> dict[str, Any]:
    """Return the facts about the talk for an agent that is asked to plan or to speak.

    The facts include the agent's private utility for each proposal, so they may go only into the
    agent's own letter.

    Args:
        talk: the talk in which the agent takes part.
        now: the round.
        agent: the agent that is asked.
    """
    facts: dict[str, Any] = {"turn": now - talk.before, "turns": talk.game.params.talk}
    held = talk.tasks.bits(talk.tasks.initial[agent])
    facts["held"] = {"mask": held, **talk.valued(agent, held)}
    offers = []
    for said in talk.said:
        if masks := masks_in(talk.tasks, said["by"], said["text"]):
            own, turn = talk.worth(agent, masks[agent]), said["round"] - talk.before
            offers.append({"turn": turn, "by": said["by"], "masks": masks, "your_utility": own})
    if offers:
        facts["offers"] = offers
    if talk.is_final(agent, now):
        facts["final"] = True
    if pending := talk.to_answer(agent):
        facts["pending"] = {
            "by": pending["by"],
            "turn": pending["turn"] - talk.before,
            "tasks": said_in(pending["wrote"]).proposal or pending["wrote"],
        }
        if masks := masks_in(talk.tasks, pending["by"], pending["wrote"]):
            facts["pending"] |= {"masks": masks, **talk.valued(agent, masks[agent])}
    return facts


def _talk(table: Table) -> list[PublicMessage]:
    return [said for said in table.get("talk", []) if said["topic"] == TRADE.name]
