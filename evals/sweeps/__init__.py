"""Suites, sweeps of their runs, and the storage of the runs' rows."""
