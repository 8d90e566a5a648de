"""The extension that divides a bounty by contributions or agreement, and writes payment files."""

from shapley_coop.extension import Extension

_HERE = "shapley_coop.extensions.bounty"

EXTENSION = Extension(
    name="bounty",
    about="Divide a bounty by a git history, and pay it.",
    first=("settle-git",),
    games={"delivered": f"{_HERE}.delivered:Delivered"},
    workflows={
        "settlement": f"{_HERE}.pages.settlement:graph",
        "consent": f"{_HERE}.asking.page:graph",
    },
    questions={"answer_bounty": f"{_HERE}.asking.question:QUESTION"},
    templates={
        "answer_bounty": f"{_HERE}.templates:ANSWER",
        "bounty_table": f"{_HERE}.templates:TABLE",
    },
    rechecks={"put_count": f"{_HERE}.asking.counted:COUNTED"},
    commands={
        "Credit and settle": {
            "settle-git": f"{_HERE}.command:settle_git",
            "pay": f"{_HERE}.paying:pay",
        }
    },
)
