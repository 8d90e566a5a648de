"""Reports of sweeps as pages, tables and comparisons, with the statistics that they need."""

from shapley_coop.extension import Extension

EXTENSION = Extension(name="reports", about="Report sweeps as pages, tables and comparisons.")
