"""Checks before signing: of contracts, of records under a contract, and of exchange messages."""

from shapley_coop.extension import Extension

_HERE = "shapley_coop.extensions.signing"

EXTENSION = Extension(
    name="signing",
    about="Check contracts before they are signed, and audit records.",
    commands={
        "Check before you sign": {
            "validate": f"{_HERE}.validate:validate",
            "contract check": f"{_HERE}.contract:check",
            "contract audit": f"{_HERE}.contract:audit",
        }
    },
    first=("contract",),
)
