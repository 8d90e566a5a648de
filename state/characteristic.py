"""The characteristic function of a record, as its game computes it."""

from collections.abc import Sequence
from fractions import Fraction
from functools import partial

import numpy as np

from shapley_coop.credit import Characteristic
from shapley_coop.games import Game, Turn
from shapley_coop.games.replay import EXACT_AGENTS, Replays


def characteristic(game: Game, record: Sequence[Turn]) -> Characteristic:
    """v of a record: by replays against the game's baseline, or by the rule that the game names."""
    worth, batch = partial(game.worth, record), game.batch_worth(record)
    if game.credit_rule != "record":
        return Characteristic(game.agents, worth, batch, exact_agents=EXACT_AGENTS, target=None)
    replays = game.replays_of(record)
    return Characteristic(
        agents=game.agents,
        worth=worth,
        batch=batch,
        table=partial(_table, replays),
        alone=replays.alone(),
        exact_agents=replays.exact_agents,
        parts=replays.parts,
    )


def alone(game: Game, record: Sequence[Turn]) -> dict[str, Fraction]:
    """What each agent can secure by itself; in a game that does not say it, W_i(∅)."""
    if game.has_potential:
        return {agent: game.potential(record, frozenset({agent})) for agent in game.agents}
    if game.credit_rule == "record":
        return game.replays_of(record).alone()
    return {agent: game.worth(record, frozenset({agent})) for agent in game.agents}


def _table(replays: Replays) -> list[Fraction]:
    """All 2ⁿ worths, exact: bit i of a mask stands for agent i."""
    n = len(replays.agents)
    masks = np.arange(1 << n)[:, None] >> np.arange(n) & 1
    totals = replays.totals(masks.astype(np.bool_)).tolist()
    return [_part(total - totals[0], replays.unit) for total in totals]


def _part(amount: int | Fraction, unit: int) -> Fraction:
    return Fraction(amount, unit)
