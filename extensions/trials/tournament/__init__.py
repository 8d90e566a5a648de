"""Tournaments: every seat meets every seat in every game and both roles; a ranking with intervals.

A tournament is expanded to suites, one for each game, and run, resumed and kept as any sweep.
"""
