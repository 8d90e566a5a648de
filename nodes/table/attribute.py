"""Reckon: what the record says each agent contributed, computed by code."""

from fractions import Fraction
from functools import partial
from typing import Any

from shapley_coop.amounts import plain
from shapley_coop.credit import attribute as compute
from shapley_coop.deals import earned
from shapley_coop.state import Table, config_of, game_of


def attribute(table: Table) -> dict[str, Any]:
    """Long-term Shapley, steps 1 to 3 (Shapley-Coop, Eqs. 7-9): outcome, margins, values."""
    game = game_of(table["settings"])
    by, record = config_of(table["settings"]).norm, table["record"]
    found = compute(game.agents, partial(game.worth, record), by, game.batch_worth(record))
    realised = sum(earned(record, game.agents).values(), start=Fraction(0))
    return {
        "reckoning": {
            "norm": found.norm,
            "total": plain(found.total),
            "marginal": {agent: plain(x) for agent, x in found.marginal.items()},
            "values": {agent: plain(x) for agent, x in found.values.items()},
            "payoffs": {agent: plain(x) for agent, x in found.payoffs(realised).items()},
        }
    }
