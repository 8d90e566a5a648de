"""The number of agents above which letters and facts describe them in groups, not singly."""

MANY = 12
"""The most agents for which letters have a line for each agent and list all possible gifts."""

OWN = "you_hold"
"""The key of the reader's own part of a position; all readers get the same words on other parts."""
