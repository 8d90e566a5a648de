"""The facts and messages that a letter about a bounty shows in addition to the offer."""

from typing import Any

from shapley_coop.games.params import COUNT
from shapley_coop.state.telling import Lines
from shapley_coop.state.turn import TurnContext


def bounty(turn: TurnContext, agent: str) -> dict[str, Any]:
    """Return the bounty, its currency, the agents' work, and whether the offer is offer 1."""
    game, offer = turn.evaluated.game, turn.evaluated.offer
    assert offer is not None, "an answer is asked only to an offer"
    shown = {key: game.facts()[key] for key in ("bounty", "currency", "made")}
    return {"divides": {**shown, "counted": offer["by"] == COUNT}}


def about_bounty(turn: TurnContext, lines: Lines) -> Lines:
    """Return the agents' messages, without offer 1, since the letter shows it elsewhere."""
    said = [line for line in lines if line.get("by") not in (None, COUNT)]
    return [{key: x for key, x in line.items() if key != "topic"} for line in said]
