"""The table of a task exchange, and what one agent sees of it while the talk goes on."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from typing_extensions import TypedDict

from shapley_coop.deals.exchange.talk import said_in
from shapley_coop.games.params import GameError
from shapley_coop.state.evaluated import EvaluatedTable
from shapley_coop.state.table import PublicMessage, Table
from shapley_coop.state.turn import Question, TurnContext

if TYPE_CHECKING:  # every letter imports this module
    from shapley_coop.games.exchange.scenario import Tasks
    from shapley_coop.games.task_exchange import TaskExchange

TOPIC = "plan"
"""The talk's name: as everywhere, it is the bargaining before anybody acts."""

TRADE_ACTS = ("consider", "exchange")
"""The letters of the talk over tasks."""

REFUSED = "refused_"
"""Before a label, the key under which an agent's cost counts its refusals by that label."""


class Pending(TypedDict):
    """The proposal that stands."""

    by: str
    turn: int  # of the talk, in which it was put
    wrote: str  # what was delivered, as it was written; checked or not
    accepted: list[str]  # who accepted it; its author by proposing it


def exchange_of(evaluated: EvaluatedTable) -> "TaskExchange":
    """Return the game that is played.

    Raises:
        GameError: it is another game.
    """
    from shapley_coop.games.task_exchange import TaskExchange

    game = evaluated.game
    if not isinstance(game, TaskExchange):
        raise GameError(f"task_exchange plays the game task_exchange and no {game.name}: choose it")
    return game


def pending_of(table: Table) -> Pending | None:
    """Return the proposal that stands, if one does, as its author wrote it."""
    if not (offer := table.get("offer")):
        return None
    put = next(said for said in _talk(table) if said.get("puts") == offer["revision"])
    return {
        "by": offer["by"],
        "turn": put["round"],
        "wrote": put["text"],
        "accepted": offer["accepted"],
    }


@lru_cache(maxsize=4096)
def masks_in(tasks: "Tasks", by: str, text: str) -> dict[str, str] | None:
    """Return the allocation that a delivered message proposes; None where there is no valid one."""
    from shapley_coop.deals.exchange.messages import check_message

    verdict = check_message(text, tasks, by)
    return None if verdict.label else verdict.masks


@dataclass(frozen=True, eq=False)
class Talk:
    """A talk over tasks: of all agents, or of some of them.

    Attributes:
        game: the whole exchange.
        tasks: what is talked over, by whom.
        said: the messages of this talk.
        before: how many turns of talk there had been when it began.
        pending: the proposal that stands, if one does.
    """

    game: "TaskExchange"
    tasks: "Tasks"
    said: list[PublicMessage]
    before: int
    pending: Pending | None

    def to_answer(self, agent: str) -> Pending | None:
        """The proposal that an agent has to answer: the one that stands, if another made it."""
        return self.pending if self.pending and self.pending["by"] != agent else None

    def worth(self, agent: str, bits: str) -> float:
        """Return what a set of these tasks is worth to an agent."""
        tasks = self.game.tasks
        return self.game.scenario.utility(agent, tasks.within(self.tasks, int(bits, 2)))


def talk_of(evaluated: EvaluatedTable) -> Talk:
    """Return the talk of all agents."""
    table, game = evaluated.table, exchange_of(evaluated)
    return Talk(game, game.tasks, _talk(table), 0, pending_of(table))


@dataclass(frozen=True)
class TradeQuestion(Question[Any]):
    """A question of a talk over tasks.

    Attributes:
        talk: the talk that an agent is in, (turn, agent) → it; by default that of all.
    """

    talk: Callable[[TurnContext, str], Talk] = lambda turn, agent: talk_of(turn.evaluated)


def talk_in(turn: TurnContext, agent: str) -> Talk:
    """Return the talk in which an agent is asked."""
    assert isinstance(turn.question, TradeQuestion)
    return turn.question.talk(turn, agent)


def trade_talk(talk: Talk, now: int, agent: str) -> dict[str, Any]:
    """Return how the talk stands for an agent that is asked to plan or to speak.

    Of the private utilities it holds the agent's own of what has been proposed, for its own letter
    alone.

    Args:
        talk: that the agent is in.
        now: the round.
        agent: who is asked.
    """
    facts: dict[str, Any] = {"turn": now - talk.before, "turns": talk.game.params.talk}
    offers = []
    for said in talk.said:
        if masks := masks_in(talk.tasks, said["by"], said["text"]):
            own, turn = talk.worth(agent, masks[agent]), said["round"] - talk.before
            offers.append({"turn": turn, "by": said["by"], "masks": masks, "your_utility": own})
    if offers:
        facts["offers"] = offers
    if pending := talk.to_answer(agent):
        facts["pending"] = {
            "by": pending["by"],
            "turn": pending["turn"] - talk.before,
            "tasks": said_in(pending["wrote"]).proposal or pending["wrote"],
        }
        if masks := masks_in(talk.tasks, pending["by"], pending["wrote"]):
            facts["pending"]["masks"] = masks
            facts["pending"]["your_utility"] = offers[-1]["your_utility"]
    return facts


def trade_history(talk: Talk) -> list[dict[str, Any]]:
    """Return all that was said, a line each; it only grows, and is the same for all who talk."""
    return [_line(talk, said) for said in talk.said]


def _talk(table: Table) -> list[PublicMessage]:
    return [said for said in table.get("talk", []) if said["topic"] == TOPIC]


def _line(talk: Talk, said: PublicMessage) -> dict[str, Any]:
    line: dict[str, Any] = {
        "turn": said["round"] - talk.before,
        "by": said["by"],
        "does": said["act"],
    }
    message = said_in(said["text"])
    if isinstance(message.proposal, dict):
        line["proposes"] = message.proposal
    elif said["act"] in ("propose", "reject"):
        line["wrote"] = said["text"]
    if "proposes" in line or "wrote" in line:
        masks = masks_in(talk.tasks, said["by"], said["text"])
        line |= {"masks": masks} if masks else {}
    if words := message.speech or message.accept or message.reject:
        line["says"] = words
    return line
