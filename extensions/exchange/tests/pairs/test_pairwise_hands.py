"""What pairs agreed can always be handed over: nobody is left without a task in between."""

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from shapley_coop.extensions.exchange.pairs.game import ExchangeInPairs
from shapley_coop.games import Position, load


def exchange(agents: int, atoms: int, seed: int) -> ExchangeInPairs:
    names = ["A", "B", "C", "D"][:agents]
    told = {"scenario": "generated", "agents": names, "atoms": atoms, "meetings": 1}
    game = load("task_exchange", {**told, "competition": 0.1}, seed)
    assert isinstance(game, ExchangeInPairs)
    return game


def traded(game: ExchangeInPairs, masks: dict[str, int]) -> Position:
    position = game.start()
    for actions in game.hands(masks):
        position = game.step(position, actions).position
        assert all("1" in bits for bits in position["holds"].values())
    return position


@given(st.integers(2, 4), st.integers(4, 7), st.integers(0, 30), st.randoms(use_true_random=False))
def test_every_allocation_that_leaves_nobody_empty_is_traded(
    agents: int, atoms: int, seed: int, dice: Random
) -> None:
    game = exchange(agents, atoms, seed)
    owners = [*game.agents, *dice.choices(game.agents, k=atoms - agents)]
    dice.shuffle(owners)
    bits = {name: "".join("01"[owner == name] for owner in owners) for name in game.agents}
    position = traded(game, {name: int(mask, 2) for name, mask in bits.items()})
    assert position["holds"] == bits
    assert position["closed"]
