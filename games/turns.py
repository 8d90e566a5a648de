"""A game's record: its positions, turns and steps, and the total of its rewards."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NotRequired

from typing_extensions import TypedDict  # pydantic needs it before Python 3.12

from shapley_coop.amounts import exact
from shapley_coop.games.params import Number

_SHORT = 80
"""The most characters of one part of an effect in a line; longer parts are left out."""

Position = dict[str, Any]
"""A position of a game: plain JSON, complete, and the same for the same seed and actions."""


class Turn(TypedDict):
    """One turn of the public record."""

    turn: int  # from 1
    actions: dict[str, str]  # agent → action; an agent that did not act has no entry
    rewards: dict[str, Number]  # agent → reward of this turn, in the game's unit
    pot: NotRequired[Number]  # the pot: a team reward, which no agent owns before settlement
    effects: NotRequired[list[dict[str, Any]]]  # other events, in order


@dataclass(frozen=True)
class Step:
    """The result of one joint action."""

    position: Position
    rewards: dict[str, Number]
    pot: Number = 0
    effects: list[dict[str, Any]] = field(default_factory=list)
    """Events other than rewards."""


def effect_words(effect: Mapping[str, Any]) -> str:
    """Return an effect in words, without the parts that are too long for a line."""
    if effect.keys() == {"effect", "agent"}:
        return f"{effect['agent']} {effect['effect']}"
    told = (_words(key, value) for key, value in effect.items())
    return " ".join(text.replace("_", " ") for text in told if len(text) <= _SHORT)


def _words(key: str, value: Any) -> str:
    if isinstance(value, bool):
        return key if value else f"not {key}"
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def refused_by_budget(turn: Turn) -> frozenset[str]:
    """Return the agents whose calls at a turn were refused by the operator's budget."""
    effects = turn.get("effects", [])
    return frozenset(effect["agent"] for effect in effects if effect.get("excused") is True)


class RecordKey:
    """A record as the key of a cache; records with equal content are equal keys."""

    def __init__(self, turns: Sequence[Turn]) -> None:
        self.turns = turns
        self._said = json.dumps(list(turns), sort_keys=True, default=str)

    def __hash__(self) -> int:
        return hash(self._said)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RecordKey) and self._said == other._said


def realised_total(record: Sequence[Turn]) -> Fraction:
    """Return R(N, τ) = Σ_t Σ_j r_j^t plus the pot (Shapley-Coop, Eq. 7), in the game's unit."""
    return sum(
        (exact(r) for turn in record for r in [*turn["rewards"].values(), turn.get("pot", 0)]),
        start=Fraction(0),
    )
