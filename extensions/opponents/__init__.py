"""Opponents: classical strategies, arbiters and auctions, and the negotiators of NegMAS."""

from shapley_coop.extension import Extension

_HERE = "shapley_coop.extensions.opponents"

EXTENSION = Extension(
    name="opponents",
    about="Opponents: classical strategies, arbiters and auctions, NegMAS's negotiators.",
    programs={
        f"{_HERE}.{one}": f"{_HERE}.{one}:SHIPPED"
        for one in ("classical", "baselines", "negmas_seat")
    },
    suites={"baselines": _HERE},
    measures={"distance": f"{_HERE}.distance:distance"},
)
