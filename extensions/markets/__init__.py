"""Markets: goods with private worths, traded by deals, by gifts, or at one price for each good."""

from shapley_coop.extension import Extension

_HERE = "shapley_coop.extensions.markets"

EXTENSION = Extension(
    name="markets",
    about="Goods with private worths: trade by bargaining, or in a call market by sealed orders.",
    games={"trade": f"{_HERE}.game:Trade"},
    workflows={"call_market": f"{_HERE}.page:graph"},
    questions={"order": f"{_HERE}.order:QUESTION"},
    templates={"order": f"{_HERE}.templates:ORDER", "order_course": f"{_HERE}.templates:COURSE"},
    courses={"goods": f"{_HERE}.course:course"},
    opened={"market": "builtins:bool"},
    rechecks={"clear": f"{_HERE}.verifying:CLEARED"},
    suites={"markets": _HERE},
)
