"""The worths of coalitions in a trade as a sum of small games, for any number of agents.

If no agent passes on goods that it was given, the worth of a coalition is a sum over agents. Each
agent's term depends only on the presence of that agent and of its trading partners.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from math import lcm
from typing import TYPE_CHECKING

import numpy as np

from shapley_coop.by_class import ByClass
from shapley_coop.games.gives import parse_gift
from shapley_coop.games.goods import gifts_in
from shapley_coop.games.turns import Turn

if TYPE_CHECKING:
    from shapley_coop.extensions.markets.game import Trade

MOST_PARTNERS = 10
"""The most partners of one agent, because its term is a table of 2**(partners + 1) worths."""

Goods = Mapping[str, int]
"""Good → number of units received, negative for units given away."""


def by_partners(game: "Trade", record: Sequence[Turn]) -> tuple[ByClass, ...] | None:
    """Return games whose sum is the worth W of coalitions: one for each agent that traded.

    Returns:
        None if W is not such a sum: for a pool, for a play that was stopped, or if an agent gave
        more of a good than it began with or has more than `MOST_PARTNERS` partners.
    """
    if game.market.pool or len(record) < game.turns:
        return None
    sent, moved = Counter[tuple[str, str]](), dict[str, dict[str, Counter[str]]]()
    for turn in record:
        for giver, receiver, good, count in _gifts(turn):
            sent[giver, good] += count
            for agent, other, more in ((giver, receiver, -count), (receiver, giver, count)):
                moved.setdefault(agent, {}).setdefault(other, Counter())[good] += more
    began = game.market.holds
    if any(count > began[giver].get(good, 0) for (giver, good), count in sent.items()):
        return None
    if any(len(partners) > MOST_PARTNERS for partners in moved.values()):
        return None
    return tuple(_part(game, agent, partners) for agent, partners in moved.items())


def _gifts(turn: Turn) -> Iterator[tuple[str, str, str, int]]:
    """Yield (giver, receiver, good, count) of a turn's gifts by the contract and by hand."""
    for gift in gifts_in(turn):
        yield gift["giver"], gift["receiver"], gift["good"], gift["quantity"]
    for agent, action in turn["actions"].items():
        if by_hand := parse_gift(action):
            count, good, to = by_hand
            yield agent, to, good, count


def _part(game: "Trade", agent: str, partners: Mapping[str, Goods]) -> ByClass:
    """Return one agent's part of W, which depends on whether it and its partners are present."""
    players = [agent, *partners]
    shape = (2,) * len(players)
    worths = np.empty(shape, dtype=object)
    for inside in product((0, 1), repeat=len(players)):
        held = Counter(game.market.holds[agent])
        for partner, is_in in zip(partners, inside[1:], strict=True):
            if inside[0] and is_in:
                held.update(partners[partner])
        worths[inside] = game.market.worth(agent, held)
    unit = lcm(*(amount.denominator for amount in worths.flat))
    whole = np.array([int(amount * unit) for amount in worths.flat], dtype=object).reshape(shape)
    of = np.full(len(game.agents), -1)
    of[[game.agents.index(player) for player in players]] = range(len(players))
    return ByClass(of, whole, unit)
