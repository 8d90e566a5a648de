"""The characters of embedded agents: a few numbers each, in `characters.toml`."""

import tomllib
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random


@dataclass(frozen=True)
class Character:
    """The parameters of an embedded agent's behaviour; shares and probabilities are in 0..1.

    Attributes:
        about: one line on the character.
        greed: the share of the surplus that the agent demands in the first round from one other
            agent; among n agents the agent demands 2/n of that share.
        floor: the least share that the agent accepts at the last round, scaled like `greed`.
        patience: the exponent of the agent's concession; 1 is linear, more is Boulware.
        yielding: the probability of accepting a deal that leaves the agent equally well off.
        fairness: the fraction that the agent concedes of any payoff above its computed value.
        honesty: the probability of keeping a promise that does not pay.
        noise: the probability of a random action.
        sloppiness: the probability of breaking the protocol.
        claim: the factor by which the agent overstates its contribution.
        tactic: the tactic where a game has offers of its own, such as the trade of tasks.
        strategy: one of `seats.embedded.strategies` for repeated games; "" to maximise its payoff.
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
        """Return the share of the surplus that the agent demands, from greed down to floor.

        Args:
            turn: the round of talk, from 1.
            turns: the number of rounds.
        """
        at = min(1.0, max(0.0, (turn - 1) / max(1, turns - 1)))
        return float(self.greed - (self.greed - self.floor) * at**self.patience)

    def drawn(self, rng: Random) -> "Character":
        """Return a copy with greed and floor varied a little, so that agents differ."""
        greed = min(1.0, max(0.0, self.greed + rng.uniform(-0.1, 0.1)))
        floor = min(greed, max(0.0, self.floor + rng.uniform(-0.05, 0.05)))
        return replace(self, greed=greed, floor=floor)


_FILE = Path(__file__).with_name("characters.toml").read_text(encoding="utf-8")

CHARACTERS = {name: Character(**traits) for name, traits in tomllib.loads(_FILE).items()}


def character(name: str) -> Character:
    """Return the character of this name.

    Raises:
        ValueError: the character does not exist.
    """
    if name not in CHARACTERS:
        raise ValueError(f"{name!r} is not an embedded character: choose {', '.join(CHARACTERS)}")
    return CHARACTERS[name]
