"""The data set: games and seeds for training, and others that are held out for evaluation."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any, NamedTuple

from shapley_coop.games import load

OTHERS = ("rational", "generous", "contract_keeper")
"""The embedded characters, one of which plays all other seats."""


class Split(NamedTuple):
    """The games and seeds of one part of the data set."""

    games: tuple[str, ...]
    seeds: range


SPLITS: Mapping[str, Split] = {
    "train": Split(("escape_room", "prisoners_dilemma", "cash_grab"), range(64)),
    "eval": Split(("stag_hunt", "shared_service", "volunteers"), range(1000, 1032)),
}
"""Part → its games and seeds; the parts share no game and no seed."""


@dataclass(frozen=True)
class Episode:
    """One play, in which a learner has one seat.

    Attributes:
        game: the game's name; the best total of its payoffs must be known.
        seed: the run's seed.
        agent: the learner's agent.
        others: the seats of all other agents, as `seats` of `play`.
        workflow: the workflow's name.
        settings: further fields of the run's configuration.
    """

    game: str
    seed: int
    agent: str
    others: Mapping[str, Any]
    workflow: str = "shapley_coop"
    settings: Mapping[str, Any] = field(default_factory=dict)


def episode(game: str, seed: int) -> Episode:
    """Return the episode of a game whose seats are drawn by the seed."""
    dice = Random(seed)
    agent, character = dice.choice(load(game).agents), dice.choice(OTHERS)
    return Episode(game, seed, agent, {"*": f"embedded:{character}"})


def episodes(split: str) -> list[Episode]:
    """Return all episodes of `train` or `eval`: each game with each seed, seed by seed.

    Raises:
        ValueError: there is no such part of the data set.
    """
    if split not in SPLITS:
        raise ValueError(f"{split!r} is no part of the data set: choose {', '.join(SPLITS)}")
    games, seeds = SPLITS[split]
    return [episode(game, seed) for seed in seeds for game in games]
