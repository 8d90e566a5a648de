"""The facts of a run with which a proposal is read and checked."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from shapley_coop.games.open_turns import OpenTurns, always_open


@dataclass(frozen=True, eq=False)
class Terms:
    """The facts that a deal is checked against; compared by identity, so that checks are cached."""

    agents: Sequence[str]
    actions: Mapping[str, Sequence[str]] = field(default_factory=dict)
    turns: int = 1
    norms: Sequence[str] = ()
    droppable: Sequence[str] = ()  # ids of payments, gifts and shares of the contract in force
    goods: Sequence[str] = ()  # goods that can change hands; most games have none
    currency: str = ""  # the currency of amounts; "" for points of the game
    now: int = 1  # the first turn at which the deal would bind
    open_turns: OpenTurns = always_open
    also_called: Callable[[str], Sequence[str]] | None = None  # action → other words for it
