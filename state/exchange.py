"""The talk of a task exchange, and the facts about the talk in one agent's letter."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from typing_extensions import TypedDict

from shapley_coop.deals.exchange.talk import said_in
from shapley_coop.games.params import GameError
from shapley_coop.state.evaluated import EvaluatedTable
from shapley_coop.state.table import PublicMessage, Table
from shapley_coop.state.turn import Question, TurnContext

if TYPE_CHECKING:  # every letter imports this module, so it must load fast
    from shapley_coop.games.exchange.scenario import Tasks
    from shapley_coop.games.task_exchange import TaskExchange

TOPIC = "plan"
"""The topic of the talk; all workflows use this topic for bargaining before play."""

TRADE_ACTS = ("consider", "exchange")
"""The names of the questions in the talk over tasks."""

REFUSED = "refused_"
"""The prefix of keys in an agent's cost: this prefix + a fault's label → number of refusals."""


class Pending(TypedDict):
    """The current proposal."""

    by: str
    turn: int  # the turn of talk in which the proposal was made
    wrote: str  # the author's text as delivered, which may be invalid
    accepted: list[str]  # the agents that accepted, including the author


def exchange_of(evaluated: EvaluatedTable) -> "TaskExchange":
    """Return the table's game, which must be a task exchange.

    Raises:
        GameError: the game is not a task exchange.
    """
    from shapley_coop.games.task_exchange import TaskExchange

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


@lru_cache(maxsize=4096)
def masks_in(tasks: "Tasks", by: str, text: str) -> dict[str, str] | None:
    """Return the allocation that a message proposes: agent → its tasks as bits; None if invalid."""
    from shapley_coop.deals.exchange.messages import check_message

    verdict = check_message(text, tasks, by)
    return None if verdict.label else verdict.masks


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

    game: "TaskExchange"
    tasks: "Tasks"
    said: list[PublicMessage]
    before: int
    pending: Pending | None

    def to_answer(self, agent: str) -> Pending | None:
        """Return the current proposal if another agent made it, else None."""
        return self.pending if self.pending and self.pending["by"] != agent else None

    def worth(self, agent: str, bits: str) -> float:
        """Return an agent's utility for a set of this talk's tasks, given as bits."""
        tasks = self.game.tasks
        return self.game.scenario.utility(agent, tasks.within(self.tasks, int(bits, 2)))


def talk_of(evaluated: EvaluatedTable) -> Talk:
    """Return the talk of all agents."""
    table, game = evaluated.table, exchange_of(evaluated)
    return Talk(game, game.tasks, _talk(table), 0, pending_of(table))


@dataclass(frozen=True)
class TradeQuestion(Question[Any]):
    """A question in a talk over tasks.

    Attributes:
        talk: (turn, agent) → the agent's talk; by default the talk of all agents.
    """

    talk: Callable[[TurnContext, str], Talk] = lambda turn, agent: talk_of(turn.evaluated)


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
    facts["held"] = {"mask": held, "your_utility": talk.worth(agent, held)}
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
    """Return a line of history for each message of a talk, which all its agents see."""
    return [_line(talk, said) for said in talk.said]


def _talk(table: Table) -> list[PublicMessage]:
    return [said for said in table.get("talk", []) if said["topic"] == TOPIC]


def _described(tasks: "Tasks", masks: Mapping[str, str]) -> dict[str, str]:
    """Return agent → the exact description of its tasks, as a proposal must write it."""
    return {agent: tasks.registry.describe(int(bits, 2)) for agent, bits in masks.items()}


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
        masks = masks_in(talk.tasks, said["by"], said["text"]) or {}
        line |= {"masks": masks, "holds": _described(talk.tasks, masks)} if masks else {}
    if words := message.speech or message.accept or message.reject:
        line["says"] = words
    return line
