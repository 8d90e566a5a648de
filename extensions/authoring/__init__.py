"""Scenarios of task exchange that a model writes from preferences in words."""

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
