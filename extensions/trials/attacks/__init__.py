"""Adversaries, each beside an honest twin, and the scorecard of what held."""
