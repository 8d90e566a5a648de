"""Weighted Earned Value: the parts of a whole that roles earned by their artefacts."""

from shapley_coop.extension import Extension

EXTENSION = Extension(
    name="wev",
    about="Weighted Earned Value of each role's artefacts.",
    commands={"Credit and settle": {"wev": "shapley_coop.extensions.wev.command:wev"}},
)
