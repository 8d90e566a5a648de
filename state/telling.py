"""Functions that select lines of the public history for a letter; each question names a function.

They drop lines that the letter repeats elsewhere or that its reader does not need. All functions
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


def tell_everything(turn: "TurnContext", lines: Lines) -> Lines:
    """Return all lines."""
    return lines


def tell_nothing(turn: "TurnContext", lines: Lines) -> Lines:
    """Return no line, for readers who need no history."""
    return []


def of_agents(turn: "TurnContext", lines: Lines) -> Lines:
    """Return the lines without outsiders' messages, because the contract shows their clauses."""
    return [line for line in lines if line.get("by") not in OUTSIDERS]


def deeds(turn: "TurnContext", lines: Lines) -> Lines:
    """Return only the lines of played turns, for letters that show the deal elsewhere."""
    return [line for line in lines if "by" not in line]


def deeds_once_signed(turn: "TurnContext", lines: Lines) -> Lines:
    """Return the lines of played turns and, unless a contract is signed, the agents' messages."""
    return (deeds if turn.evaluated.contract else of_agents)(turn, lines)


def since_play(turn: "TurnContext", lines: Lines) -> Lines:
    """Return the agents' lines or, with a contract, the played turns and this topic's messages."""
    if not turn.evaluated.contract:
        return of_agents(turn, lines)
    return [line for line in lines if line.get("topic") in (None, turn.topic.name)]


def told_to(tells: Telling, person: bool) -> Telling:
    """Return a question's function; for a person, without leaving out what was said before."""
    return of_agents if person and tells in (deeds_once_signed, since_play) else tells


def what_was_agreed(turn: "TurnContext", lines: Lines) -> Lines:
    """Return the history for the summariser, without offers if the agreed deal has clauses."""
    if not turn.in_clauses:
        return of_agents(turn, lines)
    return [{key: x for key, x in line.items() if key != "offers"} for line in lines]
