"""The number of agents above which letters and facts describe agents together."""

MANY = 12
"""The most agents for which letters have a line for each, and list each possible gift."""
