"""The facts on the mediator in a letter."""

from typing import Any

from shapley_coop.extensions.institutions.mediator import mediator_of
from shapley_coop.games.actions import told_actions
from shapley_coop.state.turn import TurnContext


def the_mediator(turn: TurnContext, agent: str) -> dict[str, Any]:
    """Return the mediator's rule, and the word by which an agent delegates."""
    mediator = mediator_of(turn.evaluated.game)
    return {
        "legal": [*told_actions(turn.evaluated.legal(agent)), mediator.word],
        "mediator": {"choose": mediator.word, "rule": mediator.promised(turn.evaluated.turn)},
    }
