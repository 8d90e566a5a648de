"""Replays, by this project's rules, of published records: logs of games, studies of models."""

from shapley_coop.extension import Extension

_HERE = "shapley_coop.extensions.studies"

EXTENSION = Extension(
    name="studies",
    about="Read published records.",
    commands={
        "Credit and settle": {
            "import rounds": f"{_HERE}.importing:rounds",
            "import raid-log": f"{_HERE}.importing:raid_log",
            "import company-log": f"{_HERE}.importing:company_log",
            "import coopeval": f"{_HERE}.importing_coopeval:coopeval",
            "import negotiation-arena": f"{_HERE}.importing_arena:negotiation_arena",
        }
    },
)
