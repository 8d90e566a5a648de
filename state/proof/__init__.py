"""A proof to take away: what a run came to, signed, and recomputed by whoever receives it.

`statement_of` says what was agreed, done and settled; `check` recomputes all of it from the
statement alone, without the home that it came from. `docs/verify.md` describes the file.
"""

from shapley_coop.state.proof.check import check
from shapley_coop.state.proof.statement import (
    envelope_signed,
    statement_of,
)

__all__ = [
    "check",
    "envelope_signed",
    "statement_of",
]
