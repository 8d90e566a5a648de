"""Measures of runs: evaluators, reference points, statistics."""
