"""The characters of embedded agents: a few numbers each."""

from dataclasses import dataclass
from random import Random


@dataclass(frozen=True)
class Character:
    """How an embedded agent bargains and plays.

    Attributes:
        about: one line on the character.
        greed: the share of the surplus it first asks for, in 0..1.
        floor: the least share of the surplus it takes, in 0..1, at the last round.
        patience: the exponent of its concession over the rounds; 1 is linear, more is Boulware.
        yielding: how likely it takes a deal that leaves it no better and no worse.
        fairness: how much of an advantage it gives up where a computed value says it is undue.
        honesty: how likely it keeps a promise that does not pay.
        noise: how likely it acts at random.
        sloppiness: how likely it breaks the protocol.
    """

    about: str
    greed: float = 0.65
    floor: float = 0.2
    patience: float = 1.0
    yielding: float = 0.4
    fairness: float = 0.0
    honesty: float = 1.0
    noise: float = 0.0
    sloppiness: float = 0.04

    def drawn(self, rng: Random) -> "Character":
        """One individual of this character: greed and floor vary a little from agent to agent."""
        greed = min(1.0, max(0.0, self.greed + rng.uniform(-0.1, 0.1)))
        floor = min(greed, max(0.0, self.floor + rng.uniform(-0.05, 0.05)))
        return Character(**{**self.__dict__, "greed": greed, "floor": floor})


CHARACTERS = {
    "rational": Character("Maximises its own payoff, concedes with time."),
    "greedy": Character("Asks for nearly everything and yields little.", 0.95, 0.45, 2.0, 0.1),
    "generous": Character("Asks for its half and yields early.", 0.5, 0.05, 0.5, 0.95, 1.0),
    "stubborn": Character("Never moves from its first demand.", 0.7, 0.6, 50.0, 0.0),
    "sloppy": Character("Rational, but careless with the protocol.", sloppiness=0.5),
    "random": Character("Rational in talk, random in action.", noise=1.0, honesty=0.0),
}


def character(name: str) -> Character:
    """Look up a character.

    Raises:
        ValueError: there is none of that name.
    """
    if name not in CHARACTERS:
        raise ValueError(f"no embedded character {name!r}: there are {', '.join(CHARACTERS)}")
    return CHARACTERS[name]
