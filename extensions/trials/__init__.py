"""The extension that tries seats: adversaries, tournaments, and questions about letters."""

from shapley_coop.extension import Extension

_HERE = "shapley_coop.extensions.trials"

EXTENSION = Extension(
    name="trials",
    about="Try seats: adversaries, tournaments, comprehension of letters.",
    first=("attack",),
    questions={"comprehend": f"{_HERE}.comprehension.reply:QUESTION"},
    programs={f"{_HERE}.comprehension.reply": f"{_HERE}.comprehension.reply:PROGRAMS"},
    commands={
        "Inspect and verify": {"try": f"{_HERE}.trying:try_model"},
        "Check before you sign": {"attack": f"{_HERE}.attacking:attack"},
        "Experiment": {
            "tournament": f"{_HERE}.tournaments:tournament",
            "comprehend": f"{_HERE}.comprehending:comprehend",
        },
    },
)
