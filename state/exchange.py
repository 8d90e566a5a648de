"""The table of a task exchange, and what one agent sees of it while the talk goes on."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from shapley_coop.deals.exchange.talk import said_in
from shapley_coop.games.params import GameError
from shapley_coop.state.evaluated import EvaluatedTable
from shapley_coop.state.meetings import heard_by, meetings_of
from shapley_coop.state.own_tables import Meeting, Pending
from shapley_coop.state.table import PublicMessage, Table

if TYPE_CHECKING:  # every letter imports this module
    from shapley_coop.games.exchange.scenario import Masks, Tasks
    from shapley_coop.games.task_exchange import TaskExchange

TOPIC = "plan"
"""The talk's name: as everywhere, it is the bargaining before anybody acts."""

TRADE_ACTS = ("consider", "exchange")
"""The letters of the talk over tasks."""

REFUSED = "refused_"
"""Before a label, the key under which an agent's cost counts its refusals by that label."""


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
    """A talk over tasks: of all agents, or of two who meet.

    Attributes:
        game: the whole exchange.
        tasks: what is talked over, by whom.
        said: the messages of this talk.
        before: how many turns of talk there had been when it began.
        pending: the proposal that stands, if one does.
        meeting: the pair; None where all talk together.
    """

    game: "TaskExchange"
    tasks: "Tasks"
    said: list[PublicMessage]
    before: int
    pending: Pending | None
    meeting: Meeting | None

    def to_answer(self, agent: str) -> Pending | None:
        """The proposal that an agent has to answer: the one that stands, if another made it."""
        return self.pending if self.pending and self.pending["by"] != agent else None

    def worth(self, agent: str, bits: str) -> float:
        """Return what a set of these tasks is worth to an agent."""
        tasks = self.game.tasks
        return self.game.scenario.utility(agent, tasks.within(self.tasks, int(bits, 2)))


def traded(game: "TaskExchange", met: Sequence[Meeting], holds: "Masks") -> "Masks":
    """Return who holds what once the pairs that agreed have traded.

    Args:
        game: the exchange.
        met: all pairs.
        holds: who held what as they met.
    """
    found = dict(holds)
    for meeting in met:
        standing = meeting.get("pending")
        if meeting["status"] != "agreed" or standing is None:
            continue
        tasks = _between(game, tuple((a, game.tasks.bits(holds[a])) for a in meeting["agents"]))
        masks = masks_in(tasks, standing["by"], standing["wrote"])
        assert masks is not None, "what was accepted had been validated"
        found |= {a: game.tasks.within(tasks, int(bits, 2)) for a, bits in masks.items()}
    return found


def tasks_changed_hands(evaluated: EvaluatedTable) -> bool:
    """Whether agents who met in pairs traded anything: to accept what one holds already is none."""
    if not evaluated.game.in_pairs:
        return False
    game = exchange_of(evaluated)
    actions = (act for turn in evaluated.record for act in turn["actions"].values())
    return any(game.handed(action) for action in actions)


def talk_of(evaluated: EvaluatedTable, agent: str) -> Talk:
    """Return the talk that an agent is in."""
    table, game = evaluated.table, exchange_of(evaluated)
    meeting = meetings_of(evaluated).get(agent)
    if meeting is None:
        return Talk(game, game.tasks, _talk(table), 0, pending_of(table), None)
    held = table["position"]["holds"]
    tasks = _between(game, tuple((a, held[a]) for a in meeting["agents"]))
    said = heard_by(evaluated).get(agent, [])
    return Talk(game, tasks, said, meeting["began"] - 1, meeting.get("pending"), meeting)


@lru_cache(maxsize=4096)
def _between(game: "TaskExchange", holds: tuple[tuple[str, str], ...]) -> "Tasks":
    """Return the tasks of two agents, as an exchange of their own."""
    return game.tasks.among({agent: int(bits, 2) for agent, bits in holds})


def trade_talk(evaluated: EvaluatedTable, agent: str) -> dict[str, Any]:
    """Return how the talk stands for an agent that is asked to plan or to speak.

    Of the private utilities it holds the agent's own of what has been proposed, for its own letter
    alone.
    """
    from shapley_coop.games.exchange.told import worths
    from shapley_coop.games.exchange.words import talked_over

    talk = talk_of(evaluated, agent)
    turns = talk.game.params.talk
    facts: dict[str, Any] = {"turn": evaluated.table["round"] - talk.before, "turns": turns}
    if talk.meeting:
        facts |= talked_over(talk.tasks) | worths(talk.game.scenario, agent, talk.tasks)
        facts["meeting"] = talk.meeting["number"]
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


def trade_history(evaluated: EvaluatedTable, agent: str = "") -> list[dict[str, Any]]:
    """Return all that was said, a line each; it only grows, and is the same for all agents.

    Args:
        evaluated: the table.
        agent: where agents meet in pairs, whose talk.
    """
    talk = talk_of(evaluated, agent)
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
