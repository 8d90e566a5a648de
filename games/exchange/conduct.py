"""Credit for a trade: what each coalition's recorded exchanges alone would have come to."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from shapley_coop.amounts import MICRO
from shapley_coop.games.baseline import Baseline
from shapley_coop.games.exchange.masks import from_bits
from shapley_coop.games.replay import Coalitions, Replays

if TYPE_CHECKING:
    from shapley_coop.games.task_exchange import TaskExchange
    from shapley_coop.games.turns import Turn

KEEPS_ITS_TASKS = Baseline("nothing", "who is absent keeps its own tasks and does them")


def recorded_trade(game: "TaskExchange", record: "Sequence[Turn]") -> Replays:
    """What each agent earns where only members hand over what they are recorded to have handed.

    Cost: tasks × agents for each coalition.
    """
    tasks, position = game.tasks, game.start()
    chains: list[set[int]] = [set() for _ in range(tasks.n)]
    seats = {agent: i for i, agent in enumerate(game.agents)}
    starts = [from_bits(position["holds"][agent], tasks.n) for agent in game.agents]
    held = starts
    for after in game.replay(record):
        position = after.position
        now = [from_bits(position["holds"][agent], tasks.n) for agent in game.agents]
        for atom in range(tasks.n):
            bit = 1 << (tasks.n - 1 - atom)
            movers = {i for i in seats.values() if (held[i] ^ now[i]) & bit}
            chains[atom] |= movers
        held = now
    done = from_bits(position["done"], tasks.n) if game.over(position) else 0

    def earned(members: Coalitions) -> NDArray[Any]:
        found = np.zeros((len(members), len(seats) + 1), dtype=np.int64)
        for k, row in enumerate(members):
            for i, agent in enumerate(game.agents):
                mask = 0
                for atom, chain in enumerate(chains):
                    bit = 1 << (tasks.n - 1 - atom)
                    moves = all(row[j] for j in chain)
                    mask |= (held if moves else starts)[i] & bit
                found[k, i] = int(game.scenario.utilities[agent][mask & done])
        return found

    return Replays(game.agents, earned, MICRO)
