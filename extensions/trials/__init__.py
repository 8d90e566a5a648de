"""Trials of seats: adversaries with honest twins, tournaments, comprehension of letters."""

from shapley_coop.extension import Extension

_HERE = "shapley_coop.extensions.trials"

EXTENSION = Extension(
    name="trials",
    about="Try seats: adversaries, tournaments, comprehension of letters.",
    commands={
        "Check before you sign": {"attack": f"{_HERE}.attacking:attack"},
        "Experiment": {
            "tournament": f"{_HERE}.tournaments:tournament",
            "comprehend": f"{_HERE}.comprehending:comprehend",
        },
    },
)
