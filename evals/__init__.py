"""Experiments: sweeps of many runs, the runs' measures, and reports on them."""
