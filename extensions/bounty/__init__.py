"""Divide a bounty by what people made, ask whether they agree, and pay it by a bank."""

from shapley_coop.extension import Extension

EXTENSION = Extension(
    name="bounty",
    about="Divide a bounty by a git history, and pay it.",
    first=("settle-git",),
    commands={
        "Credit and settle": {
            "settle-git": "shapley_coop.extensions.bounty.command:settle_git",
            "pay": "shapley_coop.extensions.bounty.paying:pay",
        }
    },
)
