"""What trades come to by who is in, for any number of agents: each agent depends on its partners.

Where nobody passes on what it was given, a coalition's worth is a sum over agents, and an agent's
part of it depends on itself and on those that it traded with alone.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from math import lcm
from typing import TYPE_CHECKING

import numpy as np

from shapley_coop.games.classes import ByClass
from shapley_coop.games.gives import parse_gift
from shapley_coop.games.goods import gifts_in
from shapley_coop.games.turns import Turn

if TYPE_CHECKING:
    from shapley_coop.extensions.markets.game import Trade

MOST_PARTNERS = 10
"""Of one agent: a part has 2 worths for each agent that it depends on, multiplied."""

Goods = Mapping[str, int]
"""Good → how many, below 0 for what was given away."""


def by_partners(game: "Trade", record: Sequence[Turn]) -> tuple[ByClass, ...] | None:
    """Return the parts that W is the sum of, one for each agent that traded.

    Returns:
        None where W is no such sum: of a pool, of a play that was stopped, where somebody gave more
        of a good than it began with, or traded with more than `MOST_PARTNERS`.
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
    """Giver, receiver, good and how many, by the contract and by hand."""
    for gift in gifts_in(turn):
        yield gift["giver"], gift["receiver"], gift["good"], gift["quantity"]
    for agent, action in turn["actions"].items():
        if by_hand := parse_gift(action):
            count, good, to = by_hand
            yield agent, to, good, count


def _part(game: "Trade", agent: str, partners: Mapping[str, Goods]) -> ByClass:
    """Return what goods are worth to one agent, by whether it and each of its partners is in."""
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
