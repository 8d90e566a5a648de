"""Adversaries, the honest twin of each, and the scorecard of the guarantees that held."""
