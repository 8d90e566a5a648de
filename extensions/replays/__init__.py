"""On what values depend: norm, baseline, how replays go on. It reports, and settles nothing."""

from shapley_coop.extension import Extension

_HERE = "shapley_coop.extensions.replays"

EXTENSION = Extension(
    name="replays",
    about="Say on what the ranking of the agents depends, and ask members again in replays.",
    replays={"asked": f"{_HERE}.asked:asked_again"},
    credits={"sensitivity": f"{_HERE}.sensitivity:of_run"},
    sections={"On what the ranking of the agents depends": f"{_HERE}.rankings:section"},
)
