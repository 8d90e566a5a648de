"""Groups of agents: their formation, their candidates, and the election of delegates."""

from collections import Counter
from collections.abc import Mapping, Sequence
from math import ceil

import numpy as np

from shapley_coop.extensions.institutions.delegates.settings import delegation_of
from shapley_coop.extensions.institutions.delegates.table import Group, groups_of
from shapley_coop.games import Game
from shapley_coop.games.dice import dice
from shapley_coop.state.evaluated import EvaluatedTable
from shapley_coop.state.run_config import RunConfig
from shapley_coop.state.table import Table

MOST_GROUPS = 5
"""The most groups by default, because delegates' letters grow with the number of groups."""

IN_A_GROUP = 3
"""The fewest agents of a group by default, if there are enough agents for two groups."""

MOST_CANDIDATES = 7
"""The most candidates of a group, drawn by lot from larger groups, so that ballots stay short."""

PLAYS = 16
"""The number of random joint actions by which agents' interests are compared."""


def group_of(table: Table, agent: str) -> Group:
    """Return the group of an agent."""
    return next(group for group in groups_of(table) if agent in group["members"])


def electors(evaluated: EvaluatedTable) -> list[str]:
    """Return the members of groups that have no delegate and several candidates."""
    return [
        agent
        for group in groups_of(evaluated.table)
        if not group["delegate"] and len(group["candidates"]) > 1
        for agent in group["members"]
    ]


def formed(game: Game, config: RunConfig) -> list[list[str]]:
    """Return the agents in groups whose sizes differ by at most one.

    Args:
        config: the run's configuration.
    """
    settings = delegation_of(config)
    count = settings.groups or default_groups(len(game.agents))
    if settings.grouping == "random":
        order = drawn(game.agents, config.seed, "groups")
    else:
        order = by_interest(game, config.seed)
    return [list(part) for part in np.array_split(np.array(order, dtype=object), count)]


def default_groups(agents: int) -> int:
    """Return the default number of groups for a number of agents.

    >>> [default_groups(n) for n in (2, 4, 6, 7, 12, 1000)]
    [2, 2, 2, 3, 4, 5]
    """
    return max(2, min(MOST_GROUPS, ceil(agents / IN_A_GROUP)))


def by_interest(game: Game, seed: int) -> list[str]:
    """Return the agents ordered by interest: neighbours in the order gain from the same plays.

    The order follows the first principal component of the first turn's payoffs under `PLAYS` joint
    actions, drawn by seed. If payoffs are private or never vary, agents keep the speaking order.
    """
    if game.analysis.ahead.foreseeable != "all":
        return list(game.agents)
    game = game.analysis.ahead.on_other_dice(seed + 1)  # its own dice would reveal the future
    start = game.start()
    legal = {agent: game.legal(start, agent) for agent in game.agents}
    rows = []
    for play in range(PLAYS):
        draws = {a: dice(seed, play, f"interest:{a}").random() for a, acts in legal.items() if acts}
        rewards = game.step(
            start, {agent: legal[agent][int(x * len(legal[agent]))] for agent, x in draws.items()}
        ).rewards
        rows.append([float(rewards.get(agent, 0)) for agent in game.agents])
    paid = np.array(rows)
    paid -= paid.mean(axis=0)
    if not paid.any():
        return list(game.agents)
    loadings = np.linalg.svd(paid, full_matrices=False)[2][0].round(9)
    loadings *= np.sign(loadings[np.abs(loadings).argmax()])
    return [game.agents[i] for i in np.argsort(-loadings, kind="stable")]


def drawn(names: Sequence[str], seed: int, what: str) -> list[str]:
    """Return names in an order drawn by the seed."""
    return [names[i] for i in dice(seed, 0, what).permutation(len(names))]


def candidates(members: Sequence[str], seed: int, round_: int) -> list[str]:
    """Return a group's candidates: all members of a small group, or some drawn by lot."""
    if len(members) <= MOST_CANDIDATES:
        return list(members)
    return drawn(members, seed, f"candidates:{round_}:{members[0]}")[:MOST_CANDIDATES]


def elected(group: Group, votes: Mapping[str, str], seed: int, round_: int) -> Group:
    """Return a group with its delegate: most votes win; a lot decides ties and empty ballots."""
    given = Counter(votes[member] for member in group["members"] if member in votes)
    most = max(given.values(), default=0)
    first = [name for name in group["candidates"] if given[name] == most]
    winner = drawn(first, seed, f"delegate:{round_}:{group['members'][0]}")[0]
    return {**group, "delegate": winner, "votes": dict(given)}
