"""The tasks that contracts can transfer, as goods, and the transfers themselves."""

from collections.abc import Sequence
from typing import Any

from shapley_coop.extensions.exchange.domain.masks import from_bits, members
from shapley_coop.extensions.exchange.domain.scenario import Tasks
from shapley_coop.games.goods import Gift, Holdings, hand_over
from shapley_coop.games.turns import Position


def tasks_left(tasks: Tasks, position: Position) -> Holdings:
    """Return agent → its undone tasks, each with the quantity 1."""
    done = from_bits(position["done"], tasks.n)
    left = {a: from_bits(bits, tasks.n) & ~done for a, bits in position["holds"].items()}
    return {
        agent: {tasks.names[i]: 1 for i in members(mask, tasks.n)} for agent, mask in left.items()
    }


def hand_over_tasks(
    tasks: Tasks, position: Position, gifts: Sequence[Gift]
) -> list[dict[str, Any]]:
    """Execute transfers by changing the position; return the transfers' effects for the record."""
    done = from_bits(position["done"], tasks.n)
    after, effects = hand_over(tasks_left(tasks, position), gifts)
    for agent, left in after.items():
        kept = from_bits(position["holds"][agent], tasks.n) & done
        mask = kept | tasks.named(task for task, count in left.items() if count)
        position["holds"][agent] = tasks.bits(mask)
    return effects
