"""Credit for trades: each agent's utility if only a coalition's recorded hand-overs happen."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from shapley_coop.amounts import MICRO
from shapley_coop.by_class import ByClass
from shapley_coop.extensions.exchange.domain.additive import Additive
from shapley_coop.extensions.exchange.domain.masks import from_bits
from shapley_coop.games.baseline import Baseline
from shapley_coop.games.goods import gifts_in
from shapley_coop.games.replay import Coalitions, Replays

if TYPE_CHECKING:
    from shapley_coop.extensions.exchange.game import TaskExchange
    from shapley_coop.games.turns import Position, Turn

Moved = tuple[int, list[str]]
"""A task that was handed over, as a mask, and its holders in order."""

MOST_MOVERS = 10
"""The most holders of one task: for k holders, a table of 2ᵏ entries is needed."""

KEEPS_ITS_TASKS = Baseline("nothing", "an absent agent keeps its own tasks and does them")


def recorded_trade(game: "TaskExchange", record: "Sequence[Turn]") -> Replays:
    """Return each agent's earnings if only the members make their recorded hand-overs.

    Cost: (agents + tasks that moved) × coalitions.
    """
    tasks, seats = game.tasks, {agent: i for i, agent in enumerate(game.agents)}
    moved, position = _trace_moves(game, record)
    utilities = game.scenario.utilities
    done = from_bits(position["done"], tasks.n) if game.over(position) else 0
    alone = [int(utilities[agent][mask & done]) for agent, mask in tasks.initial.items()]

    def earned(members: Coalitions) -> NDArray[Any]:
        found = np.zeros((len(members), len(seats) + 1), dtype=np.int64)
        found[:, :-1] = alone
        for k, row in enumerate(members):
            held: dict[str, int] = {}
            for bit, chain in moved:
                if all(row[seats[agent]] for agent in chain):
                    for agent in (chain[0], chain[-1]):
                        held[agent] = held.get(agent, tasks.initial[agent]) ^ bit
            for agent, mask in held.items():
                found[k, seats[agent]] = int(utilities[agent][mask & done])
        return found

    return Replays(game.agents, earned, MICRO, classes=_by_task(game, moved, done))


def _trace_moves(game: "TaskExchange", record: "Sequence[Turn]") -> tuple[list[Moved], "Position"]:
    """Return each traded task with its holders in order, and the play's last position."""
    chains: dict[str, list[str]] = {}
    position = game.start()
    for turn, after in zip(record, game.analysis.replay(record), strict=True):
        position = after.position
        for giver, action in turn["actions"].items():
            if found := game.handed(action):
                task, taker = found
                chains.setdefault(task, [giver]).append(taker)
        for gift in gifts_in(turn):
            chains.setdefault(gift["good"], [gift["giver"]]).append(gift["receiver"])
    return [(game.tasks.named([task]), chain) for task, chain in chains.items()], position


def _by_task(game: "TaskExchange", moved: Sequence[Moved], done: int) -> tuple[ByClass, ...] | None:
    """Return the gain from each moved task, which counts only if all its holders are members.

    Returns:
        A function for each task; None without additive utilities, or if a task moved too often.
    """
    own, seats = game.scenario.utilities, {agent: i for i, agent in enumerate(game.agents)}
    if not all(isinstance(one, Additive) for one in own.values()):
        return None
    parts = []
    for bit, chain in moved:
        movers = list(dict.fromkeys(chain))
        if len(movers) > MOST_MOVERS:
            return None
        of = np.full(len(game.agents), -1)
        of[[seats[agent] for agent in movers]] = range(len(movers))
        worths = np.zeros((2,) * len(movers), dtype=object)
        worths[(1,) * len(movers)] = own[chain[-1]][bit & done] - own[chain[0]][bit & done]
        parts.append(ByClass(of, worths, MICRO))
    return tuple(parts)
