"""Transfers of goods by contract: their form in a position and in the record.

>>> gift = {"clause": "c1", "giver": "Ann", "receiver": "Ben", "good": "lamp", "quantity": 1}
>>> effect = {"effect": GIVEN, **gift, "short": 0}
>>> gifts_in({"turn": 1, "actions": {}, "rewards": {}, "effects": [effect]}) == [gift]
True
"""

from collections.abc import Mapping, Sequence
from typing import Any

GIVEN = "given"
"""The name of the effect that records a transfer of goods; also the key under which a position
lists the transfers that are due by the end of the turn."""

Gift = dict[str, Any]
"""A due transfer in plain JSON: `clause`, `giver`, `receiver`, `good` and `quantity`."""

Holdings = dict[str, dict[str, int]]
"""Agent → good → the quantity that it holds."""


def with_gifts(position: dict[str, Any], gifts: Sequence[Gift]) -> dict[str, Any]:
    """Return a position that also holds the transfers that the game's step must execute."""
    return {**position, GIVEN: list(gifts)} if gifts else position


def gifts_in(turn: Mapping[str, Any]) -> list[Gift]:
    """Return the transfers due at a recorded turn; quantities include what the givers lacked."""
    return [
        {
            **{key: effect[key] for key in ("clause", "giver", "receiver", "good")},
            "quantity": effect["quantity"] + effect.get("short", 0),
        }
        for effect in turn.get("effects", [])
        if effect.get("effect") == GIVEN
    ]


def transfer_words(effect: Mapping[str, Any]) -> str:
    """Return a recorded transfer in words, as in "Ann gave Ben 1 lamp (c1)"."""
    what = f"{effect['quantity']} {effect['good']} ({effect['clause']})"
    return f"{effect['giver']} gave {effect['receiver']} {what}"


def hand_over(holds: Holdings, gifts: Sequence[Gift]) -> tuple[Holdings, list[dict[str, Any]]]:
    """Make transfers in order; return the new holdings, and each transfer's effect to record.

    A giver cannot transfer more than it holds; the effect gives the missing quantity as `short`.
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
