"""Experiments: what is run over and over, what is measured, and how it is reported."""
