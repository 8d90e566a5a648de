"""The table of a task exchange, and what one agent sees of it while the talk goes on."""

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from shapley_coop.deals.exchange.talk import said_in
from shapley_coop.games.params import GameError
from shapley_coop.state.evaluated import EvaluatedTable
from shapley_coop.state.table import Pending, PublicMessage, Table

if TYPE_CHECKING:  # every letter imports this module
    from shapley_coop.games.task_exchange import TaskExchange

TOPIC = "plan"
"""The talk's name: as everywhere, it is the bargaining before anybody acts."""

TRADE_ACTS = ("consider", "exchange")
"""The letters of the talk over tasks."""

REFUSED = "refused_"
"""Before a label, the key under which an agent's cost counts its refusals by that label."""


def exchange_of(evaluated: EvaluatedTable) -> "TaskExchange":
    """The game that is played.

    Raises:
        GameError: it is another game.
    """
    from shapley_coop.games.task_exchange import TaskExchange

    game = evaluated.game
    if not isinstance(game, TaskExchange):
        raise GameError(f"task_exchange plays the game task_exchange and no {game.name}: choose it")
    return game


def pending_of(table: Table) -> Pending | None:
    """The proposal that stands, if one does."""
    return table.get("pending")


@lru_cache(maxsize=4096)
def masks_in(game: "TaskExchange", by: str, text: str) -> dict[str, str] | None:
    """The allocation that a delivered message proposes; None where there is no valid one."""
    from shapley_coop.deals.exchange.messages import check_message

    verdict = check_message(text, game.tasks, by)
    return None if verdict.label else verdict.masks


def to_answer(table: Table, agent: str) -> Pending | None:
    """The proposal that an agent has to answer: the one that stands, if another made it."""
    pending = pending_of(table)
    return pending if pending and pending["by"] != agent else None


def trade_talk(evaluated: EvaluatedTable, agent: str) -> dict[str, Any]:
    """How the talk stands for an agent that is asked to plan or to speak.

    Of the private utilities it holds the agent's own of what has been proposed, for its own letter
    alone.
    """
    table, game = evaluated.table, exchange_of(evaluated)
    facts: dict[str, Any] = {"turn": table["round"], "turns": game.params.talk}
    offers = []
    for said in _talk(table):
        if masks := masks_in(game, said["by"], said["text"]):
            own = game.scenario.utility(agent, int(masks[agent], 2))
            offers.append(
                {"turn": said["round"], "by": said["by"], "masks": masks, "your_utility": own}
            )
    if offers:
        facts["offers"] = offers
    if pending := to_answer(table, agent):
        facts["pending"] = {
            "by": pending["by"],
            "turn": pending["turn"],
            "tasks": said_in(pending["wrote"]).proposal or pending["wrote"],
        }
        if masks := masks_in(game, pending["by"], pending["wrote"]):
            facts["pending"]["masks"] = masks
            facts["pending"]["your_utility"] = offers[-1]["your_utility"]
    return facts


def trade_history(evaluated: EvaluatedTable) -> list[dict[str, Any]]:
    """All that was said, a line each; it only grows, and is the same for all agents."""
    game = exchange_of(evaluated)
    return [_line(game, said) for said in _talk(evaluated.table)]


def _talk(table: Table) -> list[PublicMessage]:
    return [said for said in table.get("talk", []) if said["topic"] == TOPIC]


def _line(game: "TaskExchange", said: PublicMessage) -> dict[str, Any]:
    line: dict[str, Any] = {"turn": said["round"], "by": said["by"], "does": said["act"]}
    message = said_in(said["text"])
    if isinstance(message.proposal, dict):
        line["proposes"] = message.proposal
    elif said["act"] in ("propose", "reject"):
        line["wrote"] = said["text"]
    if "proposes" in line or "wrote" in line:
        masks = masks_in(game, said["by"], said["text"])
        line |= {"masks": masks} if masks else {}
    if words := message.speech or message.accept or message.reject:
        line["says"] = words
    return line
