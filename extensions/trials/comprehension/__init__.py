"""A test of whether a model understands letters: questions about real letters, scored by code."""

from shapley_coop.extensions.trials.comprehension.asking import Score, asked_about, letters_of

__all__ = ["Score", "asked_about", "letters_of"]
