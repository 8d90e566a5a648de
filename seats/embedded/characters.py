"""The characters of embedded agents: a few numbers each."""

from dataclasses import dataclass
from random import Random

AWARE, CORNERS, TIME = "utility_aware", "corner_jumping", "time"


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
    sloppiness: float = 0.04
    claim: float = 1.1
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


CHARACTERS = {
    "rational": Character("Maximises its own payoff, concedes with time."),
    "greedy": Character("Asks for nearly everything and yields little.", 0.95, 0.45, 2.0, 0.1),
    "generous": Character("Asks for its half and yields early.", 0.5, 0.05, 0.5, 0.95, 1.0),
    "stubborn": Character("Never moves from its first demand.", 0.7, 0.6, 50.0, 0.0),
    "sloppy": Character("Rational, but careless with the protocol.", sloppiness=0.5),
    "over_claimer": Character(
        "States its own contribution at more than twice what it was.", claim=2.5
    ),
    "free_rider": Character("Promises, and keeps only what pays.", honesty=0.0),
    "random": Character("Rational in talk, random in action.", noise=1.0, honesty=0.0),
    "utility_aware": Character(
        "Trades tasks by guessing the others' utilities.", 0.65, 0.0, 0.7, tactic=AWARE
    ),
    "corner_jumping": Character("Trades from one of its extremes to the next.", tactic=CORNERS),
    "boulware": Character("Concedes in trade at the very end.", 1.0, 0.05, 5.0, tactic=TIME),
    "linear": Character("Concedes in trade steadily.", 1.0, 0.05, 1.0, tactic=TIME),
    "conceder": Character("Concedes in trade early.", 1.0, 0.05, 0.2, tactic=TIME),
    "tit_for_tat": Character(
        "Does, and concedes in trade, as the others did.",
        tactic="tit_for_tat",
        strategy="tit_for_tat",
    ),
    "cooperator": Character(
        "Does its part in what is best for all.", sloppiness=0.0, strategy="cooperator"
    ),
    "defector": Character(
        "Does what pays it best, whatever was promised.", sloppiness=0.0, strategy="defector"
    ),
    "generous_tit_for_tat": Character(
        "Does as the others did, and forgives now and then.",
        sloppiness=0.0,
        strategy="generous_tit_for_tat",
    ),
    "grim": Character(
        "Does its part until another agent does not.", sloppiness=0.0, strategy="grim"
    ),
    "pavlov": Character(
        "Goes on with what went well, else changes.", sloppiness=0.0, strategy="pavlov"
    ),
    "alternator": Character(
        "Does its part every other turn.", sloppiness=0.0, strategy="alternator"
    ),
    "contract_keeper": Character("Signs, and keeps what it signed.", sloppiness=0.0),
    "contract_breaker": Character(
        "Signs, then breaks it where that pays.",
        honesty=0.0,
        sloppiness=0.0,
        strategy="contract_breaker",
    ),
    "impartial": Character("No party: writes down, and judges.", sloppiness=0.0),
    "micro": Character("One new trade for each of the others' (MiCRO).", tactic="micro"),
}


def character(name: str) -> Character:
    """Look up a character.

    Raises:
        ValueError: there is none of that name.
    """
    if name not in CHARACTERS:
        raise ValueError(f"no embedded character {name!r}: there are {', '.join(CHARACTERS)}")
    return CHARACTERS[name]
