"""A suite, run and scored: on this machine, and as experiments of LangSmith when asked."""

from shapley_coop.extension import Extension

EXTENSION = Extension(
    name="experiments",
    about="Run a suite and score every run; upload the scores to LangSmith when asked.",
    commands={"Experiment": {"eval": "shapley_coop.extensions.experiments.evaluate:evaluate"}},
)
