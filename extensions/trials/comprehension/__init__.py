"""A test of whether a model understands letters: questions about real letters, scored by code."""

from shapley_coop.extensions.trials.comprehension.asking import (
    MANNERS,
    Score,
    asked_about,
    forecast,
    letters_of,
    limited,
    unasked,
)

__all__ = ["MANNERS", "Score", "asked_about", "forecast", "letters_of", "limited", "unasked"]
