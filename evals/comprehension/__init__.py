"""Whether a model understands its letters: questions beside real letters, scored by code."""

from shapley_coop.evals.comprehension.asking import Score, asked_about, letters_of
from shapley_coop.evals.comprehension.questions import questions

__all__ = ["Score", "asked_about", "letters_of", "questions"]
