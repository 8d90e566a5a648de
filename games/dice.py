"""Randomness that can be replayed: a counter-based generator keyed by (seed, turn, agent)."""

import hashlib

import numpy as np


def dice(seed: int, turn: int, agent: str = "") -> "np.random.Generator":
    """Return the random generator of one agent at one turn; if `agent` is "", the game's own.

    Every generator has its own key, so one agent's draws never shift another's: removing a player
    from a replay leaves all other players' dice unchanged (common random numbers).
    """
    digest = hashlib.blake2b(f"{seed}/{turn}/{agent}".encode(), digest_size=16).digest()
    return np.random.Generator(np.random.Philox(key=int.from_bytes(digest, "big")))
