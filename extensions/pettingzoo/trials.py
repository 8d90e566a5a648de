"""Trials of an environment, to find out whether it is a repeated matrix game.

Embedded agents and certificates of contracts need a table of payoffs, which an environment does not
publish. So the environment is tried. If every joint action pays the same in every turn and on every
tried seed, the environment is treated as a repeated matrix game, and letters say that trials showed
this. The game's own seed is never tried, so that no agent learns its future dice.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import product
from math import prod
from random import Random
from typing import Any

from shapley_coop.extensions.pettingzoo.facts import as_number
from shapley_coop.games.params import Number

MAX_JOINT_ACTIONS = 256
PLAYS = 4
TIMES = 3
MAX_STEPS = 2_000
_FIRST_SEED = 7_000_003

Joint = tuple[int, ...]
"""One action per agent, by its index."""


@dataclass(frozen=True)
class Trials:
    """The results of trials.

    Attributes:
        turns: the number of turns of a play if all plays were equally long; else 0.
        pays: joint action (index per agent) → payoffs; empty if payoffs are not fixed.
        times: the least number of times that a joint action was tried.
    """

    turns: int = 0
    pays: dict[Joint, list[Number]] = field(default_factory=dict)
    times: int = 0


def try_out(env: Any, agents: list[str], most: int) -> Trials:
    """Play all joint actions in several orders, on several seeds.

    Args:
        env: the environment; its state afterwards is undefined.
        agents: its agents, in order.
        most: the number of turns after which a play is cut off.

    Cost: at most about `MAX_STEPS` steps of the environment.
    """
    spaces = [env.action_space(agent) for agent in agents]
    if prod(int(space.n) for space in spaces) > MAX_JOINT_ACTIONS or _masked(*env.reset(seed=0)):
        return Trials()
    firsts = [int(space.start) for space in spaces]
    joints = list(product(*(range(int(space.n)) for space in spaces)))
    paid: dict[Joint, list[list[Number]]] = {joint: [] for joint in joints}
    lengths: list[int] = []
    rng = Random(0)
    while len(lengths) < PLAYS or min(map(len, paid.values())) < TIMES:
        env.reset(seed=_FIRST_SEED + len(lengths))
        length = 0
        while env.agents and length < most:
            if sorted(env.agents) != sorted(agents) or sum(lengths) + length >= MAX_STEPS:
                return Trials()
            fewest = min(map(len, paid.values()))
            joint = rng.choice([joint for joint in joints if len(paid[joint]) == fewest])
            chosen = {a: f + k for a, f, k in zip(agents, firsts, joint, strict=True)}
            rewards = env.step(chosen)[1]
            paid[joint].append([as_number(rewards.get(a, 0), "the environment") for a in agents])
            length += 1
        if not length:
            return Trials()
        lengths.append(length)
    turns = lengths[0] if len(set(lengths)) == 1 else 0
    if any(found.count(found[0]) < len(found) for found in paid.values()):
        return Trials(turns)
    return Trials(turns, {joint: found[0] for joint, found in paid.items()}, TIMES)


def _masked(observations: Mapping[str, Any], infos: Mapping[str, Any]) -> bool:
    """Return whether action masks exist; if so, some joint actions may be impossible to try."""
    seen = [*observations.values(), *infos.values()]
    return any(isinstance(one, Mapping) and "action_mask" in one for one in seen)
