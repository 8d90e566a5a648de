"""Which lines of the public history a letter tells: each workflow says so where it asks.

What a letter says elsewhere, or what is not for its reader, is left out. All functions take and
give lines of `state.history`, oldest first.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from shapley_coop.state.run_config import OUTSIDERS

if TYPE_CHECKING:
    from shapley_coop.state.turn import TurnContext

Lines = Sequence[dict[str, Any]]

Telling = Callable[["TurnContext", Lines], Lines]
"""(turn, the whole history) → the lines that its letter tells."""


def tell_everything(turn: "TurnContext", lines: Lines) -> Lines:
    """Return all that was said and done."""
    return lines


def tell_nothing(turn: "TurnContext", lines: Lines) -> Lines:
    """No line: it is the reader's own part that matters to it."""
    return []


def of_agents(turn: "TurnContext", lines: Lines) -> Lines:
    """Without what outsiders said: a written contract repeats its clauses."""
    return [line for line in lines if line.get("by") not in OUTSIDERS]


def deeds(turn: "TurnContext", lines: Lines) -> Lines:
    """What was done alone: what was said led to the deal that the letter shows, or to none."""
    return [line for line in lines if "by" not in line]


def deeds_once_signed(turn: "TurnContext", lines: Lines) -> Lines:
    """Under a contract, what was done alone; else what agents said, too."""
    return (deeds if turn.evaluated.contract else of_agents)(turn, lines)


def since_play(turn: "TurnContext", lines: Lines) -> Lines:
    """After play under a contract, what was done, and what has been said since."""
    if not turn.evaluated.contract:
        return of_agents(turn, lines)
    return [line for line in lines if line.get("topic") in (None, turn.topic.name)]


def what_was_agreed(turn: "TurnContext", lines: Lines) -> Lines:
    """For whoever writes a contract down: the talk, of which clauses that were agreed are asked."""
    if not turn.in_clauses:
        return of_agents(turn, lines)
    return [{key: x for key, x in line.items() if key != "offers"} for line in lines]
