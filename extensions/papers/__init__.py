"""The experiments of the papers behind this package: commands that print the papers' tables."""

from shapley_coop.extension import Extension

_HERE = "shapley_coop.extensions.papers"

EXTENSION = Extension(
    name="papers",
    about="Print the papers' tables.",
    commands={
        "Play": {"demo": f"{_HERE}.demo:demo"},
        "Check before you sign": {"contract table": f"{_HERE}.contracts_command:table"},
        "Experiment": {"scenario table": f"{_HERE}.exchange_command:table"},
    },
    records={"taskbench": f"{_HERE}.taskbench:scenario_of_records"},
    pictures={"task_exchange": f"{_HERE}.utility_plane:picture"},
)
