"""The parts of a statement by which others recompute values without this program."""

from math import prod
from typing import Any

from shapley_coop.amounts import plain
from shapley_coop.games.matrix import MatrixGame
from shapley_coop.state.evaluated import EvaluatedTable

MOST_CELLS = 1_024
"""The most joint actions of a named game's table in a statement."""

MOST_WORTHS = 10
"""The most agents whose coalitions' worths are in a statement."""

_OF_TABLE = {"agents", "actions", "payoffs", "rounds"}


def recomputable(evaluated: EvaluatedTable) -> dict[str, Any]:
    """Return a named game's table of payoffs, and the worths of coalitions, if they are small.

    `table` has the form of a payoff file. `worths` has v(C) for each coalition C: bit i of an
    entry's place stands for agent i.
    """
    found: dict[str, Any] = {}
    game, of = evaluated.game, evaluated.characteristic
    if isinstance(evaluated.config.game, str) and isinstance(game, MatrixGame):
        cells = prod(len(actions) for actions in game.actions.values())
        if cells <= MOST_CELLS:
            told = game.table().model_dump(mode="json", include=_OF_TABLE)
            more = {"absent": game.params.absent, "worth": game.params.worth}
            found["table"] = {**told, **more}
    if len(evaluated.agents) <= min(MOST_WORTHS, of.exact_agents):
        found["worths"] = [plain(worth) for worth in of.worths()]
    return found
