"""Games of many agents, whose exact payoffs depend on how many agents take each action."""

from shapley_coop.extension import Extension

_HERE = "shapley_coop.extensions.many"

EXTENSION = Extension(
    name="many",
    about="Plays symmetric games of up to 1,000 agents by counting who does what.",
    formulas={"by_count": f"{_HERE}.formulas"},
    analyses={"by_count": f"{_HERE}.parties:parties_by_counts"},
)
