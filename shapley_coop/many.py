"""From how many agents on they are told together, in a letter's words and in a game's facts."""

MANY = 12
"""Up to so many agents each has a line of its own, and each thing that it can give is listed."""
