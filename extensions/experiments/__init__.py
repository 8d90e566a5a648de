"""The scoring of a suite's runs on this machine, with an optional upload to LangSmith."""

from shapley_coop.extension import Extension

EXTENSION = Extension(
    name="experiments",
    about="Run a suite and score every run; upload the scores to LangSmith when asked.",
    commands={"Experiment": {"eval": "shapley_coop.extensions.experiments.evaluate:evaluate"}},
)
