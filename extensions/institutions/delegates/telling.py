"""The filter of the public history for delegates' letters."""

from shapley_coop.state.telling import Lines
from shapley_coop.state.turn import TurnContext
from shapley_coop.state.who import negotiators


def of_delegates(turn: TurnContext, lines: Lines) -> Lines:
    """Return the history without the lines of members' signatures; a line states their result."""
    delegates = negotiators(turn.table)
    return [line for line in lines if line.get("does") != "accept" or line["by"] in delegates]
