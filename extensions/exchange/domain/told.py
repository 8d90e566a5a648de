"""The private facts about utilities in an agent's own letters."""

from typing import Any

import numpy as np

from shapley_coop.amounts import MICRO
from shapley_coop.extensions.exchange.domain.masks import Micros
from shapley_coop.extensions.exchange.domain.scenario import Scenario, Tasks, table_of

BEST, LADDER = 32, 32


def worths(scenario: Scenario, agent: str, tasks: Tasks) -> dict[str, Any]:
    """Return an agent's utilities: by task if they are additive, else by set.

    If letters list all sets, every set has an entry. Otherwise the entries are the best sets, a
    sample of sets no worse than the agent's initial set, this initial set, and single tasks.

    Args:
        scenario: the scenario, with its private tables.
        tasks: all or some of the scenario's tasks; masks refer to these tasks.
    """
    if values := scenario.values(agent, tasks):
        return {"values": values}
    table = _table(scenario, agent, tasks)
    every = range(1, len(table))
    shown = every if tasks.registry.listed else _select_masks(table, tasks.initial[agent])
    return {"utilities": {tasks.bits(mask): int(table[mask]) / MICRO for mask in shown}}


def _table(scenario: Scenario, agent: str, tasks: Tasks) -> Micros:
    whole = table_of(scenario.utilities[agent])
    if tasks is scenario.tasks:
        return whole
    sets = [scenario.tasks.within(tasks, mask) for mask in range(1 << tasks.n)]
    found: Micros = whole[np.array(sets)]
    return found


def _select_masks(table: Micros, own: int) -> list[int]:
    """Return the masks to list, best first, if a letter cannot list the utilities of all masks."""
    ranked = [int(mask) for mask in (-table).argsort(kind="stable") if mask]
    rest = [mask for mask in ranked[BEST:] if table[mask] >= table[own]]
    ladder = [rest[k * len(rest) // LADDER] for k in range(LADDER)] if rest else []
    atoms = [1 << bit for bit in range(len(table).bit_length() - 1)]
    shown = {*ranked[:BEST], *ladder, own, *atoms}
    return [mask for mask in ranked if mask in shown]
