"""Tournaments: every seat meets every seat in every game and both roles, and a ranking follows.

A tournament is expanded to one suite for each game. Its suites are stored like any sweep.
"""
