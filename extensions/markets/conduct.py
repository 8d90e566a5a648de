"""Replays of a trade by coalition: goods move only among members."""

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from shapley_coop.extensions.markets.partners import by_partners
from shapley_coop.games.baseline import Baseline
from shapley_coop.games.goods import gifts_in, with_gifts
from shapley_coop.games.replay import Coalitions, Replays
from shapley_coop.games.turns import Position, Turn

if TYPE_CHECKING:
    from shapley_coop.extensions.markets.game import Trade

KEEPS = Baseline("nothing", "an absent agent trades with nobody and keeps what it holds")


def recorded_trade(game: "Trade", record: Sequence[Turn]) -> Replays:
    """Return replays of a record for coalitions: they repeat only the gifts among members.

    A member repeats its gifts to members, by hand or by the contract, as far as it holds the goods.
    No member gets the gifts of absent agents. A pool, whose division all must accept, is lost
    unless all agents are members. If the play was stopped before the end, all replays pay 0.
    """

    def earned(members: Coalitions) -> NDArray[Any]:
        found = np.empty((len(members), len(game.agents) + 1), dtype=object)
        for k, row in enumerate(members):
            inside = {a for a, is_in in zip(game.agents, row, strict=True) if is_in}
            amounts = _played(game, record, inside)
            found[k] = [*(amounts[agent] for agent in game.agents), Fraction(0)]
        return found

    return Replays(game.agents, earned, classes=by_partners(game, record))


def replayed(
    game: "Trade", record: Sequence[Turn], inside: set[str]
) -> tuple[Position, dict[str, str]]:
    """Return the last position and actions if only the members repeat a record."""
    position = game.start()
    actions: dict[str, str] = {}
    for turn in record:
        actions = {
            agent: action
            for agent, action in turn["actions"].items()
            if agent in inside and game.receiver(action) in {*inside, ""}
        }
        actions = {a: x for a, x in actions.items() if x in game.legal(position, a)}
        gifts = [g for g in gifts_in(turn) if {g["giver"], g["receiver"]} <= inside]
        position = game.step(with_gifts(position, gifts), actions).position
    return position, actions


def _played(game: "Trade", record: Sequence[Turn], inside: set[str]) -> dict[str, Fraction]:
    position, actions = replayed(game, record, inside)
    if not game.over(position):
        return dict.fromkeys(game.agents, Fraction(0))
    whole = not game.market.pool or inside == set(game.agents)
    return game.paid(position["holds"], whole and game.accepted(actions))
