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


def recomputable(evaluated: EvaluatedTable) -> dict[str, Any]:
    """Return a named game's table of payoffs, and the worths of coalitions, if they are small.

    `table` has the form of a payoff file. `worths` has v(C) for each coalition C: bit i of an
    entry's place stands for agent i.
    """
    found: dict[str, Any] = {}
    game, of = evaluated.game, evaluated.characteristic
    is_small = prod(map(len, game.actions.values())) <= MOST_CELLS
    if isinstance(evaluated.config.game, str) and isinstance(game, MatrixGame) and is_small:
        told = game.table().model_dump(include={"agents", "actions", "payoffs", "rounds"})
        found["table"] = told | game.params.model_dump(include={"absent", "worth"})
    if len(evaluated.agents) <= min(MOST_WORTHS, of.exact_agents):
        found["worths"] = [plain(worth) for worth in of.worths()]
    return found
