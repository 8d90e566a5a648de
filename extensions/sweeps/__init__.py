"""Sweeps: experiments of many runs, whose cells a suite describes and a folder stores.

`suite` and `cells` read a suite, `running` finds what is left to play, `sweep` plays it, `gates`
and `purse` limit calls and cost, `store` keeps the rows. The folder `suites` has the project's own.
"""

from shapley_coop.extension import Extension

_COMMANDS = "shapley_coop.extensions.sweeps.commands"

EXTENSION = Extension(
    name="sweeps",
    about="Play experiments of many runs, resume them, and merge what several machines played.",
    commands={
        "Experiment": {
            "sweep": f"{_COMMANDS}.sweep:sweep",
            "status": f"{_COMMANDS}.results:status",
            "merge": f"{_COMMANDS}.results:merge",
        }
    },
    first=("sweep", "status"),
)
