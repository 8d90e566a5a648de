"""Goods that change hands by a contract: how a game is told, and how the record keeps it.

>>> gift = {"clause": "c1", "giver": "Ann", "receiver": "Ben", "good": "lamp", "quantity": 1}
>>> effect = {"effect": GIVEN, **gift, "short": 0}
>>> gifts_in({"turn": 1, "actions": {}, "rewards": {}, "effects": [effect]}) == [gift]
True
"""

from collections.abc import Mapping, Sequence
from typing import Any

GIVEN = "given"
"""The effect in the record of a turn by whose end goods changed hands, and the key under which a
position holds what is to change hands by the end of its turn."""

Gift = dict[str, Any]
"""`clause`, `giver`, `receiver`, `good` and the `quantity` that is due, as plain JSON."""

Holdings = dict[str, dict[str, int]]
"""Agent → good → how many it holds."""


def with_gifts(position: dict[str, Any], gifts: Sequence[Gift]) -> dict[str, Any]:
    """A position by the end of whose turn goods change hands; the game's step executes it."""
    return {**position, GIVEN: list(gifts)} if gifts else position


def gifts_in(turn: Mapping[str, Any]) -> list[Gift]:
    """Return what was due by the end of a recorded turn, whether or not the givers held so many."""
    return [
        {
            **{key: effect[key] for key in ("clause", "giver", "receiver", "good")},
            "quantity": effect["quantity"] + effect.get("short", 0),
        }
        for effect in turn.get("effects", [])
        if effect.get("effect") == GIVEN
    ]


def hand_over(holds: Holdings, gifts: Sequence[Gift]) -> tuple[Holdings, list[dict[str, Any]]]:
    """Return what all hold after gifts, one after the other, and their effects for the record.

    Nobody hands over what it does not hold: what is missing is told as `short`.
    """
    after, effects = {agent: dict(own) for agent, own in holds.items()}, []
    for gift in gifts:
        giver, receiver, good = gift["giver"], gift["receiver"], gift["good"]
        moved = min(gift["quantity"], after[giver].get(good, 0))
        after[giver][good] = after[giver].get(good, 0) - moved
        after[receiver][good] = after[receiver].get(good, 0) + moved
        short = gift["quantity"] - moved
        effects.append({"effect": GIVEN, **gift, "quantity": moved, "short": short})
    return after, effects
