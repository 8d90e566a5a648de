"""Functions that select lines of the public history for a letter; each question names one of them.

They drop lines that the letter repeats elsewhere or that the reader does not need. All functions
take and return lines of `state.history`, oldest first.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from shapley_coop.state.run_config import OUTSIDERS

if TYPE_CHECKING:
    from shapley_coop.state.turn import TurnContext

Lines = Sequence[dict[str, Any]]

Telling = Callable[["TurnContext", Lines], Lines]
"""A function from (turn, all lines of the history) to the lines that the letter shows."""


def tell_nothing(turn: "TurnContext", lines: Lines) -> Lines:
    """Return no line, for readers who need no history."""
    return []


def of_agents(turn: "TurnContext", lines: Lines) -> Lines:
    """Return the lines without outsiders' messages, which the contract's text repeats."""
    return [line for line in lines if line.get("by") not in OUTSIDERS]


def deeds(turn: "TurnContext", lines: Lines) -> Lines:
    """Return only the lines of played turns, for letters that show the deal elsewhere."""
    return [line for line in lines if "by" not in line]


def deeds_once_signed(turn: "TurnContext", lines: Lines) -> Lines:
    """Return the lines of played turns and, unless a contract is signed, the agents' messages."""
    return (deeds if turn.evaluated.contract else of_agents)(turn, lines)


def since_play(turn: "TurnContext", lines: Lines) -> Lines:
    """Return the played turns and this topic's messages; without a contract, all agents' lines."""
    if not turn.evaluated.contract:
        return of_agents(turn, lines)
    return [line for line in lines if line.get("topic") in (None, turn.topic.name)]


def unshortened(tells: Telling, whole: bool) -> Telling:
    """Return `tells`, or, if `whole`, a function that also keeps messages that `tells` omits."""
    return of_agents if whole and tells in (deeds, deeds_once_signed, since_play) else tells


def what_was_agreed(turn: "TurnContext", lines: Lines) -> Lines:
    """Return the summariser's history, without the texts of offers if the deal has clauses."""
    if not turn.in_clauses:
        return of_agents(turn, lines)
    return [{key: x for key, x in line.items() if key != "offers"} for line in lines]
