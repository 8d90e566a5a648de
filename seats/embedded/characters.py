"""The characters of embedded agents: a few numbers each, in `characters.toml`."""

import tomllib
from dataclasses import dataclass
from pathlib import Path
from random import Random


@dataclass(frozen=True)
class Character:
    """How an embedded agent bargains and plays.

    Attributes:
        about: one line on the character.
        greed: the share of the surplus it first asks for, in 0..1, where there are two; among n
            it asks for 2/n of that.
        floor: the least share of the surplus it takes at the last round, likewise.
        patience: the exponent of its concession over the rounds; 1 is linear, more is Boulware.
        yielding: how likely it takes a deal that leaves it no better and no worse.
        fairness: how much of an advantage it gives up where a computed value says it is undue.
        honesty: how likely it keeps a promise that does not pay.
        noise: how likely it acts at random.
        sloppiness: how likely it breaks the protocol.
        claim: how many times over it states its own contribution.
        tactic: how it trades tasks (`seats.embedded.exchange`).
        strategy: how it acts in a repeated game (`seats.embedded.strategies`); empty: as it pays.
    """

    about: str
    greed: float = 0.65
    floor: float = 0.2
    patience: float = 1.0
    yielding: float = 0.4
    fairness: float = 0.0
    honesty: float = 1.0
    noise: float = 0.0
    sloppiness: float = 0.0
    claim: float = 1.0
    tactic: str = "by_letter"
    strategy: str = ""

    def share(self, turn: int, turns: int) -> float:
        """The share of the surplus it holds out for: greed first, floor last, by its patience.

        Args:
            turn: of the talk, from 1.
            turns: how many there are.
        """
        at = min(1.0, max(0.0, (turn - 1) / max(1, turns - 1)))
        return float(self.greed - (self.greed - self.floor) * at**self.patience)

    def drawn(self, rng: Random) -> "Character":
        """One individual of this character: greed and floor vary a little from agent to agent."""
        greed = min(1.0, max(0.0, self.greed + rng.uniform(-0.1, 0.1)))
        floor = min(greed, max(0.0, self.floor + rng.uniform(-0.05, 0.05)))
        return Character(**{**self.__dict__, "greed": greed, "floor": floor})


_FILE = Path(__file__).with_name("characters.toml").read_text(encoding="utf-8")

CHARACTERS = {name: Character(**traits) for name, traits in tomllib.loads(_FILE).items()}


def character(name: str) -> Character:
    """Look up a character.

    Raises:
        ValueError: there is none of that name.
    """
    if name not in CHARACTERS:
        raise ValueError(f"no embedded character {name!r}: there are {', '.join(CHARACTERS)}")
    return CHARACTERS[name]
