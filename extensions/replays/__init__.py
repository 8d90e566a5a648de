"""Reports on how agents' values depend on norm, baseline, dice and replays; they settle nothing."""

from shapley_coop.extension import Extension

_HERE = "shapley_coop.extensions.replays"

EXTENSION = Extension(
    name="replays",
    about="Say on what values depend: norm, baseline, dice, and members who are asked again.",
    replays={"asked": f"{_HERE}.asked:asked_again"},
    dice={"others": f"{_HERE}.other_dice:of_run"},
    credits={"sensitivity": f"{_HERE}.sensitivity:of_run"},
    sections={"On what the ranking of the agents depends": f"{_HERE}.rankings:section"},
)
