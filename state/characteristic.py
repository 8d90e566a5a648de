"""The characteristic function v (coalition → worth) of a record, by the game's credit rule."""

from collections.abc import Sequence
from fractions import Fraction
from functools import partial

import numpy as np

from shapley_coop.credit import Characteristic
from shapley_coop.games import Game, Turn
from shapley_coop.games.replay import MOST_STEPPED, Replays


def characteristic(game: Game, record: Sequence[Turn]) -> Characteristic:
    """Return the characteristic function of a record under the credit rule of the game."""
    analysis, rule = game.analysis, game.analysis.credit_rule
    if rule == "record":
        return by_replays(analysis.replays_of(record))
    return Characteristic(
        game.agents,
        partial(analysis.worth, record),
        analysis.batch_worth(record),
        exact_agents=MOST_STEPPED,
        target=None,
        classes=analysis.classes_of(record) if rule == "potential" else None,
    )


def by_replays(replays: Replays) -> Characteristic:
    """Return v(C) = W(C) − W(∅); in W(C), C acts as recorded, and the others by their baseline."""
    return Characteristic(
        agents=replays.agents,
        worth=partial(_worth, replays),
        batch=replays.improvements,
        table=partial(_table, replays),
        at_baseline=replays.at_baseline(),
        exact_agents=replays.exact_agents,
        parts=replays.parts,
        given=replays.given,
        classes=replays.classes,
    )


def disagreement(game: Game, record: Sequence[Turn]) -> dict[str, Fraction]:
    """Return agent → what the agent has without an agreement.

    This is what the agent can secure by the rules, if the game computes that. Otherwise it is the
    agent's earnings at the baseline or, under a credit rule without baselines, its worth by itself.
    """
    if game.analysis.has_potential:
        return {agent: game.analysis.potential(record, frozenset({agent})) for agent in game.agents}
    if game.analysis.credit_rule == "record":
        return game.analysis.replays_of(record).at_baseline()
    return {agent: game.analysis.worth(record, frozenset({agent})) for agent in game.agents}


def _worth(replays: Replays, coalition: frozenset[str]) -> Fraction:
    return replays.improvement(np.array([[agent in coalition for agent in replays.agents]]))


def _table(replays: Replays) -> list[Fraction]:
    """Return the exact worths of all 2ⁿ coalitions; bit i of a mask stands for agent i."""
    n = len(replays.agents)
    masks = np.arange(1 << n)[:, None] >> np.arange(n) & 1
    totals = replays.totals(masks.astype(np.bool_)).tolist()
    parts = {total: Fraction(total - totals[0], replays.unit) for total in set(totals)}
    return [parts[total] for total in totals]
