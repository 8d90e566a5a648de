"""PettingZoo both ways: its environments as our games, and our games as its environments."""
