"""The command that has a model write a task exchange scenario from agents' preferences."""

from shapley_coop.extension import Extension

_HERE = "shapley_coop.extensions.authoring"

EXTENSION = Extension(
    name="authoring",
    about="A model writes scenarios of task exchange.",
    questions={
        "exchange_describe": f"{_HERE}.answering:DESCRIBE",
        "exchange_score": f"{_HERE}.answering:SCORE",
    },
    commands={"Experiment": {"scenario write": f"{_HERE}.command:write"}},
)
