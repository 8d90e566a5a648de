"""Which lines of the public history a delegate's letter tells."""

from shapley_coop.state.telling import Lines
from shapley_coop.state.turn import TurnContext
from shapley_coop.state.who import negotiators


def of_delegates(turn: TurnContext, lines: Lines) -> Lines:
    """Without the members' signatures: what came of them tells it, a veto or a deal."""
    delegates = negotiators(turn.table)
    return [line for line in lines if line.get("does") != "accept" or line["by"] in delegates]
