"""Suites, sweeps and where their rows are kept."""
