"""The number of agents above which letters and facts describe agents together."""

MANY = 12
"""The most agents for which letters have a line for each, and list each possible gift."""

OWN = "you_hold"
"""The key of the reader's own part of a position; all readers get the same words on other parts."""
