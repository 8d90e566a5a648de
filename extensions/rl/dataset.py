"""The data set: games and seeds for training, and others that are held out for evaluation."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any, NamedTuple

from shapley_coop.games import load

OTHERS = ("rational", "generous", "contract_keeper")
"""The embedded characters of the other seats; an episode's seed draws one of them."""


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
    """One play, from the first letter to the settlement.

    Attributes:
        game: the game's name; its best total must be known.
        seed: the seed of the game, and of what is not given here.
        agent: the agent whose seat the learner has; "" for one that the seed draws.
        others: the seats of all other agents, as `seats` of `play`; empty for a character that the
            seed draws.
        workflow: the workflow's name.
        settings: further fields of the run's configuration.
    """

    game: str
    seed: int
    agent: str = ""
    others: Mapping[str, Any] = field(default_factory=dict)
    workflow: str = "shapley_coop"
    settings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def seat(self) -> str:
        """The agent whose seat the learner has."""
        drawn = Random(f"{self.seed}/seat").choice(self._agents)
        return self.agent or drawn

    @property
    def room(self) -> dict[str, Any]:
        """The fields of the run's configuration, but for the learner's seat."""
        drawn = Random(f"{self.seed}/others").choice(OTHERS)
        seats = self.others or {"*": f"embedded:{drawn}"}
        return {"params": {}, **self.settings, "game": self.game, "seed": self.seed, "seats": seats}

    @property
    def _agents(self) -> tuple[str, ...]:
        return load(self.game, self.room["params"], self.seed).agents


def episodes(split: str) -> list[Episode]:
    """Return all episodes of a part of the data set: each game with each seed, seed by seed.

    Raises:
        ValueError: there is no such part.
    """
    if split not in SPLITS:
        raise ValueError(f"{split!r} is no part of the data set: choose {', '.join(SPLITS)}")
    games, seeds = SPLITS[split]
    return [Episode(game, seed) for seed in seeds for game in games]
