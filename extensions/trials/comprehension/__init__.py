"""A test of whether a model understands letters: questions about real letters, scored by code."""
