"""What a deal is read by and checked against."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from shapley_coop.games.open_turns import OpenTurns, always_open


@dataclass(frozen=True, eq=False)
class Terms:
    """What a deal is checked against; compared by identity, so that a check is made once."""

    agents: Sequence[str]
    actions: Mapping[str, Sequence[str]] = field(default_factory=dict)
    turns: int = 1
    norms: Sequence[str] = ()
    droppable: Sequence[str] = ()  # ids of standing payments, gifts and shares
    goods: Sequence[str] = ()  # what can change hands; in most games nothing
    currency: str = ""  # in which amounts are; empty for points of the game
    now: int = 1  # the turn from which on it binds
    open_turns: OpenTurns = always_open
