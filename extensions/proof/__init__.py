"""A proof to take away: what a run came to, signed, and recomputed by whoever receives it.

`statement.statement_of` says what was agreed, done and settled; `checking.check` recomputes all of
it from the statement alone, without the home that it came from. `docs/verify.md` describes the
file.
"""

from shapley_coop.extension import Extension

_HERE = "shapley_coop.extensions.proof"

EXTENSION = Extension(
    name="proof",
    about="Signed statements of runs, which others recompute without the home they come from.",
    commands={
        "Inspect and verify": {
            "prove": f"{_HERE}.prove_command:prove",
            "check": f"{_HERE}.check_command:check",
        }
    },
)
