"""The credit of traded tasks, and what games without another baseline refuse."""

from fractions import Fraction

import numpy as np
import pytest

from shapley_coop.extensions.exchange.domain.hands import hand
from shapley_coop.extensions.exchange.domain.masks import members
from shapley_coop.games import GameError, load
from tests.credit.credit_plays import recorded


def test_a_task_moves_only_if_all_who_handed_it_on_are_members() -> None:
    game = load("task_exchange")
    swap = dict(zip(game.agents, game.tasks.initial.values(), strict=True))
    first, second = game.agents
    masks = {first: swap[second], second: swap[first]}
    names = {
        a: [game.tasks.names[i] for i in members(mask, game.tasks.n)] for a, mask in swap.items()
    }
    ring = zip(names[first], names[second], strict=True)
    plays = [{first: hand(one, second), second: hand(other, first)} for one, other in ring]
    plays.append({})
    position = game.start()
    for actions in plays:
        position = game.step(position, actions).position
    while not game.over(position):
        actions = {
            a: next(x for x in legal if x in game.tasks.names)
            for a in game.agents
            if (legal := game.legal(position, a))
        }
        plays.append(actions)
        position = game.step(position, actions).position
    record = recorded(game, plays)
    replays = game.analysis.replays(record)
    kept = {a: Fraction(str(game.scenario.utility(a, swap[a]))) for a in game.agents}
    assert replays.at_baseline() == kept
    assert replays.of(np.array([True, False])) == kept
    traded = {a: Fraction(str(game.scenario.utility(a, masks[a]))) for a in game.agents}
    assert replays.of(np.array([True, True])) == traded


def test_a_game_with_a_rule_of_its_own_for_the_absent_takes_no_other() -> None:
    with pytest.raises(GameError, match="no other baseline can be chosen: leave out `absent`"):
        _ = load("task_exchange", {"absent": "away"}).baseline
