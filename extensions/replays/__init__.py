"""Replays beside the record's own, which value a run and settle nothing."""

from shapley_coop.extension import Extension

EXTENSION = Extension(
    name="replays",
    about="Value a run by replays in which members are asked again.",
    replays={"asked": "shapley_coop.extensions.replays.asked:asked_again"},
)
